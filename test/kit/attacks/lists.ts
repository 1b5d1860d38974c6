import { Attacker, type Attacking } from './attacker.ts'

/* Slow demands of an organization on the store: large pages, statistics, and cold queues. */

/** The longest text and labels that are taken, in letters that take three bytes: about 42 KB of each message. */
const longText = '語'.repeat(4096)
const longLabels = Object.fromEntries(
  Array.from({ length: 20 }, (_, number) => [`label-${number}`, '語'.repeat(500)]),
)
const nextWeek = () => new Date(Date.now() + 6 * 86_400_000).toISOString()

/** Fills an organization with messages that make as large a page as any, which wait for next week. */
export async function storeLargeTexts(attacking: Attacking, count: number): Promise<void> {
  const attacker = new Attacker(attacking)
  await attacker.createInstance('large')
  const body = {
    instance: 'large',
    to: 'ana@accepts.sandbox',
    text: longText,
    metadata: longLabels,
    send_at: nextWeek(),
  }
  await attacker.forEach(count, () => attacker.get('POST', '/v1/messages/text', 202, { body }))
  attacker.end()
}

/** A page of so many messages. */
export const pageOf = (messages: number) => `/v1/messages?limit=${messages}`

/** Lists large pages on so many connections of one key, without end. */
export function listLargePages(attacking: Attacking, path: string, connections: number): Attacker {
  const attacker = new Attacker(attacking, connections)
  attacker.keepAsking(() => attacker.ask('GET', path))
  return attacker
}

/** Fills an organization with short messages that wait for next week. */
export async function storeShortTexts(attacking: Attacking, count: number): Promise<void> {
  const attacker = new Attacker(attacking)
  await attacker.createInstance('short')
  const send_at = nextWeek()
  await attacker.forEach(count, (number) => {
    const body = { instance: 'short', to: `r${number}@accepts.sandbox`, text: 'Good morning', send_at }
    return attacker.get('POST', '/v1/messages/text', 202, { body })
  })
  attacker.end()
}

/** Creates keys, with which an organization is beyond the limit of any single one. */
export async function createKeys(attacking: Attacking, count: number): Promise<string[]> {
  const attacker = new Attacker(attacking)
  const keys = await attacker.createKeys(count)
  attacker.end()
  return keys
}

/** Lists messages with one key after the other; `texts` of ten calls send a text instead. */
export function callWithManyKeys(
  attacking: Attacking,
  keys: readonly string[],
  { connections, texts = 0 }: { readonly connections: number; readonly texts?: number },
): Attacker {
  const attacker = new Attacker(attacking, connections)
  attacker.keepAsking((number) => {
    const key = keys[number % keys.length] as string
    if (number % 10 >= texts) return attacker.ask('GET', '/v1/messages?limit=200', { key })
    const body = { instance: 'short', to: `t${number}@accepts.sandbox`, text: 'Hello', send_at: nextWeek() }
    return attacker.ask('POST', '/v1/messages/text', { key, body })
  })
  return attacker
}

/** The instances whose statistics are asked for together: as many as a key may be limited to for thirty days of hours. */
export const countedInstances = Array.from({ length: 27 }, (_, number) => `counted-${number}`)
const hours = 30 * 24
const hour = 3_600_000

/**
 * Statements for either store that give an organization statistics of every hour of the last thirty days, as if it and these
 * instances of it had been at work all the time.
 */
export function statisticsOf(organization: string, instances: readonly string[]): string[] {
  const first = Math.floor(Date.now() / hour) * hour - (hours - 1) * hour
  const latencies = Object.fromEntries(Array.from({ length: 40 }, (_, bucket) => [bucket + 20, 7]))
  const counts = JSON.stringify({
    ...{ accepted: 4711, sent: 4700, delivered: 4690, read: 4000, failed: 11, received: 900 },
    ...{ to_sent: latencies, to_delivered: latencies },
  })
  return ['', ...instances].map(
    (
      instance,
    ) => `with recursive hours (n) as (select 0 union all select n + 1 from hours where n < ${hours - 1})
      insert into statistics
        (organization_id, span, instance_name, starts_at, instances, queue_before, queue_after, counts)
      select id, 'hour', '${instance}', ${first} + cast(n as bigint) * ${hour}, ${instances.length}, 0, 0, '${counts}' from organizations, hours
      where name = '${organization}'`,
  )
}

/** A key that sees these instances only, so that their statistics are read one by one. */
export async function keyOfCounted(attacking: Attacking, instances: readonly string[]): Promise<string> {
  const attacker = new Attacker(attacking)
  for (const name of instances) await attacker.createInstance(name)
  const [key] = await attacker.createKeys(1, { instances })
  attacker.end()
  return key as string
}

/** Asks for the statistics of thirty days, hour by hour, with each of the keys in turn. */
export function askForStatistics(
  attacking: Attacking,
  keys: readonly string[],
  connections: number,
): Attacker {
  const attacker = new Attacker(attacking, connections)
  attacker.keepAsking((number) => {
    const from = new Date(Date.now() - (hours - 1) * hour).toISOString()
    const key = keys[number % keys.length] as string
    return attacker.ask('GET', `/v1/statistics?interval=hour&from=${from}`, { key })
  })
  return attacker
}

/** Queues that are long: the ids of their oldest messages, each queue's in its order, and keys with which to list them. */
export interface Queues {
  readonly keys: readonly string[]
  readonly oldest: readonly (readonly string[])[]
}

/** Makes long queues: stopped instances with so many texts each. Keys in turn, because each may make only so many calls. */
export async function fillQueues(
  attacking: Attacking,
  size: { readonly queues: number; readonly texts: number; readonly keys: number; readonly kept: number },
): Promise<Queues> {
  const attacker = new Attacker(attacking, 64)
  const keys = await attacker.createKeys(size.keys)
  const oldest: string[][] = []
  for (let queue = 0; queue < size.queues; queue++) {
    const instance = `queue-${queue}`
    await attacker.createInstance(instance, { stopped: true })
    const send = async (number: number) => {
      const key = keys[(queue * size.texts + number) % keys.length] as string
      const body = { instance, to: `q${number % 500}@accepts.sandbox`, text: 'Hello' }
      return (await attacker.get<{ id: string }>('POST', '/v1/messages/text', 202, { body, key })).id
    }
    const first: string[] = []
    for (let number = 0; number < size.kept; number++) first.push(await send(number))
    oldest.push(first)
    await attacker.forEach(size.texts - size.kept, (number) => send(size.kept + number))
  }
  attacker.end()
  return { oldest, keys }
}

/** Milliseconds between two removals of the oldest texts from the queues. */
const lostEvery = 50

/** Lists the instances without end, so many times at once, while all queues lose their oldest text again and again. */
export function listColdQueues(attacking: Attacking, { oldest, keys }: Queues, lists: number): Attacker {
  const attacker = new Attacker(attacking, lists)
  attacker.keepAsking((number) =>
    attacker.ask('GET', '/v1/instances', { key: keys[number % keys.length] as string }),
  )
  const canceler = new Attacker(attacking, oldest.length)
  const longest = Math.min(...oldest.map(({ length }) => length))
  const cancel = async () => {
    for (let round = 0; round < longest && !attacker.ended; round++) {
      const key = keys[round % keys.length] as string
      const ids = oldest.map((queue) => queue[round] as string)
      await Promise.all(ids.map((id) => canceler.ask('POST', `/v1/messages/${id}/cancel`, { key })))
      await new Promise((resolve) => setTimeout(resolve, lostEvery))
    }
  }
  void cancel()
    .catch(() => {})
    .finally(() => canceler.end())
  return attacker
}
