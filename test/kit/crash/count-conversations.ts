import type { Said } from './talkative-sender.ts'

/** A message that the far end saw, in the order of arrival, and the id of the message that it is about. */
export interface SeenAbout {
  readonly id: string
  readonly about?: string
  readonly text?: string
}

/** Messages by what went wrong with them, and the number of arrivals that repeat an earlier one with its id. */
export interface ConversationCount {
  /** Acknowledged, and never arrived. */
  readonly lost: readonly Said[]
  /** Ids that arrived and were acknowledged to no request. */
  readonly doubled: readonly string[]
  /** Arrived before the message that they are about. */
  readonly early: readonly Said[]
  /** Arrived before one that was accepted earlier on the same line. */
  readonly overtaking: readonly Said[]
  /** Arrived about another message than the one that they were sent about. */
  readonly strayed: readonly SeenAbout[]
  readonly repeats: number
}

/**
 * Counts what arrived against what was acknowledged. An edit that came in time arrived in the message that it edits. Knows nothing
 * of the server.
 */
export function countConversations(sent: readonly Said[], seen: readonly SeenAbout[]): ConversationCount {
  const texts = new Map(seen.map(({ id, text }) => [id, text]))
  const isIn = ({ networkMessageId, about, edits }: Said) =>
    edits !== undefined && !texts.has(networkMessageId) && texts.get(about ?? '') === edits
  const said = sent.filter((one) => !isIn(one))
  const first = new Map<string, number>()
  for (const [place, { id }] of seen.entries()) if (!first.has(id)) first.set(id, place)
  const known = new Map(said.map((one) => [one.networkMessageId, one]))
  const placeOf = (id = '') => first.get(id) ?? -1
  const isBefore = (one: Said, other: string | undefined) =>
    other !== undefined && placeOf(one.networkMessageId) < placeOf(other)
  const lines = [...Map.groupBy(said, ({ to }) => to).values()]
  return {
    lost: said.filter(({ networkMessageId }) => !first.has(networkMessageId)),
    doubled: [...first.keys()].filter((id) => !known.has(id)),
    early: said.filter((one) => isBefore(one, one.about)),
    overtaking: lines.flatMap((line) =>
      line.filter((one, index) => isBefore(one, line[index - 1]?.networkMessageId)),
    ),
    strayed: seen.filter(({ id, about }) => known.has(id) && known.get(id)?.about !== about),
    repeats: seen.length - first.size,
  }
}
