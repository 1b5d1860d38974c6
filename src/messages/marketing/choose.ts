import type { ContactEventData } from '../../contract/resources/event.ts'
import { appendEvents } from '../../events/journal.ts'
import { timestamp } from '../../runtime/clock.ts'
import {
  isForeign,
  type OfTurn,
  type StoreFunctions,
  type Transaction,
  transaction,
} from '../../store/store.ts'
import { noteContact } from '../contacts/contact-store.ts'
import { choicesAt, type KeptChoice, keepChoice } from '../contacts/marketing-choices.ts'

/** The person who said something about marketing, and the instance that they said it to. */
export interface ChoosingPerson {
  readonly instance: string
  readonly organization: string
  /** All addresses that are known of them, the most lasting first. */
  readonly addresses: readonly string[]
}

/**
 * Keeps what a person said about marketing, and appends its event if that is another choice than before. What is older than the choice
 * that is kept changes nothing: networks repeat what they tell, in any order.
 */
export async function choose(
  tx: Transaction,
  { instance, organization, addresses }: ChoosingPerson,
  chosen: KeptChoice,
  now: number,
): Promise<void> {
  const at = addresses.map((address) => ({ instance, address }))
  const before = (await choicesAt(tx, at))(at)
  if (before && before.changed_at > chosen.changed_at) return
  await keepChoice(tx, { instance, organization }, addresses, chosen)
  if (before?.choice === chosen.choice) return
  const owner = await tx.first(
    tx.sql.selectFrom('instances').select(['name', 'metadata']).where('id', '=', instance),
  )
  const [address = '', ...aliases] = addresses
  if (!owner) return
  const data: ContactEventData = {
    instance: { id: instance, name: owner.name, metadata: JSON.parse(owner.metadata) },
    contact: { address, aliases },
    by: chosen.source,
    at: timestamp(chosen.changed_at),
  }
  const type = chosen.choice === 'opted_out' ? 'contact.opted_out' : 'contact.opted_in'
  await appendEvents(tx, [{ organization, now, events: [{ type, instance: owner.name, data }] }])
}

interface RecordArgs extends OfTurn {
  readonly instanceId: string
  readonly address: string
  readonly chosen: KeptChoice
  readonly now: number
  /** Addresses of people that the organization may have; null for any number. */
  readonly limit: number | null
}

/** Keeps a choice that the network told of. An instance that is being removed keeps nothing. */
export const recordChoice = transaction(
  'marketing.choose',
  async (tx, args: RecordArgs): Promise<void> => {
    const { instanceId: instance, address, chosen, now, limit } = args
    const row = await tx.first(
      tx.sql
        .selectFrom('instances')
        .select('organization_id')
        .where('id', '=', instance)
        .where('wanted', '!=', 'removed'),
    )
    if (!row || isForeign(args, row.organization_id)) return
    const { organization_id: organization } = row
    const place = { instance, organization, limit }
    const known = await noteContact(tx, place, { addresses: [address], wroteAt: null }, now)
    const addresses = known.length > 0 ? known : [address]
    await choose(tx, { instance, organization, addresses }, chosen, now)
  },
  { isToldTurn: true },
)

export const choiceFunctions: StoreFunctions = { reads: [], transactions: [recordChoice] }
