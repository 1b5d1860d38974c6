import type { Message } from '../../../../contract/resources/message.ts'
import type { MessageStatus } from '../../../../contract/statuses.ts'
import type { Following } from '../../parts/message/following.ts'

/** A message with everything that others say about it. */
export interface Folded extends Following {
  readonly message: Message
  /** The people who reacted, by their emojis: their addresses, and an empty text for the account itself. */
  readonly reactions: ReadonlyMap<string, readonly string[]>
  /** Replaces its text. */
  readonly correction: Message | undefined
  readonly retraction: Message | undefined
}

interface Open extends Folded {
  readonly chosen: Set<string>
  /** The last reaction, and the last vote, of each person. */
  readonly reactionOf: Map<string, string>
  readonly voteOf: Map<string, readonly string[]>
  correction: Message | undefined
  retraction: Message | undefined
}

/** The most emojis of one reaction that are shown, and the longest of them in UTF-16 units: people can send any text. */
const maxEmojis = 20
const maxEmojiLength = 32
/** The most steps from an edit to the message that was edited first. */
const maxEdits = 50

/** Statuses of our own messages that changed nothing: they are shown by themselves, so that a person sees why. */
const withoutEffect: ReadonlySet<MessageStatus> = new Set(['failed', 'expired', 'canceled', 'unknown'])

/**
 * The messages, given the newest first, as a messenger shows them, the oldest first: reactions, edits, retractions and votes
 * stand at the message that they are about, if that is among them, and otherwise by themselves.
 */
export function folded(newestFirst: readonly Message[]): readonly Folded[] {
  const byId = new Map(newestFirst.map((message) => [message.id, message]))
  const shown = new Map<string, Open>()
  for (const message of newestFirst.toReversed()) {
    const target = shown.get(targetOf(message, byId) ?? '')
    if (!target || !takes(target, message)) shown.set(message.id, opened(message))
  }
  return [...shown.values()].map(closed)
}

function opened(message: Message): Open {
  return {
    message,
    reactions: new Map(),
    chosen: new Set(),
    votes: new Map(),
    reactionOf: new Map(),
    voteOf: new Map(),
    correction: undefined,
    retraction: undefined,
  }
}

/** The message that another one is about: of an edit of an edit, the one that was edited first. */
function targetOf({ relation }: Message, byId: ReadonlyMap<string, Message>): string | null {
  let id = relation?.message_id ?? null
  for (let steps = 0; id !== null && steps < maxEdits; steps++) {
    const next: Message['relation'] = byId.get(id)?.relation ?? null
    if (next?.type !== 'correction' || next.message_id === null || !byId.has(next.message_id)) return id
    id = next.message_id
  }
  return id
}

/** Notes what a message says about another one. Returns true if it need not be shown by itself. */
function takes(target: Open, message: Message): boolean {
  if (withoutEffect.has(message.status)) return false
  const by = message.from ?? ''
  const { relation, text, poll_vote } = message
  if (poll_vote && target.message.poll) {
    target.voteOf.set(by, poll_vote.options)
    return true
  }
  switch (relation?.type) {
    case 'reaction':
      target.reactionOf.set(by, text ?? '')
      return true
    case 'correction':
      target.correction = message
      return true
    case 'retraction':
      target.retraction = message
      return true
    default: {
      const choice = message.button_reply ?? message.list_reply
      if (choice && choice.id !== null) target.chosen.add(choice.id)
      return false
    }
  }
}

function closed({ reactionOf, voteOf, ...target }: Open): Folded {
  const reactions = new Map<string, string[]>()
  for (const [by, text] of reactionOf)
    for (const emoji of new Set(text.split(/\s+/).filter(Boolean).slice(0, maxEmojis))) {
      const short = emoji.slice(0, maxEmojiLength).toWellFormed()
      reactions.set(short, [...(reactions.get(short) ?? []), by])
    }
  const votes = new Map<string, number>()
  for (const options of voteOf.values())
    for (const option of new Set(options)) votes.set(option, (votes.get(option) ?? 0) + 1)
  return { ...target, reactions, votes }
}

/** The message as it reads now: with its newest text, which of a file is its caption. */
export function asItReads({ message, correction }: Folded): Message {
  const text = correction?.text ?? correction?.caption
  if (text === undefined || text === null) return message
  return message.media ? { ...message, caption: text } : { ...message, text }
}
