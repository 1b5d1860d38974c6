import { useEffect, useState } from 'preact/hooks'
import type { Message } from '../../../contract/resources/message.ts'

/*
 * The people who are seen to write to an account. Networks may never say that a person has stopped, so what is known of them ends by
 * itself.
 */

/** A person begins or ends to write, as the server tells it. */
interface TypingNotice {
  readonly instance: { readonly name: string }
  readonly conversation: string
  readonly from: string
  readonly state: 'typing' | 'recording' | 'paused'
}

/** A person who is writing. */
export interface Writer {
  readonly from: string
  readonly state: 'typing' | 'recording'
}

/** Milliseconds for which a person is shown as writing, unless the network says it again. */
const shownFor = 20_000
/** The most conversations, and people in each, of which it is noted. */
const maxConversations = 1_000
const maxWriters = 20

interface Seen extends Writer {
  readonly end: ReturnType<typeof setTimeout>
}

const conversations = new Map<string, Map<string, Seen>>()
const listeners = new Set<() => void>()

/** Notes what a person does. */
export function noteTyping({ instance, conversation, from, state }: TypingNotice): void {
  const key = keyOf(instance.name, conversation)
  const people = conversations.get(key) ?? new Map<string, Seen>()
  clearTimeout(people.get(from)?.end)
  people.delete(from)
  const isFull = people.size >= maxWriters || (people.size === 0 && conversations.size >= maxConversations)
  if (state !== 'paused' && !isFull)
    people.set(from, { from, state, end: setTimeout(() => forget(key, from), shownFor) })
  if (people.size > 0) conversations.set(key, people)
  else conversations.delete(key)
  tell()
}

/** A message of a person is here: they write it no longer. */
export function noteArrival({ instance, conversation, from, direction }: Message): void {
  if (direction === 'inbound' && from !== null) forget(keyOf(instance, conversation), from)
}

/** Forgets all: without a stream, nothing is known of them. */
export function forgetTyping(): void {
  for (const people of conversations.values()) for (const { end } of people.values()) clearTimeout(end)
  conversations.clear()
  tell()
}

/** Returns the people who are writing in a conversation now. Its other addresses are those of the same person. */
export function useWriters(
  instance: string,
  address: string,
  aliases: readonly string[] = [],
): readonly Writer[] {
  const [, setRound] = useState(0)
  const addresses = [address, ...aliases]
  const found = addresses.flatMap((each) => [...(conversations.get(keyOf(instance, each))?.values() ?? [])])
  const key = JSON.stringify([instance, addresses])
  useEffect(() => {
    let before = ''
    const look = () => {
      const now = addresses
        .flatMap((each) => [...(conversations.get(keyOf(instance, each))?.values() ?? [])])
        .map(({ from, state }) => `${from} ${state}`)
        .join('\n')
      if (now !== before) setRound((round) => round + 1)
      before = now
    }
    listeners.add(look)
    look()
    return () => void listeners.delete(look)
  }, [key])
  return found
}

function forget(key: string, from: string): void {
  const people = conversations.get(key)
  const seen = people?.get(from)
  if (!people || !seen) return
  clearTimeout(seen.end)
  people.delete(from)
  if (people.size === 0) conversations.delete(key)
  tell()
}

function tell(): void {
  for (const listener of listeners) listener()
}

function keyOf(instance: string, conversation: string): string {
  return JSON.stringify([instance, conversation])
}
