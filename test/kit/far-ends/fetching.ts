import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { TestContext } from 'node:test'
import type { OutgoingConnectionOptions } from '../../../src/net/dial/connection.ts'
import { NetFailure } from '../../../src/net/failure.ts'
import { type Fetched, type GuardedFetch, guardedFetch } from '../../../src/net/fetch/fetch.ts'
import { NameResolver } from '../../../src/net/resolve/names.ts'
import { FakeTime } from '../fake-time.ts'
import { type Behaviour, FarEnd, type FarEndOptions } from './far-end.ts'
import { type NameAnswer, NameServer, type RecordType } from './name-server.ts'

/** The only address that the operator lists in these plays; the rest of this machine is not allowed. */
export const listed = '127.0.0.1'
export const unlisted = '127.0.0.2'

/** A client that fetches, with time that passes when the test says so, and with scripted name servers. */
export class Fetching {
  readonly time = new FakeTime()
  readonly names: NameServer
  readonly #fetch: GuardedFetch

  private constructor(names: NameServer, options: Partial<OutgoingConnectionOptions>) {
    this.names = names
    this.#fetch = guardedFetch({
      ...this.time,
      allowedBlocks: [`${listed}/32`],
      names: namesOf(names, this.time),
      ...options,
    })
  }

  /** `answer` is what the name server says; that every name is at the listed address without it. */
  static async start(
    t: TestContext,
    answer: Naming = listedName,
    options: Partial<OutgoingConnectionOptions> = {},
  ): Promise<Fetching> {
    return new Fetching(await nameServer(t, answer), options)
  }

  get(
    url: string,
    wishes: { largest?: number; redirects?: number; address?: string; signal?: AbortSignal } = {},
  ): Promise<Fetched> {
    const never = new AbortController().signal
    return this.#fetch({ url, party: 'caller', redirects: 3, largest: 1_000_000, signal: never, ...wishes })
  }

  /** Gets a URL and all its bytes. */
  async read(url: string, wishes: { largest?: number } = {}): Promise<string> {
    const { body } = await this.get(url, wishes)
    return (await body.toArray()).join('')
  }
}

/** Answers a question as a name server does. */
export type Naming = (name: string, type: RecordType) => NameAnswer

/** Look-ups that ask this name server alone, and that end when the time says so. */
export function namesOf(server: NameServer, { alarms }: Pick<FakeTime, 'alarms'>): NameResolver {
  return new NameResolver({ servers: [server.address], hostsFile: '/dev/null', alarms })
}

/** A name server for one test. */
export async function nameServer(t: TestContext, answer: Naming): Promise<NameServer> {
  const names = await NameServer.start(answer)
  t.after(() => names.stop())
  return names
}

/** A far end for one test. */
export async function farEnd(
  t: TestContext,
  behaviour: Behaviour,
  options: FarEndOptions = {},
): Promise<FarEnd> {
  const far = await FarEnd.start(behaviour, options)
  t.after(() => far.stop())
  return far
}

/** Returns a port at which no server listens. */
export async function closedPort(t: TestContext, host: string = listed): Promise<number> {
  const gone = await farEnd(t, () => {}, { host })
  const { port } = gone
  await gone.stop()
  return port
}

/** An answer as it goes over the wire, with the length of its body unless the headers say something else. */
export function reply(status: number, headers: Readonly<Record<string, string>> = {}, body = ''): string {
  const all = { 'Content-Length': String(Buffer.byteLength(body)), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n${body}`
}

/** Expects a fetch to fail, and returns how. */
export async function failureOf(fetch: Promise<unknown>): Promise<NetFailure> {
  const failure = await fetch.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  assert.ok(failure instanceof NetFailure, `it did not fail as a fetch does: ${String(failure)}`)
  return failure
}

/** Expects that nothing in this process begins to open a connection while something is done. */
export async function withoutDialling(act: () => Promise<unknown>): Promise<void> {
  let dialled = 0
  const count = () => dialled++
  subscribe('net.client.socket', count)
  try {
    await act()
  } finally {
    unsubscribe('net.client.socket', count)
  }
  assert.equal(dialled, 0, 'something was dialled')
}

/** A name server's answer by which every name is at the listed address. */
export function listedName(_name: string, type: RecordType): NameAnswer {
  return type === 'A' ? [listed] : []
}

/** A name server's answer by which every name is somewhere on the public internet. */
export function publicName(_name: string, type: RecordType): NameAnswer {
  return type === 'A' ? ['9.9.9.9'] : ['2620:fe::fe']
}
