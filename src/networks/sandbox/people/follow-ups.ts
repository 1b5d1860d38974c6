import type { OutgoingMessage } from '../../driver/message.ts'
import type { Observation } from '../../driver/observation.ts'
import { bothAddresses } from '../address.ts'
import { type FollowUp, readsAllAfter, returnedError, typesFor } from '../script.ts'
import type { Waits } from '../waits.ts'
import { answerOf, type ScriptedMessage, sentElsewhere } from './answer.ts'

/** Parts of the connection that the people who act on its messages use. */
export interface FollowUpParts {
  readonly waits: Waits
  readonly now: () => number
  readonly report: (observation: Observation) => void
  /** Plays a person who writes to the account. */
  readonly say: (id: string, from: string, said: ScriptedMessage) => void
  /** Has the members of a group do what a message says. */
  readonly obey: (message: OutgoingMessage) => void
}

/** Plays what recipients do after a message was accepted. */
export class FollowUps {
  readonly #parts: FollowUpParts
  /** The last message to each recipient who is about to read everything. */
  readonly #unread = new Map<string, string>()

  constructor(parts: FollowUpParts) {
    this.#parts = parts
  }

  play(message: OutgoingMessage, followUp: FollowUp, repeat: boolean): void {
    const { report, say, now, obey } = this.#parts
    const { id, to: from } = message
    const addresses = bothAddresses(from)
    const other = addresses?.find((address) => address !== from) ?? from
    if (followUp === 'other delivered') {
      if (addresses) report({ kind: 'contact-known', addresses })
      report({ kind: 'receipt', network_message_id: id, from: other, state: 'delivered' })
    } else if (followUp === 'return') {
      report({ kind: 'message-returned', network_message_id: id, from, error: returnedError })
    } else if (followUp === 'delivered' || followUp === 'read') {
      report({ kind: 'receipt', network_message_id: id, from, state: followUp })
    } else if (followUp === 'vouched') {
      report({ kind: 'receipt', network_message_id: id, from: null, state: 'delivered' })
    } else if (followUp === 'read all') {
      this.#readAll(id, from)
    } else if (followUp === 'read elsewhere') {
      report({ kind: 'read-elsewhere', conversation: from })
    } else if (followUp === 'elsewhere') {
      report(sentElsewhere(message, now()))
    } else if (repeat) {
      // The recipient sees a repeated message once, and so answers it once.
    } else if (followUp === 'type') {
      this.#type(message)
    } else if (followUp === 'obey') {
      obey(message)
    } else {
      const answer = answerOf(message, followUp)
      if (answer) say(`reply-${id}`, followUp === 'other reply' ? other : from, answer)
    }
  }

  /** The recipient types for a while, and then replies. */
  #type(message: OutgoingMessage): void {
    const { report, waits } = this.#parts
    const typing = { kind: 'typing-seen', conversation: message.to, from: message.to } as const
    report({ ...typing, state: 'typing' })
    waits.later(typesFor, () => {
      report({ ...typing, state: 'paused' })
      this.play(message, 'reply', false)
    })
  }

  /** Confirms a message and those before it as read, unless another one follows. */
  #readAll(id: string, from: string): void {
    this.#unread.set(from, id)
    this.#parts.waits.later(readsAllAfter, () => {
      if (this.#unread.get(from) !== id) return
      this.#unread.delete(from)
      this.#parts.report({
        ...{ kind: 'receipt', network_message_id: id, from, state: 'read', and_before: true },
      })
    })
  }
}
