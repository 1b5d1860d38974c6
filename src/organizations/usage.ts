import { type QuotaName, quotaNames } from '../contract/statuses.ts'
import { statement } from '../store/statement.ts'
import { read, type StoreFunctions, type Transaction } from '../store/store.ts'

/*
 * The usage of an organization is in its row, and changes in the same transactions as the data: most of them write the row
 * anyway, for the number of an event. `unsettled_messages`, and the change of `stored_bytes`, go with the events
 * (`events/journal.ts`), and waiting callbacks with their rows (`instances/callbacks`).
 */

export type Usage = Readonly<Record<QuotaName, number>>

/** The most that an organization may use of each quota; null if unlimited. */
export type QuotaUsage = Readonly<Record<QuotaName, number | null>>

const addUsage = statement<{ organization: string; bytes: number; stored: number; incoming: number }>()(
  (sql, argument) =>
    sql
      .updateTable('organizations')
      .set((eb) => ({
        file_bytes: eb('file_bytes', '+', argument('bytes')),
        stored_bytes: eb('stored_bytes', '+', argument('stored')),
        incoming_messages: eb('incoming_messages', '+', argument('incoming')),
      }))
      .where('id', '=', argument('organization')),
)

/** Counts what a transaction adds to what an organization uses, or takes from it. */
export async function changeUsage(
  tx: Transaction,
  organization: string,
  {
    file_bytes: bytes = 0,
    stored_bytes: stored = 0,
    incoming_messages: incoming = 0,
  }: Partial<Pick<Usage, 'file_bytes' | 'stored_bytes' | 'incoming_messages'>>,
): Promise<void> {
  if (bytes !== 0 || stored !== 0 || incoming !== 0)
    await tx.run(addUsage, { organization, bytes, stored, incoming })
}

const columns = quotaNames

const selectUsage = statement<{ organization: string }>()((sql, argument) =>
  sql.selectFrom('organizations').select(columns).where('id', '=', argument('organization')),
)

export const nothingUsed: Usage = {
  file_bytes: 0,
  stored_bytes: 0,
  unsettled_messages: 0,
  incoming_messages: 0,
  waiting_callbacks: 0,
  waiting_callback_bytes: 0,
}

/** Returns the usage of an organization. */
export const readUsage = read(
  'usage.read',
  async (reader, args: { organization: string }): Promise<Usage> => {
    return (await reader.first(selectUsage, args)) ?? nothingUsed
  },
)

/** As the database has it: PostgreSQL writes large sums as text. */
type Sum = number | string | null

/**
 * Returns the usage of all organizations together, and the number of them that have nothing left of each quota, for the
 * metrics.
 */
export const readUsageTotals = read('usage.totals', async (reader, quotas: QuotaUsage) => {
  // Added up by the database: ten thousand rows take a tenth of a second, their sums a millisecond or two.
  const row = await reader.first(
    reader.sql.selectFrom('organizations').select((eb) =>
      columns.flatMap((name) => [
        eb.fn.sum<Sum>(name).as(name),
        eb.fn
          .countAll<number | string>()
          .filterWhere(name, '>=', quotas[name] ?? Number.MAX_SAFE_INTEGER)
          .as(`${name}_exhausted`),
      ]),
    ),
  )
  const found = (row ?? {}) as Readonly<Record<string, Sum>>
  const all = (suffix: string) =>
    Object.fromEntries(columns.map((name) => [name, Number(found[name + suffix] ?? 0)])) as Usage
  return { totals: all(''), exhausted: all('_exhausted') }
})

/** True if an organization has nothing left of a quota. */
export function isExhausted(usage: Usage, quotas: QuotaUsage, name: QuotaName): boolean {
  const limit = quotas[name]
  return limit !== null && usage[name] >= limit
}

export const usageFunctions: StoreFunctions = { reads: [readUsage, readUsageTotals], transactions: [] }
