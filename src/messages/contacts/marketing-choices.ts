import { hash } from 'node:crypto'
import type { RowOf } from '../../store/schema.ts'
import { batchOf, batchStatement, statement } from '../../store/statement.ts'
import type { Reader, Transaction } from '../../store/store.ts'

/*
 * What people said about marketing, by digests of their addresses: it outlives what is known of them (docs/decisions/0095).
 */

/** Addresses of one instance with a choice, at most. What people say beyond that is told as an event, and not kept. */
export const maxChoices = 200_000

/** A choice as it is kept. */
export type KeptChoice = Pick<RowOf<'marketing_choices'>, 'choice' | 'source' | 'changed_at'>

/** An address of a person, as an instance knows it. */
interface Spoken {
  readonly instance: string
  readonly address: string
}

/** The instance that a person said it to. */
export interface ChoicePlace {
  readonly instance: string
  readonly organization: string
}

/** A digest of an address at an instance, of 128 bits: so that it stands for no other. */
function digestOf({ instance, address }: Spoken): Uint8Array {
  return hash('sha256', `${instance}\n${address}`, 'buffer').subarray(0, 16)
}

const nameOf = (instance: string, digest: Uint8Array) => `${instance} ${Buffer.from(digest).toString('hex')}`

const place = { instance: 'text', digest: 'bytes' } as const

const selectChoice = batchStatement<{ instance: string; digest: Uint8Array }>(place)((sql, given) =>
  sql
    .selectFrom('marketing_choices')
    .select(['instance_id', 'digest', 'choice', 'source', 'changed_at'])
    .where('instance_id', '=', given('instance'))
    .where('digest', '=', given('digest')),
)

/** Looks for what was said under these addresses, in one statement; the function that it resolves with finds the newest of some. */
export async function choicesAt(
  reader: Reader,
  addresses: readonly Spoken[],
): Promise<(some: readonly Spoken[]) => KeptChoice | undefined> {
  const asked = addresses.map((at) => ({ instance: at.instance, digest: digestOf(at) }))
  const rows = asked.length === 0 ? [] : await reader.allForEach(selectChoice, asked)
  const found = new Map(rows.map((row) => [nameOf(row.instance_id, row.digest), row]))
  return (some) => {
    const own = some.flatMap((at) => found.get(nameOf(at.instance, digestOf(at))) ?? [])
    return own.reduce<KeptChoice | undefined>(
      (newest, one) => (newest && newest.changed_at >= one.changed_at ? newest : one),
      undefined,
    )
  }
}

const insertChoice = batchOf('marketing_choices', [
  'instance_id',
  'organization_id',
  'digest',
  'choice',
  'source',
  'changed_at',
])((sql, row) => sql.insertInto('marketing_choices').values(row))

const changeChoice = batchOf('marketing_choices', [
  'instance_id',
  'digest',
  'choice',
  'source',
  'changed_at',
])((sql, { instance_id, digest, ...change }) =>
  sql
    .updateTable('marketing_choices')
    .set(change)
    .where('instance_id', '=', instance_id)
    .where('digest', '=', digest),
)

const removeChoice = batchStatement<{ instance: string; digest: Uint8Array }>(place)((sql, given) =>
  sql
    .deleteFrom('marketing_choices')
    .where('instance_id', '=', given('instance'))
    .where('digest', '=', given('digest'))
    .returning('instance_id'),
)

const selectCount = statement<{ instance: string }>()((sql, argument) =>
  sql.selectFrom('instances').select('marketing_choices as count').where('id', '=', argument('instance')),
)

const addToCount = statement<{ instance: string; by: number }>()((sql, argument) =>
  sql
    .updateTable('instances')
    .set((eb) => ({ marketing_choices: eb('marketing_choices', '+', argument('by')) }))
    .where('id', '=', argument('instance')),
)

/** Keeps a choice for these addresses of one person. */
export async function keepChoice(
  tx: Transaction,
  { instance, organization }: ChoicePlace,
  addresses: readonly string[],
  choice: KeptChoice,
): Promise<void> {
  const digests = addresses.map((address) => digestOf({ instance, address }))
  const known = await tx.allForEach(
    selectChoice,
    digests.map((digest) => ({ instance, digest })),
  )
  const isKnown = new Set(known.map(({ digest }) => nameOf(instance, digest)))
  const { count } = (await tx.first(selectCount, { instance })) ?? { count: maxChoices }
  const rows = digests.map((digest) => ({ instance_id: instance, digest, ...choice }))
  const [present, absent] = [true, false].map((known) =>
    rows.filter(({ digest }) => isKnown.has(nameOf(instance, digest)) === known),
  )
  const added = (absent ?? []).slice(0, Math.max(0, maxChoices - count))
  await tx.runForEach(changeChoice, present ?? [])
  await tx.runForEach(
    insertChoice,
    added.map((row) => ({ ...row, organization_id: organization })),
  )
  if (added.length > 0) await tx.run(addToCount, { instance, by: added.length })
}

/** Addresses that turned out to be those of one person, and of these the ones that were another person's before. */
export interface JoinedAddresses {
  readonly addresses: readonly string[]
  readonly taken: readonly string[]
}

/** Lets a choice count for all addresses of its person, as the network tells them; an address that passed to another person takes none along. */
export async function carryChoice(
  tx: Transaction,
  { instance, organization }: ChoicePlace,
  { addresses, taken }: JoinedAddresses,
): Promise<void> {
  const at = (address: string) => ({ instance, address })
  const kept = addresses.filter((address) => !taken.includes(address))
  const newest = (await choicesAt(tx, addresses.map(at)))(kept.map(at))
  if (taken.length > 0) {
    const digests = taken.map((address) => ({ instance, digest: digestOf(at(address)) }))
    const removed = await tx.allForEach(removeChoice, digests)
    if (removed.length > 0) await tx.run(addToCount, { instance, by: -removed.length })
  }
  if (newest) {
    const { choice, source, changed_at } = newest
    await keepChoice(tx, { instance, organization }, addresses, { choice, source, changed_at })
  }
}
