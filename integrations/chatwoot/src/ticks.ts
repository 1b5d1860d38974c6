import type { Chatwoot } from './chatwoot.ts'
import type { LaneWork } from './lane-work.ts'
import type { ReplyPart, State } from './state.ts'

/** Returns the work that shows in Chatwoot how far a reply has come. Repeating it changes nothing. */
export function tickWork(state: State, chatwoot: Chatwoot): LaneWork {
  return async ({ key }) => {
    const parts = state.partsOf(Number(key))
    const [first] = parts
    const shown = statusOf(parts)
    if (first && shown)
      await chatwoot.setStatus(first.conversation_id, first.message_id, shown.status, shown.error)
  }
}

/** Returns the status of a reply: that of the part that has come least far, and `failed` as soon as one has failed. */
export function statusOf(
  parts: readonly ReplyPart[],
): { status: 'sent' | 'delivered' | 'read' | 'failed'; error?: string } | undefined {
  const failed = parts.find(({ rank }) => rank === 9)
  if (failed) {
    const which = failed.parts > 1 ? `Part ${failed.part + 1} of ${failed.parts}: ` : ''
    return { status: 'failed', error: `${which}${failed.error ?? ''}` }
  }
  const isWhole = parts.length > 0 && parts.length === parts[0]?.parts
  const rank = isWhole ? Math.min(...parts.map((part) => part.rank)) : 0
  const status = (['sent', 'delivered', 'read'] as const)[rank - 1]
  return status && { status }
}
