import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Conversation } from '../../../../../contract/resources/conversation.ts'
import type { Message } from '../../../../../contract/resources/message.ts'
import type { ChosenConversation } from './list-changes.ts'

/*
 * The people who were forgotten in this tab. The server empties their messages one after the other, so what it tells meanwhile may still have
 * their names and their words.
 */

/** The most addresses that are kept; those of the people who were forgotten first make room. */
const maxForgotten = 1_000

/** The id of the newest message that was emptied, by the place of the conversation. */
let forgotten: ReadonlyMap<string, string> = new Map()
const onChange = new Set<() => void>()

const placeOf = (instance: string, address: string) => JSON.stringify([instance, address])

/** Notes that a person is being forgotten, by an address, with the conversation as the list has it and the newest message that is known. */
export function noteForgotten(
  { instance, address }: ChosenConversation,
  conversation: Conversation | null | undefined,
  newest: Message | undefined,
): void {
  const upTo = [conversation?.last_message.id ?? '', newest?.id ?? ''].toSorted().at(-1) ?? ''
  const addresses = [address, ...(conversation ? [conversation.conversation, ...conversation.aliases] : [])]
  const kept = [...forgotten, ...addresses.map((each) => [placeOf(instance, each), upTo] as const)]
  forgotten = new Map(kept.slice(-maxForgotten))
  for (const hear of onChange) hear()
}

/** Returns the conversations, without the names and words of people who were forgotten and have not written since. */
export function useWithoutForgotten(conversations: readonly Conversation[]): readonly Conversation[] {
  const [known, setKnown] = useState(forgotten)
  useEffect(() => {
    const hear = () => setKnown(forgotten)
    onChange.add(hear)
    hear()
    return () => void onChange.delete(hear)
  }, [])
  return useMemo(
    () =>
      known.size === 0
        ? conversations
        : conversations.map((each) => (isOver(each, known) ? emptied(each) : each)),
    [conversations, known],
  )
}

function isOver(
  { instance, conversation, aliases, last_message }: Conversation,
  known: ReadonlyMap<string, string>,
): boolean {
  return [conversation, ...aliases].some((address) => {
    const upTo = known.get(placeOf(instance, address))
    return upTo !== undefined && last_message.id <= upTo
  })
}

/** A conversation as it will be once the server has emptied it, as far as a list shows it. */
function emptied({ last_message, ...conversation }: Conversation): Conversation {
  const { text, caption, sender, mentions, media, ...rest } = last_message
  const nameless = media ? { media: { ...media, filename: null } } : {}
  return {
    ...conversation,
    ...{ name: null, username: null, unread: 0 },
    last_message: { ...rest, ...nameless, forgotten: true },
  }
}
