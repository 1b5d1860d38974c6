import type { Observation } from '../../driver/observation.ts'
import { addressOf, isGroup } from '../address.ts'
import { ownIdFrom } from '../message-id.ts'

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

export type ReceiptObservation = Extract<Observation, { readonly kind: 'receipt' }>

/**
 * Returns the receipts for messages of this server. In a group, a receipt comes from the group: one of its people has the
 * message.
 */
export function receiptsIn({ attrs, items }: ReceiptStanza, own: OwnNames): ReceiptObservation[] {
  const { id = '', from = '', participant, type = '' } = attrs
  const state = Object.hasOwn(states, type) ? states[type] : undefined
  const conversation = addressOf(from)
  const confirming = addressOf(participant ?? from)
  if (state === undefined || conversation === null || confirming === null) return []
  if (!isGroup(conversation) && participant !== undefined && confirming !== conversation) return []
  // A receipt of another device of the account says nothing about the recipient.
  if (confirming === addressOf(own.number) || confirming === addressOf(own.lid ?? '')) return []
  const ids = new Set([id, ...items.slice(0, maxMessages)].map(ownIdFrom))
  return [...ids]
    .filter((ownId) => ownId !== null)
    .map((ownId) => ({ kind: 'receipt', network_message_id: ownId, from: conversation, state }))
}
