import type { MarketingChoiceMade } from '../../driver/account-news.ts'
import type { ContactKnown, Observation, Restriction } from '../../driver/observation.ts'
import { eachObjectIn, integerIn, type Json, textIn } from '../../kit/json.ts'
import { returnedError } from '../errors.ts'
import { graphCode } from '../graph/graph-codes.ts'
import { restrictionOf } from '../graph/restrictions.ts'
import { addressesIn, addressOf, contactIn } from '../people.ts'
import { isMessageId } from '../sending/sender.ts'
import { timeIn } from './notifications.ts'

/** Our ids of messages, as `OutgoingMessage.id` has them. */
const ownId = /^[0-9a-z]{26}$/

/**
 * Returns the observation in a status of a message; null if it cannot be read. The id that Posthorn gave the message comes
 * back in it, so the message is found even if the answer to its attempt was lost, or is still to come. Statuses come in any
 * order, and more than once.
 */
export function observationIn(status: Json): Observation | null {
  const named = messageIn(status)
  if (named === null) return null
  switch (status.status) {
    case 'sent':
      return { kind: 'message-acknowledged', ...named }
    case 'delivered':
      return { kind: 'receipt', ...named, from: null, state: 'delivered' }
    case 'read':
    // A voice note was played.
    case 'played':
      return { kind: 'receipt', ...named, from: null, state: 'read' }
    case 'failed': {
      // Others of the group may have it.
      if (participants.some((name) => textIn(status, name) !== null)) return null
      return { kind: 'message-returned', ...named, from: null, error: returnedError(codeIn(status)) }
    }
    default:
      return null
  }
}

/** By what a status of a message to a group names the member whom it is about: the reference has two words for it. */
const participants = ['recipient_participant_id', 'participant_recipient_id', 'recipient_participant_user_id']

function messageIn(status: Json): { network_message_id: string; assigned_id?: string } | null {
  const assigned = textIn(status, 'id')
  if (assigned === null || !isMessageId(assigned)) return null
  const own = textIn(status, 'biz_opaque_callback_data')
  return own !== null && ownId.test(own)
    ? { network_message_id: own, assigned_id: assigned }
    : { network_message_id: assigned }
}

const recipientNames = {
  user: 'recipient_user_id',
  parent: 'recipient_parent_user_id',
  phone: 'recipient_id',
}

/** By which addresses a status knows the recipient of its message; null if that says nothing. */
export function recipientKnown(status: Json): ContactKnown | null {
  // Of a message to a group, it may name the group and one of its people.
  const named = status.recipient_type === 'group' ? null : messageIn(status)
  const contact = named && contactIn(status, recipientNames)
  return contact && { ...contact, with_message: named.network_message_id }
}

/** The restriction of the account for which a message failed, as after an attempt; null if there is none. */
export function restrictionIn(status: Json, now: number): Restriction | null {
  const code = status.status === 'failed' ? codeIn(status) : null
  const effect = code === null ? undefined : graphCode(code)?.effect
  if (typeof effect !== 'object' || !('restriction' in effect)) return null
  const since = timeIn(status, 'timestamp', now)
  return restrictionOf(effect.restriction, { scope: effect.scope, since, ends_at: since + effect.time })
}

/** Meta's code for a person who stopped marketing messages of this business. */
const stoppedMarketing = 131050

/** The recipient of a message who wants no marketing, as its failure says; null if it does not. */
export function choiceIn(status: Json, now: number): MarketingChoiceMade | null {
  if (status.status !== 'failed' || codeIn(status) !== stoppedMarketing) return null
  const address = addressOf(addressesIn(status, recipientNames))
  const at = timeIn(status, 'timestamp', now)
  return address === null ? null : { kind: 'marketing-choice', address, choice: 'opted_out', at }
}

function codeIn(status: Json): number | null {
  const [error = {}] = eachObjectIn(status, 'errors')
  return integerIn(error, 'code')
}
