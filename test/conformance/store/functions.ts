import { sql as raw } from 'kysely'
import { nodeFunctions, stillRun } from '../../../src/nodes/node-store.ts'
import { type Compilable, statement } from '../../../src/store/statement.ts'
import {
  briefRead,
  type Reader,
  read,
  type StoreFunctions,
  type Transaction,
  transaction,
} from '../../../src/store/store.ts'
import { setFunctions } from './set-functions.ts'
import { type Thing, things } from './things.ts'

const columns = ['name', 'amount', 'at', 'note', 'data'] as const

/** A thing of which only the name matters. */
export function thing(name: string, rest: Partial<Thing> = {}): Thing {
  return { name, amount: null, at: null, note: null, data: null, ...rest }
}

/** SQL text for the present database, unknown to Kysely. */
function sentence<Row>(context: Reader, query: ReturnType<typeof raw<Row>>): Compilable<Row> {
  return { compile: () => query.compile(context.sql) }
}

/** Becomes the owner of the tables until the transaction ends; returns the role in which PostgreSQL performs it otherwise. */
async function becomeOwner(tx: Transaction): Promise<string | undefined> {
  if (tx.dialect.name === 'sqlite') return undefined
  const role = await tx.first(sentence(tx, raw<{ name: string }>`select quote_ident(current_user) as name`))
  await tx.run(sentence(tx, raw`reset role`))
  return role?.name
}

export const createThings = transaction('create-things', async (tx, _: null) => {
  const role = await becomeOwner(tx)
  await tx.run(
    tx.sql.schema
      .createTable('things')
      .addColumn('seq', tx.dialect.sequence, (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('amount', 'integer')
      .addColumn('at', 'bigint')
      .addColumn('note', 'text')
      .addColumn('data', tx.dialect.bytes === 'blob' ? 'blob' : 'bytea'),
  )
  if (role) await tx.run(sentence(tx, raw`grant all on things, things_seq_seq to ${raw.raw(role)}`))
})

const insertThing = statement<Thing>()((sql, argument) =>
  things(sql)
    .insertInto('things')
    .values({
      name: argument('name'),
      amount: argument('amount'),
      at: argument('at'),
      note: argument('note'),
      data: argument('data'),
    }),
)

const thingByName = statement<{ name: string }>()((sql, argument) =>
  things(sql).selectFrom('things').select(columns).where('name', '=', argument('name')),
)

/** Writes through a statement that is compiled once. */
export const putThing = transaction('put-thing', (tx, it: Thing) => tx.run(insertThing, it))

/** Writes through a query that Kysely compiles each time, and returns the row as the database has it. */
export const putThingAdHoc = transaction('put-thing-ad-hoc', (tx, it: Thing) =>
  tx.first(things(tx.sql).insertInto('things').values(it).returning(columns)),
)

export const putPair = transaction('put-pair', async (tx, { first, second }: Record<string, string>) => {
  await tx.run(insertThing, thing(first as string))
  await tx.run(insertThing, thing(second as string))
})

export const putAndThrow = transaction(
  'put-and-throw',
  async (tx, args: { name: string; message: string }) => {
    await tx.run(insertThing, thing(args.name))
    throw new Error(args.message)
  },
)

/** Writes one row, meets an error on a second one, and behaves as if nothing had happened. */
export const putAndSwallow = transaction(
  'put-and-swallow',
  async (tx, args: { name: string; taken: string }) => {
    await tx.run(insertThing, thing(args.name))
    await tx.run(insertThing, thing(args.taken)).catch(() => {})
  },
)

/** Writes a row and announces its name; then throws, if told to. */
export const putAndAnnounce = transaction(
  'put-and-announce',
  async (tx, { name, fault }: { name: string; fault?: string }) => {
    await tx.run(insertThing, thing(name))
    tx.announce(name)
    if (fault !== undefined) throw new Error(fault)
  },
)

/** Announces what it would have written, and collides with what is there. */
export const announceAndPut = transaction('announce-and-put', async (tx, { name }: { name: string }) => {
  tx.announce(name)
  await tx.run(insertThing, thing(name))
})

/** Makes an organization, whose row calls in its turn lock. */
export const insertOrganization = transaction('insert-organization', async (tx, { id }: { id: string }) => {
  await tx.run(tx.sql.insertInto('organizations').values({ id, name: id, created_at: 0 }))
})

export const addToAmount = transaction('add-to-amount', async (tx, { name }: { name: string }) => {
  const row = await tx.first(thingByName, { name })
  const amount = (row?.amount ?? 0) + 1
  await tx.run(things(tx.sql).updateTable('things').set({ amount }).where('name', '=', name))
})

export const thingNamed = read('thing-named', (reader, args: { name: string }) =>
  reader.first(thingByName, args),
)

export const thingNamedAdHoc = read('thing-named-ad-hoc', (reader, { name }: { name: string }) =>
  reader.first(things(reader.sql).selectFrom('things').select(columns).where('name', '=', name)),
)

export const thingNames = read('thing-names', async (reader, _: null) => {
  const rows = await reader.all(things(reader.sql).selectFrom('things').select('name').orderBy('seq'))
  return rows.map(({ name }) => name)
})

/** Values that the databases compute, which they type differently by themselves. */
export const reckon = read('reckon', (reader, _: null) =>
  reader.first(
    things(reader.sql)
      .selectFrom('things')
      .select(({ fn, exists, selectFrom }) => [
        fn.countAll().as('count'),
        fn.sum('at').as('sum'),
        fn.max('at').as('max'),
        exists(selectFrom('things').select('seq')).as('any'),
        reader.dialect.now.as('now'),
      ]),
  ),
)

export const echoRead = read('echo-read', async (_, value: unknown) => value)
export const echoBriefly = briefRead('echo-briefly', async (_, value: unknown) => value)
export const echoTransaction = transaction('echo-transaction', async (_, value: unknown) => value)
export const throwRead = read('throw-read', async (_, message: string) => {
  throw new Error(message)
})
export const returnFunction = transaction(
  'return-function',
  async (_, __: null): Promise<unknown> =>
    () =>
      1,
)

/** A read that writes, past its type. */
export const writingRead = read('writing-read', (reader, it: Thing) =>
  reader.all(things(reader.sql).insertInto('things').values(it).returning('name')),
)

/** Executes a sentence and returns its rows: how tests reach what no function of Posthorn asks for. */
export const ask = read('ask', (reader, text: string) =>
  reader.all(sentence(reader, raw<Record<string, unknown>>`${raw.raw(text)}`)),
)
export const tell = transaction('tell', (tx, text: string) => tx.all(sentence(tx, raw`${raw.raw(text)}`)))

/** The same with the rights of the owner of the tables. */
export const tellAsOwner = transaction('tell-as-owner', async (tx, text: string) => {
  await becomeOwner(tx)
  return tx.all(sentence(tx, raw`${raw.raw(text)}`))
})

/** Keeps the store busy, and everybody who waits for it. */
export const spin = transaction('spin', async (_, { milliseconds }: { milliseconds: number }) => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
})

/** Writes a row, then executes a sentence in the same transaction. */
export const putAndTell = transaction('put-and-tell', async (tx, args: { name: string; text: string }) => {
  await tx.run(insertThing, thing(args.name))
  await tx.all(sentence(tx, raw`${raw.raw(args.text)}`))
})

/** Writes a row, waits in the open transaction for the test, and writes no more; only where functions run in this process. */
export const putAndWait = transaction(
  'put-and-wait',
  async (tx, args: { name: string; wait: () => Promise<unknown> }) => {
    await tx.run(insertThing, thing(args.name))
    await args.wait()
  },
)

export const functions: StoreFunctions = {
  reads: [
    ...nodeFunctions.reads,
    thingNamed,
    thingNamedAdHoc,
    thingNames,
    reckon,
    echoRead,
    echoBriefly,
    throwRead,
    writingRead,
    ask,
    ...setFunctions.reads,
  ] as unknown as StoreFunctions['reads'],
  transactions: [
    createThings,
    putThing,
    putThingAdHoc,
    putPair,
    putAndThrow,
    putAndSwallow,
    putAndAnnounce,
    announceAndPut,
    addToAmount,
    insertOrganization,
    echoTransaction,
    returnFunction,
    tell,
    tellAsOwner,
    spin,
    putAndTell,
    putAndWait,
    ...nodeFunctions.transactions,
    ...setFunctions.transactions,
  ] as unknown as StoreFunctions['transactions'],
  fence: stillRun,
}
