import type { TypingSeen } from '../../driver/account-news.ts'
import { addressOf, isGroup } from '../address.ts'
import type { OwnNames } from './receipts.ts'
import { partsOf, type Stanza } from './stanza.ts'

/**
 * Reads that a person begins or ends to write (`chatstate`, as in `handleChatState` of whatsmeow): in a chat it comes from the person, in a group from
 * the group. Null if it says nothing of that, or tells of the account itself. `other`: another address of the person, if it is known.
 */
export function typingIn(stanza: Stanza, own: OwnNames, other: string | null = null): TypingSeen | null {
  const { from = '', participant } = stanza.attrs
  const [said] = partsOf(stanza)
  const place = addressOf(from)
  const person = addressOf(participant ?? from)
  if (!said || place === null || person === null || isGroup(person)) return null
  if (!isGroup(place) && place !== person) return null
  if (person === addressOf(own.number) || person === addressOf(own.lid ?? '')) return null
  const state = stateIn(said)
  if (state === null) return null
  const named = addressOf(other ?? '') ?? person
  return { kind: 'typing-seen', conversation: isGroup(place) ? place : named, from: named, state }
}

function stateIn({ tag, attrs }: Stanza): TypingSeen['state'] | null {
  if (tag === 'paused') return 'paused'
  if (tag !== 'composing') return null
  return attrs.media === 'audio' ? 'recording' : 'typing'
}
