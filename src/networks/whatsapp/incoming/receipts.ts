import type { Observation } from '../../driver/observation.ts'
import { addressOf, isGroup } from '../address.ts'
import { ownIdFrom } from '../message-id.ts'
import { isMessageId, receivedIdOf } from './incoming-message.ts'

/** A receipt as it came, as plain data. */
export interface ReceiptStanza {
  readonly attrs: Readonly<Record<string, string | undefined>>
  /** The ids that it lists besides that in its attributes. */
  readonly items: readonly string[]
}

/** By which names WhatsApp knows the account; null for one that is not known. */
export interface OwnNames {
  readonly number: string
  readonly lid: string | null
}

/**
 * Status that each type gives to a message. Without a type, a device received it; `inactive` says the same of one whose
 * person is not at it, and `played` that a voice note was heard. Others are for clients: `retry`, `sender`, `peer_msg`,
 * `read-self`, `hist_sync`, `server-error`.
 */
const states: Readonly<Record<string, 'delivered' | 'read'>> = {
  '': 'delivered',
  inactive: 'delivered',
  read: 'read',
  played: 'read',
}

/** Messages that one receipt can confirm: the server puts some hundred together. */
const maxMessages = 1000

export type ReceiptObservation = Extract<Observation, { readonly kind: 'receipt' | 'read-elsewhere' }>

/**
 * Returns the receipts for messages of this server. In a group, a receipt comes from the group: one of its people has the
 * message.
 */
export function receiptsIn({ attrs, items }: ReceiptStanza, own: OwnNames): ReceiptObservation[] {
  const { id = '', from = '', participant, type = '' } = attrs
  const state = Object.hasOwn(states, type) ? states[type] : undefined
  const conversation = addressOf(from)
  const confirming = addressOf(participant ?? from)
  if (conversation === null || confirming === null) return []
  if (!isGroup(conversation) && participant !== undefined && confirming !== conversation) return []
  // A receipt of another device of the account says nothing about the recipient.
  if (confirming === addressOf(own.number) || confirming === addressOf(own.lid ?? ''))
    return readElsewhere({ attrs, items }, conversation)
  if (state === undefined) return []
  const ids = new Set([id, ...items.slice(0, maxMessages)].map(ownIdFrom))
  return [...ids]
    .filter((ownId) => ownId !== null)
    .map((ownId) => ({ kind: 'receipt', network_message_id: ownId, from: conversation, state }))
}

/** The digits at the end of the id of a received message, which name its author. */
const authorIn = /:([0-9]{1,20})$/

/**
 * Adds, to each message that was read elsewhere, what its id is if its author was told by another address. `otherOf` resolves with the LID of a
 * phone number, or the number of a LID, as WhatsApp names them; null if it is not known.
 */
export async function withOtherNames(
  receipts: readonly ReceiptObservation[],
  otherOf: (jid: string) => Promise<string | null>,
): Promise<ReceiptObservation[]> {
  const all: ReceiptObservation[] = []
  for (const receipt of receipts) {
    all.push(receipt)
    const { up_to: named = '' } = receipt.kind === 'read-elsewhere' ? receipt : {}
    const digits = authorIn.exec(named)?.[1]
    if (receipt.kind !== 'read-elsewhere' || digits === undefined) continue
    const other = (await otherOf(`${digits}@lid`)) ?? (await otherOf(`${digits}@s.whatsapp.net`))
    const address = addressOf(other ?? '')
    if (address === null || isGroup(address)) continue
    all.push({ ...receipt, up_to: receivedIdOf(named.slice(0, -digits.length - 1), address) })
  }
  return all
}

/** Types that say that the account read a message on its phone; with the second, the phone keeps that from its author. */
const readTypes = new Set(['read', 'read-self'])

/**
 * The messages that the account read elsewhere (`parseReceipt` of whatsmeow): in a group, `recipient` is their author, and else the other person. Messages
 * are stored by the id of their author, and whether that is the LID or the number depends on what WhatsApp told with them.
 */
function readElsewhere({ attrs, items }: ReceiptStanza, from: string): ReceiptObservation[] {
  const { id = '', type = '', recipient = '' } = attrs
  const author = addressOf(recipient)
  if (!readTypes.has(type) || author === null || isGroup(author)) return []
  const conversation = isGroup(from) ? from : author
  // The phone names several messages in their order.
  const ids = new Set([id, items.slice(0, maxMessages).at(-1) ?? id])
  return [...ids]
    .filter(isMessageId)
    .map((each) => ({ kind: 'read-elsewhere', conversation, up_to: receivedIdOf(each, author) }))
}
