import type { EventType } from '../../contract/resources/event.ts'
import type { Stretch } from './stretch.ts'

/** An event to append. */
export interface NewEvent {
  readonly type: EventType
  /** The name of the instance that it is about; null if it is about none. */
  readonly instance: string | null
  /** The data that the contract defines for this type; for a message, only its changeable fields. It never holds a secret. */
  readonly data: object
  /** The message that it is about, and its instance. */
  readonly message?: { readonly seq: number; readonly instance: string }
}

/** Events that are stored as one stretch. */
export interface NewStretch extends Pick<Stretch, 'message_seqs' | 'data'> {
  readonly events: readonly [NewEvent, ...NewEvent[]]
}

/** The most events in a stretch. */
export const maxEvents = 100
/**
 * The most characters in which the events of a stretch differ, if there are several: SQLite gives each row of more than about
 * 1,000 bytes pages of its own.
 */
const maxCharacters = 800

/** Makes stretches of the events that a transaction appends to one journal, in the order in which they are stored. */
export function stretchesOf(events: readonly NewEvent[]): NewStretch[] {
  const made: GrowingStretch[] = []
  for (const event of inJournalOrder(events)) {
    const data = JSON.stringify(event.data)
    if (!made.at(-1)?.take(event, data)) made.push(new GrowingStretch(event, data))
  }
  return made
}

class GrowingStretch implements NewStretch {
  readonly events: [NewEvent, ...NewEvent[]]
  data: string
  #lastData: string
  #seqs: string
  #lastSeq: number

  constructor(event: NewEvent, data: string) {
    this.events = [event]
    this.data = data
    this.#lastData = data
    this.#lastSeq = event.message?.seq ?? 0
    this.#seqs = String(this.#lastSeq)
  }

  get message_seqs(): string | null {
    return this.events[0].message ? `[${this.#seqs}]` : null
  }

  /** Adds an event if it is of this kind and there is room for it; returns true if it did. */
  take(event: NewEvent, data: string): boolean {
    const [{ type, instance, message }] = this.events
    if (event.type !== type || event.instance !== instance || this.events.length === maxEvents) return false
    if (event.message?.instance !== message?.instance) return false
    const line = data === this.#lastData ? '\n' : `\n${data}`
    const seq = event.message?.seq ?? 0
    const more = `,${seq - this.#lastSeq}`
    if (this.data.length + line.length + this.#seqs.length + more.length > maxCharacters) return false
    this.events.push(event)
    this.data += line
    this.#lastData = data
    this.#seqs += more
    this.#lastSeq = seq
    return true
  }
}

/** The steps of messages that Posthorn sends, in an order that every message keeps. */
export const steps: readonly EventType[] = [
  'message.queued',
  'message.unknown',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.expired',
  'message.canceled',
]

const places = new Map(steps.map((type, place) => [type, place]))

/**
 * Orders events so that few stretches hold them: steps that messages took together stand together by their instances and
 * types. The events of one message keep their order, and so do those of one type about one instance. Every other event keeps its place.
 */
function inJournalOrder(events: readonly NewEvent[]): readonly NewEvent[] {
  if (events.length < 3) return events
  const ordered: NewEvent[] = []
  let together = new Map<string, (NewEvent[] | undefined)[]>()
  const end = () => {
    for (const ofInstance of together.values())
      for (const ofType of ofInstance) ordered.push(...(ofType ?? []))
    together = new Map()
  }
  for (const event of events) {
    const place = event.message && places.get(event.type)
    if (!event.message || place === undefined) {
      end()
      ordered.push(event)
      continue
    }
    const ofInstance = together.get(event.message.instance) ?? []
    together.set(event.message.instance, ofInstance)
    const ofType = ofInstance[place] ?? []
    ofInstance[place] = ofType
    ofType.push(event)
  }
  end()
  return ordered
}
