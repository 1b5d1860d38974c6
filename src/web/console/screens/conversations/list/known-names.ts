import { useMemo, useRef } from 'preact/hooks'
import type { Conversation } from '../../../../../contract/resources/conversation.ts'
import type { NameOf } from '../../../parts/message/mentioned.ts'

/** The most names that are remembered; those that were told first make room. */
const maxNames = 2_000

/**
 * Returns the names of people at each instance, as far as the conversations that a list has shown told them: their own, and those of who wrote
 * or was mentioned last. An address that none told stays as it is.
 */
export function useKnownNames(conversations: readonly Conversation[]): (instance: string) => NameOf {
  const names = useRef(new Map<string, string>()).current
  return useMemo(() => {
    for (const conversation of conversations) noteNames(names, conversation)
    return (instance) => (address) => names.get(placeOf(instance, address)) ?? address
  }, [conversations])
}

const placeOf = (instance: string, address: string) => `${instance} ${address}`

function noteNames(
  names: Map<string, string>,
  {
    instance,
    conversation,
    aliases,
    name,
    kind,
    mentioned = [],
    last_message: { sender, forgotten },
  }: Conversation,
): void {
  const own = kind === 'group' ? [] : [conversation, ...aliases].map((address) => ({ address, name }))
  if (forgotten) for (const { address } of own) names.delete(placeOf(instance, address))
  for (const { address, name: known } of [...own, ...(sender ? [sender] : []), ...mentioned]) {
    if (!known) continue
    names.delete(placeOf(instance, address))
    names.set(placeOf(instance, address), known)
  }
  for (const first of names.keys()) {
    if (names.size <= maxNames) return
    names.delete(first)
  }
}
