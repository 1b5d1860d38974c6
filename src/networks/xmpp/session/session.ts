import type { Holding } from '../../../runtime/limits/byte-budget.ts'
import type { Resumption } from '../../driver/abilities/resumption.ts'
import { accepted, type Outcome, uncertain, unproven } from '../../driver/outcome.ts'
import { XmppError } from '../errors.ts'
import type { ArchiveSupport } from '../stanzas/discovery.ts'
import { isFromServer } from '../stanzas/stanza-sender.ts'
import { attribute, element, ns, type Xml } from '../stanzas/xml.ts'
import type { RoomState } from './room-state.ts'

/** A message that waits for the server's acknowledgement. */
export interface Pending {
  readonly id: string
  readonly to: string
  /** When it was written, in milliseconds since the epoch. */
  readonly at: number
  readonly outcome: Promise<Outcome>
  settle(outcome: Outcome): void
}

/** A stanza that was written and is not acknowledged yet. */
interface Unacknowledged {
  readonly xml: string
  readonly pending: Pending | null
}

/** After so many answers of ours an acknowledgement is asked for. */
const maxUnasked = 20

/** The memory of a stanza in addition to its characters, in bytes. */
const overhead = 512

function sizeOf({ xml }: Unacknowledged): number {
  return xml.length + overhead
}

/**
 * State of one logged-in session that both sides share: the stanzas that the server has taken responsibility for, and those
 * of its own that we have handled. With stream management (XEP-0198) it outlives the connection and is the `Resumption`
 * handed on. Without it, a ping (XEP-0199) after the messages takes the place of the request for an acknowledgement: a
 * server processes the stanzas of one stream in order (RFC 6120 section 10.1), so the answer to the ping covers the messages
 * before it; nothing can then be resumed.
 */
export class XmppSession implements Resumption {
  readonly address: string
  /** Stanzas of the server that were handled since stream management was enabled: the `h` that we send. */
  handled = 0
  /** The server's handling of the messages to the account. */
  archiveSupport: ArchiveSupport = { ids: false, archive: false, publishing: false }
  /** True if all messages that came before this session began were read. */
  caughtUp = false
  /** The rooms that the account is in, or should be in, by their bare addresses: a session that is resumed is still in them. */
  readonly rooms = new Map<string, RoomState>()

  #managed = false
  #resumptionId: string | null = null
  #acknowledged = 0
  #written = 0
  #unacknowledged: Unacknowledged[] = []
  /**
   * Messages that the server of an ended session counted as received without acknowledging them; its archive is to decide.
   */
  #claims: Pending[] = []
  readonly #pending = new Map<string, Pending>()
  #requestWanted = false
  /** Stanzas that no message waits for, written since an acknowledgement was asked for. */
  #unasked = 0
  readonly #holding: Holding | null

  /** Counts what is held, which is more the longer the server acknowledges nothing. */
  constructor(address: string, holding: Holding | null = null) {
    this.address = address
    this.#holding = holding
  }

  /** The id by which the server would resume this session; null if it would not. */
  get resumptionId(): string | null {
    return this.#resumptionId
  }

  /** True if a message is still waiting for the server's acknowledgement. */
  get waiting(): boolean {
    return this.#pending.size > 0
  }

  /** Stanzas that the server has acknowledged; moves when, and only when, it acknowledged something new. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  /** The server enabled stream management; from here on stanzas count, on both sides. */
  manage(enabled: Xml): void {
    this.#managed = true
    const resume = attribute(enabled, 'resume')
    if (resume === 'true' || resume === '1') this.#resumptionId = attribute(enabled, 'id') ?? null
  }

  /** Notes a stanza that is about to be written, and asks for its acknowledgement with the batch it leaves in. */
  note(xml: string): void {
    // Without stream management nothing but messages is ever acknowledged.
    if (!this.#managed) return
    this.#keep({ xml, pending: null })
    this.#unasked += 1
    // Servers acknowledge only when asked: without messages from us, answers would be kept forever.
    if (this.#unasked >= maxUnasked) this.#requestWanted = true
  }

  /** Notes a message; the promise settles when the server took or refused it, or when that can no longer be known. */
  noteMessage(id: string, to: string, xml: string, at: number): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const settle = (outcome: Outcome) => {
      if (this.#pending.get(id) === pending) this.#pending.delete(id)
      resolve(outcome)
    }
    const pending: Pending = { id, to, at, outcome: promise, settle }
    this.#pending.set(id, pending)
    this.#keep({ xml, pending })
    this.#written += 1
    this.#requestWanted = true
    return promise
  }

  #keep(entry: Unacknowledged): void {
    this.#unacknowledged.push(entry)
    this.#holding?.add(sizeOf(entry))
  }

  /** The answer to come for a message that is under way already, or that an archive is being searched for. */
  underWay(id: string): Promise<Outcome> | null {
    const pending = this.#pending.get(id) ?? this.#claims.find((claim) => claim.id === id)
    return pending?.outcome ?? null
  }

  /** The recipient of a message that is under way, or null. */
  recipientOf(id: string): string | null {
    return this.#pending.get(id)?.to ?? null
  }

  /** The network refused a message that was under way. It stays counted: the server did handle it. */
  settle(id: string, outcome: Outcome): void {
    this.#pending.get(id)?.settle(outcome)
  }

  /** The request to append to a batch with a message in it; empty if none is due. */
  takeRequest(): string {
    if (!this.#requestWanted) return ''
    this.#requestWanted = false
    this.#unasked = 0
    return this.request()
  }

  /** Makes the server say how far it is. It is not a stanza, or one that is not counted. */
  request(): string {
    if (this.#managed) return element('r', { xmlns: ns.management }).toString()
    const ping = element('ping', { xmlns: ns.ping })
    return element('iq', { type: 'get', id: `ack-${this.#written}` }, ping).toString()
  }

  /** Handles the server's acknowledgement: an `<a/>`, or the answer to our ping. False if it is neither. */
  takeAcknowledgement(arrived: Xml): boolean {
    if (this.#managed) {
      if (!arrived.is('a', ns.management)) return false
      this.acknowledge(attribute(arrived, 'h'))
      return true
    }
    const type = attribute(arrived, 'type')
    const covered = /^ack-(\d+)$/.exec(attribute(arrived, 'id') ?? '')?.[1]
    if (arrived.name !== 'iq' || covered === undefined || (type !== 'result' && type !== 'error'))
      return false
    if (!isFromServer(arrived, this.address)) return false
    this.acknowledge(covered)
    return true
  }

  /** Settles everything up to the server's count, in order. */
  acknowledge(count: string | undefined): void {
    const newly = countedSince(this.#acknowledged, count)
    if (newly === null || newly > this.#unacknowledged.length) {
      throw new XmppError('acknowledgement_out_of_range', undefined, true)
    }
    this.#acknowledged = Number(count)
    for (const entry of this.#unacknowledged.splice(0, newly)) {
      this.#holding?.add(-sizeOf(entry))
      entry.pending?.settle(accepted)
    }
  }

  /**
   * Returns the stanzas that the server had not received when the connection broke, to be written again on the resumed
   * stream.
   */
  unacknowledged(): readonly string[] {
    this.#requestWanted = this.waiting
    return this.#unacknowledged.map(({ xml }) => xml)
  }

  /**
   * The server will not resume. A count that it still tells is how many stanzas it received before the session ended (XEP-0198
   * section 5), which says nothing of what it did with them: those messages become claims, and the rest is uncertain.
   */
  concede(count: string | undefined): void {
    const newly = countedSince(this.#acknowledged, count)
    if (newly !== null && newly <= this.#unacknowledged.length) {
      for (const { pending } of this.#unacknowledged.slice(0, newly))
        if (pending && this.#pending.delete(pending.id)) this.#claims.push(pending)
    }
    this.#resumptionId = null
    this.#unacknowledged = []
    this.#holding?.end()
    const detail = 'The connection broke before the server acknowledged the message.'
    for (const pending of [...this.#pending.values()]) pending.settle(uncertain(detail))
  }

  /** The messages that only a count speaks for, and that nothing has decided on yet. */
  get claims(): readonly Pending[] {
    return this.#claims
  }

  /** Takes over the claims of the session before this one. */
  inheritClaims(before: XmppSession): void {
    if (before !== this) this.#claims.push(...before.#claims.splice(0))
  }

  /** The archive has the message of this claim. */
  proveClaim(id: string): void {
    const at = this.#claims.findIndex((claim) => claim.id === id)
    if (at >= 0) this.#claims.splice(at, 1)[0]?.settle(accepted)
  }

  /** Nothing shows the messages of the claims that are left. */
  dropClaims(): void {
    const detail =
      'The server counted the message as received before the session ended, and does not show it.'
    for (const claim of this.#claims.splice(0)) claim.settle(unproven(detail))
  }

  abandon(): void {
    this.concede(undefined)
    this.dropClaims()
  }
}

/** Returns the lead of a count over another, or null if it is not a count. XEP-0198 section 4: it wraps at 2^32. */
export function countedSince(before: number, count: string | undefined): number | null {
  if (count === undefined || !/^\d{1,10}$/.test(count) || Number(count) > 0xffffffff) return null
  return (Number(count) - before) >>> 0
}
