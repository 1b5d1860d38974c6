import type { RowOf } from '../../store/schema.ts'

/*
 * A row of the journal is a stretch: consecutive events of one organization that one transaction appended, of one type and
 * about one instance. So most of what an event says stands in the row once, and filters look at rows.
 */

/** The columns that name the events of a stretch. */
export const nameColumns = [
  'organization_id',
  'epoch',
  'sequence',
  'count',
  'type',
  'instance_name',
  'created_at',
] as const

/** The columns that hold all that a stretch says of its events. */
export const stretchColumns = [...nameColumns, 'message_seqs', 'labels_id', 'format', 'data'] as const

export type StretchOfNames = Pick<RowOf<'events'>, (typeof nameColumns)[number]>
export type Stretch = Pick<RowOf<'events'>, (typeof stretchColumns)[number]>

/** An event of the journal by its name, and what filters ask of it. */
export type NamedEvent = Omit<StretchOfNames, 'count'>

/** An event of the journal. */
export interface StoredEvent extends Omit<Stretch, 'count' | 'message_seqs'> {
  /** The message that it is about; null if it is about none. */
  readonly message_seq: number | null
  /** JSON text: the data of the event; of a message, what can change about it. */
  readonly data: string
}

/** The numbers of the events that are wanted. */
export interface Between {
  /** Only events after this one. */
  readonly after: number
  /** The last of them. */
  readonly until: number
}

/** Returns which of these events a stretch has, as places from 0 on. */
function placesIn({ sequence, count }: Pick<Stretch, 'sequence' | 'count'>, { after, until }: Between) {
  const before = sequence - count
  return { before, from: Math.max(0, after - before), to: Math.min(sequence, until) - before }
}

const all: Between = { after: 0, until: Number.MAX_SAFE_INTEGER }

/** Returns the names of the events in stretches. */
export function namesIn(stretches: readonly StretchOfNames[], between = all): NamedEvent[] {
  const events: NamedEvent[] = []
  for (const stretch of stretches) {
    const { before, from, to } = placesIn(stretch, between)
    const { count: _, ...shared } = stretch
    for (let place = from; place < to; place++) events.push({ ...shared, sequence: before + place + 1 })
  }
  return events
}

/** The columns in which the events of a stretch differ. */
type Differing = Pick<Stretch, 'sequence' | 'count' | 'message_seqs' | 'data'>

/** An event of a stretch: a row that has what differs once. */
type EventOf<S extends Differing> = Omit<S, 'count' | 'message_seqs'> & Pick<StoredEvent, 'message_seq'>

/** Returns the events in stretches, the first of them if there are more than `most`. */
export function eventsIn<S extends Differing>(
  stretches: readonly S[],
  between = all,
  most = Number.POSITIVE_INFINITY,
): EventOf<S>[] {
  const events: EventOf<S>[] = []
  for (const stretch of stretches) {
    const { before, from, to } = placesIn(stretch, between)
    const end = Math.min(to, from + most - events.length)
    if (from >= end) continue
    const { count, message_seqs, ...shared } = stretch
    const seqs = message_seqs === null ? null : seqsIn(message_seqs)
    if (count === 1) {
      events.push(Object.assign(shared, { message_seq: seqs?.[0] ?? null }))
      continue
    }
    const data = dataIn(shared.data)
    for (let place = from; place < end; place++) {
      const own = { message_seq: seqs?.[place] ?? null, data: data[place] ?? '' }
      events.push({ ...shared, ...own, sequence: before + place + 1 })
    }
  }
  return events
}

/** Returns the events with these numbers in stretches, which may be there more than once. */
export function eventsWith<S extends Differing>(
  numbers: readonly number[],
  stretches: readonly S[],
): EventOf<S>[] {
  const wanted = new Set(numbers)
  const different = new Map(stretches.map((stretch) => [stretch.sequence, stretch]))
  return eventsIn([...different.values()]).filter(({ sequence }) => wanted.has(sequence))
}

/** Returns the numbers of messages: the list has the first one, and then how much larger each is than the one before. */
function seqsIn(list: string): number[] {
  let last = 0
  return (JSON.parse(list) as number[]).map((more) => (last += more))
}

/** Returns the data of several events: there is a line for each, which is empty if it is that of the one before. */
function dataIn(lines: string): string[] {
  let last = ''
  return lines.split('\n').map((line) => (last = line || last))
}
