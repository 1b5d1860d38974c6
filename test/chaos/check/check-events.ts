import { type DeliveredEvent, isSent, type Story } from './story.ts'

/** Everything that must never happen to the events of a webhook that gets all of them, in the order of each instance. */
export interface EventFaults {
  /** Numbers that were never taken, and messages of which it was not told that they were accepted or sent. */
  readonly lostEvents: readonly string[]
  /** Facts that were told by two events, numbers that two events had, and events that were told in two ways. */
  readonly doubledEvents: readonly string[]
  /** Events that were first taken after a later one of their instance had come. */
  readonly overtakingEvents: readonly string[]
}

/** Facts that are told once about a message. */
const toldOnce = new Set(['message.queued', 'message.sent'])

export function checkEvents(story: Story): EventFaults {
  const seen = new Set<string>()
  const firsts = story.delivered.filter(({ id, accepted }) => accepted && !seen.has(id) && seen.add(id))
  return {
    lostEvents: lost(story, firsts),
    doubledEvents: doubled(story, firsts),
    overtakingEvents: overtaking(story, new Set(firsts)),
  }
}

function lost({ acknowledged, fates }: Story, events: readonly DeliveredEvent[]): string[] {
  const numbers = new Set(events.map(({ sequence }) => sequence))
  const first = Math.min(...numbers, Number.MAX_SAFE_INTEGER)
  const last = Math.max(...numbers, 0)
  const missing: string[] = []
  for (let number = first; number < last; number++) if (!numbers.has(number)) missing.push(`number ${number}`)
  const told = new Set(events.map(({ type, message }) => `${type} ${message}`))
  const sent = new Set(fates.filter(isSent).map(({ id }) => id))
  const untold = acknowledged.flatMap(({ id, text }) => [
    ...(told.has(`message.queued ${id}`) ? [] : [`message.queued of ${text}`]),
    ...(told.has(`message.sent ${id}`) || !sent.has(id) ? [] : [`message.sent of ${text}`]),
  ])
  return [...missing, ...untold]
}

function doubled({ delivered }: Story, events: readonly DeliveredEvent[]): string[] {
  const severalOf = <Item>(items: readonly Item[], nameOf: (item: Item) => string) =>
    [...Map.groupBy(items, nameOf)].filter(([, same]) => same.length > 1).map(([name]) => name)
  const facts = events.filter(({ type, message }) => message !== undefined && toldOnce.has(type))
  const versions = new Map(delivered.map(({ id, body }) => [`${id} ${body}`, id]))
  return [
    ...severalOf(facts, ({ type, message }) => `${type} of ${message}`),
    ...severalOf(events, ({ sequence }) => `number ${sequence}`),
    ...severalOf([...versions.values()], (id) => `two versions of ${id}`),
  ]
}

function overtaking({ delivered }: Story, firsts: ReadonlySet<DeliveredEvent>): string[] {
  const latest = new Map<string, number>()
  const found: string[] = []
  for (const event of delivered) {
    const { instance, sequence } = event
    if (instance === undefined) continue
    const last = latest.get(instance) ?? 0
    if (firsts.has(event) && sequence < last) found.push(`number ${sequence} of ${instance}`)
    latest.set(instance, Math.max(sequence, last))
  }
  return found
}

/** Reasons that are given when a session of a network was broken: by another owner, or for good. */
const breaks = new Set(['replaced', 'logged_out', 'conflict'])

/** The events that tell of a session that did not survive. */
export function sessionsLost({ delivered }: Story): string[] {
  const told = delivered.filter(({ reason }) => reason !== undefined && breaks.has(reason))
  return [
    ...new Set(told.map(({ instance, reason, sequence }) => `${instance}: ${reason} in number ${sequence}`)),
  ]
}
