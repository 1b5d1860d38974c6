import type { Observation } from '../../driver/observation.ts'
import { type Outcome, rejected } from '../../driver/outcome.ts'
import { bareAddressOf, roomAt } from '../address.ts'
import { stanzaError } from '../errors.ts'
import { isPlain } from '../stanzas/message-id.ts'
import { attribute, type Xml } from '../stanzas/xml.ts'

/** Milliseconds for which a message is put off that the network refused with "not now" (the error type `wait`). */
const putOff = 60_000

/** An error about a message of ours: what it means for a message under way, and for one that was accepted. */
export interface Bounce {
  readonly id: string
  readonly from: string | null
  readonly outcome: Outcome
  readonly returned: Observation | null
}

/** Reads a message of type `error`. What a room returns has its address as a room. Null if it names no message or is only a warning. */
export function bounceIn(message: Xml, now: number, isKnownRoom: (bare: string) => boolean): Bounce | null {
  const id = attribute(message, 'id')
  const error = stanzaError(message, 'under-way')
  const afterwards = stanzaError(message, 'returned')
  if (!id || !isPlain(id) || !error || !afterwards) return null
  const bare = bareAddressOf(attribute(message, 'from'))
  const from = bare !== null && isKnownRoom(bare) ? roomAt(bare) : bare
  const outcome: Outcome = error.permanent
    ? rejected(error)
    : { kind: 'deferred', until: now + putOff, scope: 'recipient', error }
  const returned: Observation | null = from
    ? { kind: 'message-returned', network_message_id: id, from, error: afterwards }
    : null
  return { id, from, outcome, returned }
}
