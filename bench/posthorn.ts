import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { keptKind, seen } from '../src/store/tables/kept-message.ts'
import { instanceNames } from './load.ts'
import { runModule, type ServerProcess, startServer } from './process.ts'

/** A Posthorn in a process of its own, as `npm start` runs it, on a data folder of the benchmark. */
export interface Posthorn extends ServerProcess {
  readonly data: string
  /** The settings that it has besides those of every server of the benchmark. */
  readonly environment: Readonly<Record<string, string>>
  readonly key: string
  /** Posts JSON as the owner of a key, the first one by default. Throws if anything is answered but `expected`. */
  post(path: string, body: unknown, expected: number, key?: string): Promise<void>
  /** Creates the instances that the load sends through: running, or stopped, so that nothing is sent. */
  createInstances(wanted: 'running' | 'stopped', names?: readonly string[]): Promise<void>
  /** Calls an operation and resolves with the body of its answer; throws if it has another status. */
  call(method: string, path: string, body: unknown, expected: number): Promise<unknown>
  /** The value of a metric, written as in the text format, with its labels; 0 if it is not there. */
  metric(name: string): Promise<number>
}

/** The embedded store on a real disk, with no limit on what is asked: the limits are not what is measured. */
export async function startPosthorn(
  data: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Posthorn> {
  mkdirSync(data, { recursive: true })
  const server = await startServer('../src/main.js', (port) => ({
    POSTHORN_LISTEN: `127.0.0.1:${port}`,
    POSTHORN_DATA: data,
    POSTHORN_RATE_LIMIT: 'off',
    POSTHORN_QUEUE_LIMIT: 'off',
    POSTHORN_UNSETTLED_LIMIT: 'off',
    POSTHORN_INSTANCE_LIMIT: 'off',
    ...environment,
  }))
  const secret = (name: string) => readFileSync(join(data, name), 'utf8').trim()
  const ownKey = secret('admin.key')
  const post: Posthorn['post'] = async (path, body, expected, key = ownKey) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status !== expected) throw new Error(`${path} answered ${response.status}: ${text}`)
  }
  const call = caller(server.url, ownKey)
  return {
    ...server,
    data,
    environment,
    key: ownKey,
    post,
    async createInstances(wanted, names = instanceNames) {
      for (const name of names) {
        await post('/v1/instances', { name, network: 'sandbox' }, 201)
        if (wanted === 'stopped') await post(`/v1/instances/${name}/stop`, undefined, 202)
      }
    },
    call,
    async metric(name) {
      const headers = { authorization: `Bearer ${secret('metrics.token')}` }
      const text = await (await fetch(`${server.url}/metrics`, { headers })).text()
      const line = text.split('\n').find((line) => line.startsWith(`${name} `))
      return Number(line?.slice(name.length + 1) ?? 0)
    },
  }
}

function caller(url: string, key: string): Posthorn['call'] {
  return async (method, path, body, expected) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status !== expected) throw new Error(`${path} answered ${response.status}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

/** Creates another organization, and resolves with an admin key of it. */
export async function createOrganization({ data, environment }: Posthorn, name: string): Promise<string> {
  const settings = { ...environment, POSTHORN_DATA: data }
  const command = (...words: string[]) => runModule('../src/cli/posthorn.js', words, settings)
  await command('organizations', 'create', name)
  const said = await command('keys', 'create', '--organization', name, '--role', 'admin', '--json')
  const key = /phk_\w+/.exec(said)?.[0]
  if (!key) throw new Error(`no key was made: ${said}`)
  return key
}

/**
 * Waits until a metric has a value; throws when it does not come to it in time. `every`: how often it looks, in milliseconds. A look takes
 * the server some milliseconds of processor time.
 */
export async function untilMetric(
  posthorn: Posthorn,
  name: string,
  value: number,
  within = 60_000,
  every = 20,
): Promise<void> {
  const deadline = performance.now() + within
  while ((await posthorn.metric(name)) !== value) {
    if (performance.now() > deadline) throw new Error(`${name} did not become ${value}`)
    await wait(every)
  }
}

/** Counts the messages in the store by status, in the file itself and not by the server. */
export function countMessages(data: string): ReadonlyMap<string, number> {
  const database = new DatabaseSync(join(data, 'posthorn.db'), { readOnly: true })
  try {
    const rows = database.prepare('select status, count(*) as count from messages group by status').all()
    return new Map(rows.map(({ status, count }) => [seen({ status: Number(status) }).status, Number(count)]))
  } finally {
    database.close()
  }
}

/**
 * Returns the milliseconds from accepted to `sent` of each text that was accepted between two moments, the quickest first;
 * of one instance, if it is named. Infinite for a text that was not sent.
 */
export function sendingTimes(
  data: string,
  since: number,
  instance: string | null = null,
  until = Number.MAX_SAFE_INTEGER,
): readonly number[] {
  const database = new DatabaseSync(join(data, 'posthorn.db'), { readOnly: true })
  try {
    const rows = database
      .prepare(
        `select sent_after as ms from messages join message_instances on number = instance
        where kind = ${keptKind('text')} and created_at >= ?1 and created_at < ?2
        and (?3 is null or instance_name = ?3) order by ms nulls last`,
      )
      .all(since, until, instance)
    return rows.map(({ ms }) => (ms === null ? Number.POSITIVE_INFINITY : Number(ms)))
  } finally {
    database.close()
  }
}

export function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}
