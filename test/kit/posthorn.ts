import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DestinationStream } from 'pino'
import type { Role } from '../../src/contract/operation.ts'
import { forgetEvents } from '../../src/events/retention.ts'
import { openStore } from '../../src/gateway/open-store.ts'
import { type Gateway, openGateway } from '../../src/gateway/start.ts'
import { forgetMedia } from '../../src/media/media-record.ts'
import { firstFiles, releaseFiles } from '../../src/messages/files/fetch-store.ts'
import { forgetMessages } from '../../src/messages/retention.ts'
import { readConfig } from '../../src/networks/config.ts'
import type { Driver } from '../../src/networks/driver/driver.ts'
import { createApiKey, revokeApiKey } from '../../src/organizations/key-store.ts'
import { newApiKey } from '../../src/organizations/keys.ts'
import { createOrganization, findOrganization } from '../../src/organizations/organization-store.ts'
import { makeSignInLink } from '../../src/organizations/sign-in-link.ts'
import type { Config } from '../../src/runtime/config/config.ts'
import { newId } from '../../src/runtime/ids.ts'
import { openLog, silentLog } from '../../src/runtime/log.ts'
import type { Store } from '../../src/store/store.ts'
import { databaseFor } from './database.ts'
import { type CheckedClient, createCheckedClient } from './http/checked-client.ts'
import { hasSecondNode, type SecondNode, startSecondNode } from './nodes/second-node.ts'
import { endWithUs } from './processes/end-with-us.ts'

export interface PosthornOptions {
  /** Settings in addition to those of the kit. */
  readonly environment?: Readonly<Record<string, string>>
  /** A data folder to go on with; without it a fresh one, removed at the end. */
  readonly data?: string
  /** The networks that it speaks, instead of those of this build. */
  readonly drivers?: readonly Driver[]
  /** Receives the log; by default it is dropped. */
  readonly log?: DestinationStream
}

/** A key with the id by which it is revoked. */
export interface IssuedKey {
  readonly id: string
  readonly key: string
}

/** When a key ends, and the only instances that it is for. */
export interface KeyLimits {
  readonly expires_at?: number
  readonly instances?: readonly string[]
}

/** A Posthorn under test, in this process, with what its operator can do. */
export interface Posthorn {
  readonly url: string
  readonly data: string
  /** The admin key of the organization `default`. */
  readonly adminKey: string
  /** A client with that key; every reply that it gets is checked against the contract. */
  readonly admin: CheckedClient
  client(key?: string): CheckedClient
  createOrganization(name: string): Promise<void>
  createKey(organization: string, role: Role, limits?: KeyLimits): Promise<IssuedKey>
  revokeKey(id: string): Promise<void>
  /** The code of a link that signs a browser in, for a key or `operator`. */
  signInCode(owner: string): Promise<string>
  /** Releases the files of settled messages, and removes those that have expired; returns how many. */
  forgetFiles(now: number): Promise<number>
  /** Removes the events from before this moment, at most ten thousand; returns how many. */
  forgetEvents(before: number): Promise<number>
  /** Removes the messages whose last event was before this moment, among the oldest ten thousand; returns how many. */
  forgetMessages(before: number): Promise<number>
  /** Stops gracefully; keeps the data folder if it was given, or if it is to be started again. */
  stop(): Promise<void>
  /** Stops, and starts again on the same data, with these settings changed. */
  restart(environment?: Readonly<Record<string, string>>): Promise<Posthorn>
}

/** Addresses at which the networks of tests are. */
const thisMachine = '127.0.0.0/8,::1/128'

/** Settings for tests: a free port, no rate limit, and all of the data in one folder. */
export function testConfig(data: string, environment: Readonly<Record<string, string>> = {}): Config {
  return readConfig({
    POSTHORN_LISTEN: '127.0.0.1:0',
    POSTHORN_DATA: data,
    POSTHORN_RATE_LIMIT: 'off',
    POSTHORN_CONNECT_RATE: 'off',
    POSTHORN_CONNECT_ALLOW_CIDRS: thisMachine,
    ...environment,
  })
}

export function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), 'posthorn-test-'))
}

/** Starts a Posthorn in this process, on the store that the run of the tests is about. */
export async function startPosthorn(options: PosthornOptions = {}): Promise<Posthorn> {
  const data = options.data ?? freshFolder()
  const config = testConfig(data, { ...(await databaseFor(data)), ...options.environment })
  const log = options.log ? openLog('trace', options.log) : silentLog
  const given = {
    ...(options.drivers ? { networks: options.drivers } : {}),
    onReplaced: () => assert.fail('other nodes declared this one gone'),
    onStoreLost: (cause: Error) => assert.fail(cause),
  }
  const gateway = await openGateway(config, log, given)
  const second = hasSecondNode(config) ? await startSecondNode(gateway.url, config, given) : undefined
  return posthornOf(gateway, second, config, options)
}

function posthornOf(
  gateway: Gateway,
  second: SecondNode | undefined,
  config: Config,
  options: PosthornOptions,
): Posthorn {
  const { url } = gateway
  const data = config.POSTHORN_DATA
  const adminKey = readFileSync(join(data, 'admin.key'), 'utf8').trim()
  const client = (key?: string) =>
    createCheckedClient({
      baseUrl: url,
      ...(key === undefined ? {} : { key }),
      ...(second && { fetch: second.fetch }),
    })
  const { leave, ...operator } = operatorOf(config)
  let stopped = false
  const end = async () => {
    stopped = true
    await leave()
    await second?.stop()
    await gateway.stop()
  }
  const stop = async () => {
    if (stopped) return
    await end()
    if (options.data === undefined) rmSync(data, { recursive: true, force: true })
  }
  return {
    url,
    data,
    adminKey,
    admin: client(adminKey),
    client,
    ...operator,
    stop,
    async restart(environment = {}) {
      await end()
      return startPosthorn({ ...options, environment: { ...options.environment, ...environment }, data })
    },
  }
}

async function forgetAllMedia(store: Store, now: number): Promise<number> {
  const { forgotten, more } = await store.transact(forgetMedia, { now, limit: 100 })
  return more ? forgotten + (await forgetAllMedia(store, now)) : forgotten
}

/**
 * Acts as an operator while the server runs, through the store, as the command line does. The store is opened when it is
 * needed first, as that takes longer than the act itself, and stays open until `leave`.
 */
export function operatorOf(config: Config) {
  let opened: Promise<Store> | undefined
  const withStore = async <R>(use: (store: Store) => Promise<R>): Promise<R> => {
    opened ??= openStore(config)
    return use(await opened)
  }
  return {
    async leave(): Promise<void> {
      const store = await opened
      opened = undefined
      await store?.close()
    },
    createOrganization: (name: string) =>
      withStore(async (store) => {
        await store.transact(createOrganization, { id: newId('org'), name, created_at: Date.now() })
      }),
    createKey: (organization: string, role: Role, { expires_at, instances }: KeyLimits = {}) =>
      withStore(async (store): Promise<IssuedKey> => {
        const { key, digest, hint } = newApiKey()
        const id = newId('key')
        const owner = await store.read(findOrganization, { name: organization })
        assert.ok(owner, `there is no organization ${organization}`)
        const row = { id, organization_id: owner.id, digest, hint, role, created_at: Date.now() }
        const instance_names = instances ? JSON.stringify(instances) : null
        const limits = { expires_at: expires_at ?? null, instance_names }
        await store.transact(createApiKey, { key: { ...row, ...limits } })
        return { id, key }
      }),
    forgetFiles: (now: number) =>
      withStore(async (store) => {
        await store.transact(releaseFiles, { expiresAt: now, limit: 100, after: firstFiles })
        return forgetAllMedia(store, now)
      }),
    forgetEvents: (before: number) =>
      withStore(async (store) => {
        const args = { before, limit: 10_000, after: '' }
        return (await store.transact(forgetEvents, args)).forgotten
      }),
    forgetMessages: (before: number) =>
      withStore(async (store) => {
        const args = { before, after: 0, limit: 10_000, now: Date.now() }
        return (await store.transact(forgetMessages, args)).forgotten
      }),
    signInCode: (owner: string) =>
      withStore(async (store) => {
        const link = await makeSignInLink(store, { owner, baseUrl: 'http://localhost', now: Date.now() })
        return link?.split('#code=')[1] ?? assert.fail('there is no link')
      }),
    revokeKey: (id: string) =>
      withStore(async (store) => {
        await store.transact(revokeApiKey, { id, now: Date.now() })
      }),
  }
}

/** Variables that a process of ours needs to be found, and to start as quickly as the run's other processes. */
export function ofThisRun(): Record<string, string> {
  const { PATH = '', NODE_OPTIONS = '' } = process.env
  return { PATH, NODE_OPTIONS }
}

/** A Posthorn in a separate process, which can be killed. */
export interface PosthornProcess {
  readonly url: string
  readonly pid: number
  readonly adminKey: string
  readonly admin: CheckedClient
  /** Its standard output and standard error so far. */
  output(): string
  /** Resolves with the exit code, or null if a signal ended it. */
  readonly ended: Promise<number | null>
  /** Sends a signal and resolves as `ended` does. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

/**
 * Starts `src/main.js`, or the program at this path (from here, if it is relative), as a process, and resolves when it serves.
 * Rejects when it ends before.
 */
export async function spawnPosthorn(
  data: string,
  environment: Readonly<Record<string, string>> = {},
  program = '../../src/main.js',
): Promise<PosthornProcess> {
  const child = spawn(process.execPath, [new URL(program, import.meta.url).pathname], {
    env: {
      ...ofThisRun(),
      POSTHORN_LISTEN: '127.0.0.1:0',
      POSTHORN_DATA: data,
      POSTHORN_RATE_LIMIT: 'off',
      POSTHORN_CONNECT_RATE: 'off',
      POSTHORN_CONNECT_ALLOW_CIDRS: thisMachine,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
  let output = ''
  const begun = performance.now()
  const seconds = () => Math.round((performance.now() - begun) / 1_000)
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output += chunk.toString()
      const match = /serves on (\S+)/.exec(output)
      if (match?.[1]) resolve(match[1])
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    void exited.then((code) => {
      const end = code === null ? `${child.signalCode} after ${seconds()} s` : `code ${code}`
      reject(new Error(`Posthorn ended with ${end}:\n${output}`))
    })
  })
  const adminKey = readFileSync(join(data, 'admin.key'), 'utf8').trim()
  return {
    url,
    pid: child.pid as number,
    adminKey,
    admin: createCheckedClient({ baseUrl: url, key: adminKey }),
    output: () => output,
    ended: exited,
    end: (signal) => {
      child.kill(signal)
      return exited
    },
  }
}
