import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { isForKeys } from '../../../src/contract/operation.ts'
import { stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import { operations } from '../../../src/contract/operations.ts'
import { GroupedStore } from '../../../src/store/grouped-store.ts'
import type { Turn } from '../../../src/store/store.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { request, somethingOfEverything } from '../../kit/http/contract-request.ts'
import { type Neighbours, startNeighbours } from './looks.ts'

/*
 * Transactions are grouped over organizations, so each must keep to the organization that it is given, which is that of its turn. Before each
 * transaction in the turn of our organization, the same is performed with an id of the other one in place of each of ours: nothing of
 * theirs is returned, and nothing of it changes. Those that these requests do not meet are in `foreign-arguments.test.ts`.
 */

type Mutant = { readonly path: string; readonly args: unknown }

/** Returns the arguments once for each place in which something of ours stands, with that of theirs in it. */
function mutants(args: unknown, theirs: ReadonlyMap<unknown, unknown>, path = ''): Mutant[] {
  if (typeof args === 'string') return theirs.has(args) ? [{ path, args: theirs.get(args) }] : []
  if (typeof args !== 'object' || args === null || args instanceof Uint8Array) return []
  return Object.entries(args).flatMap(([key, value]) =>
    mutants(value, theirs, `${path}.${key}`).map(({ path: place, args: changed }) => ({
      path: place,
      args: Array.isArray(args) ? args.with(Number(key), changed) : { ...args, [key]: changed },
    })),
  )
}

/** The organizations that arguments name. */
const organizationsIn = (args: unknown) => JSON.stringify(args ?? null).match(/\borg_[0-9a-z]{26}\b/g) ?? []

let neighbours: Neighbours
/** Receives what is theirs at once: an attempt that fails would be repeated, and change their rows, at any later time. */
let receiver: WebhookReceiver
const { transact } = GroupedStore.prototype

before(async () => {
  receiver = await WebhookReceiver.start()
  neighbours = await startNeighbours({ POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' })
})
after(async () => {
  GroupedStore.prototype.transact = transact
  await neighbours?.posthorn.stop()
  await receiver?.stop()
})

/** The two organizations, and the ids of what is ours with those of theirs. */
interface Pairs {
  readonly own: string
  readonly other: string
  readonly ids: ReadonlyMap<unknown, unknown>
}

/** Gives the other organization something of everything, which then rests, and pairs it with ours. */
async function pair({ posthorn, ours, keys }: Neighbours, database: DatabaseSync): Promise<Pairs> {
  const them = posthorn.client(keys.foreign)
  const theirs = await somethingOfEverything({ ...posthorn, admin: them }, 'theirs', receiver.url)
  await them.call(stopInstance, { params: { name: 'theirs' }, waitSeconds: 10 })
  const idIn = (table: string, column: string, value: string) =>
    String(database.prepare(`select id from ${table} where ${column} = ?`).get(value)?.id)
  const [own, other] = [idIn('organizations', 'name', 'default'), idIn('organizations', 'name', 'neighbour')]
  const isQuiet = database.prepare(
    `select 1 from organizations where id = ? and last_fanned_out = last_event and last_counted = last_event
      and not exists (select 1 from deliveries where organization_id = organizations.id and status = 'pending')`,
  )
  while (!isQuiet.get(other)) await wait(50)
  const ids = new Map<unknown, unknown>([
    ...(['instance', 'id', 'key', 'webhook', 'delivery', 'event'] as const).map(
      (name) => [ours[name], theirs[name]] as const,
    ),
    ...['instances', 'media'].map(
      (table) => [idIn(table, 'organization_id', own), idIn(table, 'organization_id', other)] as const,
    ),
  ])
  return { own, other, ids }
}

/** Returns a function that reads all rows of theirs. An entry of our audit log may name anything. */
function rowsOf({ own, other, ids }: Pairs, database: DatabaseSync): () => Set<string> {
  const marks = [other, ...[...ids.values()].map(String)]
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all()
  const all = tables.map(({ name }) => database.prepare(`select '${name}' as "table", * from ${name}`))
  return () => {
    const rows = all.flatMap((each) => each.all().map((row) => JSON.stringify(row)))
    return new Set(rows.filter((row) => marks.some((mark) => row.includes(mark)) && !row.includes(own)))
  }
}

test('what callers have stored keeps to their organization, with a foreign id in every argument', async () => {
  const { posthorn, ours, keys } = neighbours
  const database = new DatabaseSync(join(posthorn.data, 'posthorn.db'), { readOnly: true })
  const pairs = await pair(neighbours, database)
  const theirRows = rowsOf(pairs, database)
  const leaks = new Set<string>()
  let tried = 0
  const attacked = async function (this: GroupedStore, transaction: never, args: never, turn?: Turn) {
    const { name } = transaction as { name: string }
    if (turn?.party.startsWith('org_'))
      for (const named of organizationsIn(args)) if (named !== turn.party) leaks.add(`${name} names ${named}`)
    for (const mutant of turn?.party === pairs.own ? mutants(args, pairs.ids) : []) {
      tried++
      const before = theirRows()
      const result = await transact
        .call(this, transaction, mutant.args as never, turn)
        .catch((error: Error) => `threw ${error.message}`)
      const told = JSON.stringify(result) ?? ''
      if (told.includes(pairs.other)) leaks.add(`${name}${mutant.path} returns ${told}`)
      for (const row of theirRows().symmetricDifference(before))
        leaks.add(`${name}${mutant.path} changes ${row}`)
    }
    return transact.call(this, transaction, args, turn)
  }
  GroupedStore.prototype.transact = attacked as typeof transact
  const isLast = ({ method, id }: { method: string; id: string }) =>
    Number(method === 'DELETE' || /^(revoke|logOut)/.test(id))
  const asked = operations.filter(({ access }) => isForKeys(access)).toSorted((a, b) => isLast(a) - isLast(b))
  for (const operation of asked) await request(posthorn, operation, ours, `Bearer ${keys.admin}`)
  GroupedStore.prototype.transact = transact
  database.close()
  assert.deepEqual([...leaks], [])
  assert.ok(tried > 50, `${tried}`)
})
