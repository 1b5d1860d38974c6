import { whenSessionEnds } from '../../../core/api.ts'

/** The texts that were begun, by their conversations, for as long as the page is open; the oldest leave first. */
const drafts = new Map<string, string>()
const maxDrafts = 50

const keyOf = (instance: string, address: string) => JSON.stringify([instance, address])

/** Returns the text that was begun, or an empty one. */
export function draftFor(instance: string, address: string): string {
  return drafts.get(keyOf(instance, address)) ?? ''
}

/** Keeps the text that was begun; an empty one is forgotten. */
export function keepDraft(instance: string, address: string, text: string): void {
  const key = keyOf(instance, address)
  drafts.delete(key)
  if (text === '') return
  if (drafts.size >= maxDrafts) drafts.delete(drafts.keys().next().value ?? '')
  drafts.set(key, text)
}

// The next person who signs in sees none of them.
whenSessionEnds(() => drafts.clear())
