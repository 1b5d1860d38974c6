import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startOwnPostgres } from '../test/kit/postgres.ts'
import { type Bench, type Figure, median, perSecond, type Row } from './figure.ts'
import { sendTexts } from './load.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'
import { processorTime, processorTimeOfFamily } from './processor.ts'

const rounds = 4
const seconds = 3
const counts = [1, 2, 3]
const masterKey = '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef'

/** Cost and rate of the texts that all nodes together accepted. Times are microseconds of a text. */
interface Accepted {
  readonly perSecond: number
  readonly ofNodes: number
  readonly ofStore: number
}

/**
 * Measures how many texts one, two and three nodes on one database accept, in turns: all of one organization, and of one for each node.
 * Every node has 64 connections.
 */
export const nodes: Figure = {
  name: 'nodes',
  onlyByName: true,
  async measure(bench) {
    const started = await startOwnPostgres({ shared_buffers: '128MB', max_connections: '200' })
    if (!started.available) throw new Error(started.reason)
    const { server } = started
    const storeTime = async () => {
      const others = 'select pid from pg_stat_activity where pid <> pg_backend_pid()'
      return processorTimeOfFamily((await server.query<{ pid: number }>(others)).map(({ pid }) => pid))
    }
    const clusters = await Promise.all(
      counts.map(async (count) => startNodes(bench, count, await server.createDatabase())),
    )
    try {
      const rows: Row[] = []
      for (const whose of ['one', 'each'] as const) {
        for (const cluster of clusters) await loaded(cluster, whose, storeTime)
        const measured: Accepted[][] = []
        for (let round = 1; round <= rounds; round++) {
          const inTurns: Accepted[] = []
          for (const cluster of clusters) inTurns.push(await loaded(cluster, whose, storeTime))
          measured.push(inTurns)
          bench.note(
            `${whose}, round ${round}: ${inTurns.map(({ perSecond: rate }) => perSecond(rate)).join(', ')}`,
          )
        }
        rows.push(...rowsOf(whose, measured))
      }
      return rows
    } finally {
      await Promise.all(clusters.flat().map(({ node }) => node.end()))
      await server.stop()
    }
  },
}

/** A node with the keys of two organizations: the one that all nodes serve, and one that only this one does. */
interface LoadedNode {
  readonly node: Posthorn
  readonly keys: { readonly one: string; readonly each: string }
}

async function startNodes({ folder }: Bench, count: number, url: string): Promise<LoadedNode[]> {
  const started: LoadedNode[] = []
  const operatorToken = 'o'.repeat(40)
  for (let index = 0; index < count; index++) {
    const data = join(folder, `nodes-${count}-${index}`)
    const [first] = started
    if (first) {
      mkdirSync(data, { recursive: true })
      writeFileSync(join(data, 'admin.key'), first.keys.one, { mode: 0o600 })
    }
    const node = await startPosthorn(data, {
      POSTHORN_DATABASE_URL: url,
      POSTHORN_MASTER_KEY: masterKey,
      POSTHORN_OPERATOR_TOKEN: operatorToken,
    })
    if (!first) await node.createInstances('stopped')
    started.push({ node, keys: { one: node.key, each: await organizationOf(node, operatorToken, index) } })
  }
  return started
}

/** Makes an organization with the instances that the load sends through, and returns its key. */
async function organizationOf(node: Posthorn, operatorToken: string, index: number): Promise<string> {
  const ask = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' }
    const response = await fetch(node.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await response.text()
    if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }
  const name = `organization-${index}`
  await ask('/v1/organizations', { name })
  const { key } = await ask(`/v1/organizations/${name}/keys`, { name: 'Load', role: 'admin' })
  for (let number = 0; number < 8; number++) {
    await node.post('/v1/instances', { name: `load-${number}`, network: 'sandbox' }, 201, key)
    await node.post(`/v1/instances/load-${number}/stop`, undefined, 202, key)
  }
  return key
}

async function loaded(
  cluster: readonly LoadedNode[],
  whose: keyof LoadedNode['keys'],
  storeTime: () => Promise<number>,
): Promise<Accepted> {
  const nodesTime = () => cluster.reduce((sum, { node }) => sum + processorTime(node.pid), 0)
  const before = { nodes: nodesTime(), store: await storeTime() }
  const loads = await Promise.all(
    cluster.map(({ node, keys }) => sendTexts({ url: node.url, key: keys[whose], seconds })),
  )
  const accepted = loads.reduce((sum, load) => sum + load.accepted, 0)
  return {
    perSecond: loads.reduce((sum, load) => sum + load.perSecond, 0),
    ofNodes: (nodesTime() - before.nodes) / accepted,
    ofStore: ((await storeTime()) - before.store) / accepted,
  }
}

function rowsOf(whose: 'one' | 'each', measured: readonly (readonly Accepted[])[]): Row[] {
  const of = (index: number, pick: (accepted: Accepted) => number) =>
    median(measured.map((inTurns) => pick(inTurns[index] as Accepted)))
  const rates = counts.map((_, index) => of(index, ({ perSecond: rate }) => rate))
  const organizations = whose === 'one' ? 'one organization' : 'an organization each'
  return counts.map((count, index) => {
    const times = [of(index, ({ ofNodes }) => ofNodes), of(index, ({ ofStore }) => ofStore)]
    const [ofNodes, ofStore] = times.map((time) => `${time.toFixed(0)} µs`)
    return {
      figure: `${count} ${count === 1 ? 'node' : 'nodes'}, ${organizations}: ${ofNodes} of the nodes, ${ofStore} of PostgreSQL`,
      measured: perSecond(rates[index] ?? Number.NaN),
      baseline: perSecond(rates[0] ?? Number.NaN),
      ratio: ((rates[index] ?? Number.NaN) / (rates[0] ?? Number.NaN)).toFixed(2),
    }
  })
}
