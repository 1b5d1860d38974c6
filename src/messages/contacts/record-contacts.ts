import { statement } from '../../store/statement.ts'
import {
  isForeign,
  type OfTurn,
  type StoreFunctions,
  type Transaction,
  transaction,
} from '../../store/store.ts'
import { isNamed, type NetworkIds, networkIdsIn, withInstance } from '../message.ts'
import type { ContactTold } from './contact.ts'
import { aliasesOf, noteContact } from './contact-store.ts'

/** The network's report of a person apart from a message of theirs. */
export interface ContactNews {
  readonly told: ContactTold
  /**
   * The network id of the message to this person that the report came with: the report is not believed if the account sent
   * them no such message.
   */
  readonly aboutMessage?: string | undefined
  /** When it came, in milliseconds since the epoch. */
  readonly at: number
}

interface RecordArgs extends OfTurn {
  readonly instanceId: string
  /** In the order in which they came. */
  readonly contacts: readonly ContactNews[]
  /** Addresses that the organization may have; null for any number. */
  readonly limit: number | null
}

/** Keeps what the network told of people, apart from messages of theirs. An instance that is being removed keeps nothing. */
export const recordContacts = transaction(
  'contacts.record',
  async (tx, args: RecordArgs) => {
    const { instanceId, contacts, limit } = args
    const instance = await tx.first(
      tx.sql
        .selectFrom('instances')
        .select('organization_id')
        .where('id', '=', instanceId)
        .where('wanted', '!=', 'removed'),
    )
    if (!instance || isForeign(args, instance.organization_id)) return
    const place = { instance: instanceId, organization: instance.organization_id, limit }
    for (const { told, aboutMessage, at } of contacts) {
      const isCredible = aboutMessage === undefined || (await wasSentTo(tx, instanceId, told, aboutMessage))
      if (isCredible) await noteContact(tx, place, told, at)
    }
  },
  { isToldTurn: true },
)

const selectRecipient = statement<NetworkIds & { instance: string }>()((sql, argument) =>
  withInstance(sql)
    .select('recipient')
    .where('instance_id', '=', argument('instance'))
    .where(isNamed(argument))
    .where('incoming', '=', 0),
)

/** Resolves with true if the message was sent to one of the addresses, or to another one of the same person. */
async function wasSentTo(
  tx: Transaction,
  instance: string,
  { addresses }: ContactTold,
  message: string,
): Promise<boolean> {
  const sent = await tx.first(selectRecipient, { instance, ...networkIdsIn(message) })
  if (!sent) return false
  if (addresses.includes(sent.recipient)) return true
  const aliases = await aliasesOf(tx, { instance, address: sent.recipient })
  return addresses.some((address) => aliases.includes(address))
}

export const recordContactFunctions: StoreFunctions = { reads: [], transactions: [recordContacts] }
