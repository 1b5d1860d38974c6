import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { countArrivals } from '../../kit/crash/count-arrivals.ts'
import { type Line, PersistentSender } from '../../kit/crash/persistent-sender.ts'
import { Nodes } from '../../kit/nodes/nodes.ts'
import { create, eventually } from '../../kit/play.ts'
import { ManagedNode } from '../managed-node.ts'
import { PatroniCluster } from './patroni-cluster.ts'
import { type PatroniFault, patroniFaults } from './patroni-faults.ts'

/*
 * `npm run chaos:patroni -- --rounds 4`: three nodes on PostgreSQL that fails over, one of them through PgBouncer, while its primary
 * suffers each fault in turn. Exits with 1 if a text was lost, doubled or overtaken.
 */

const { values } = parseArgs({ options: { rounds: { type: 'string' }, kinds: { type: 'string' } } })
const kinds = (values.kinds?.split(',') ?? Object.keys(patroniFaults)) as PatroniFault[]
const rounds = Number(values.rounds ?? 1)
const say = (text: string) => process.stdout.write(`${text}\n`)

/** Milliseconds after which Patroni has noticed what happened to the primary. */
const noticedWithin = 8_000

const instanceNames = ['ana', 'ben', 'cem', 'dua', 'eli', 'fay']
const linesOf = (client: string): Line[] =>
  instanceNames.map((instance) => ({ instance, to: `${client}@accepts.sandbox`, patient: true }))

/** The longest time in which nothing was acknowledged, in milliseconds, while something happens. */
async function longestSilence(senders: readonly PersistentSender[], during: () => Promise<void>) {
  const count = () => senders.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0)
  let [known, at, longest] = [count(), performance.now(), 0]
  const look = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - at)
    if (count() === known) return
    known = count()
    at = now
  }, 50)
  await during()
  clearInterval(look)
  return Math.round(longest)
}

async function play(cluster: PatroniCluster): Promise<boolean> {
  const url = await cluster.createDatabase()
  const nodes = Nodes.at(url, { POSTHORN_NODE_LEASE_MS: '18000' })
  const pooled = cluster.pooledUrl(new URL(url).pathname.slice(1))
  const senders = new Map<string, PersistentSender>()
  const all: ManagedNode[] = []
  for (const [index, name] of ['one', 'two', 'three'].entries()) {
    const environment = index === 0 ? { POSTHORN_DATABASE_URL: pooled } : {}
    const onStart = () => senders.get(name)?.moveTo((all[index] as ManagedNode).door)
    all.push(await ManagedNode.start(nodes, name, { environment, networks: [], onStart }))
  }
  for (const [index, name] of instanceNames.entries())
    await create((all[index % all.length] as ManagedNode).process.admin, name, { account: name })
  for (const { name, door } of all) senders.set(name, new PersistentSender(door, linesOf(name)))
  let number = 0
  for (let round = 0; round < rounds; round++)
    for (const kind of kinds) {
      const place = await cluster.whole()
      const begun = performance.now()
      const silence = await longestSilence([...senders.values()], async () => {
        await patroniFaults[kind](cluster, place)
        await wait(noticedWithin)
        await cluster.whole()
      })
      const seconds = ((performance.now() - begun) / 1_000).toFixed(0)
      const ended = all.map(({ ends }) => ends.length).join(', ')
      say(
        `${++number} of ${rounds * kinds.length}: ${kind}: nothing acknowledged for ${silence} ms at most; whole after ${seconds} s; processes ended ${ended}`,
      )
    }
  await Promise.all([...senders.values()].map((sender) => sender.finish()))
  const acknowledged = [...senders.values()].flatMap((sender) => sender.acknowledged)
  const texts = new Set(acknowledged.map(({ text }) => text))
  await eventually(
    'everything to arrive',
    async () => nodes.arrived(),
    (arrived) => {
      const there = new Set(arrived.map(({ text }) => text))
      return [...texts].every((text) => there.has(text))
    },
  ).catch(() => {})
  const { repeats, ...broken } = countArrivals(acknowledged, nodes.arrived())
  say(`${acknowledged.length} acknowledged, ${nodes.arrived().length} arrived, ${repeats} of them repeated`)
  for (const [what, found] of Object.entries(broken))
    say(`${what}: ${found.length} ${found.slice(0, 20).join(', ')}`)
  for (const node of all) node.leave()
  await nodes.end()
  for (const { wires } of all) await wires.stop()
  return Object.values(broken).every(({ length }) => length === 0)
}

async function main(): Promise<number> {
  const why = PatroniCluster.whyNot()
  if (why !== null) {
    say(why)
    return 2
  }
  const cluster = await PatroniCluster.start()
  try {
    return (await play(cluster)) ? 0 : 1
  } finally {
    await cluster.stop()
  }
}

process.exitCode = await main()
