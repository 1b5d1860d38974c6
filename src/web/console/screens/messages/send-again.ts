import type { Message } from '../../../../contract/resources/message.ts'
import { call, newIdempotencyKey, openerHeader, urlOf } from '../../core/api.ts'
import { contentKinds } from '../../core/contents/contents.ts'
import { type Draft, deliver, draftOf, mediaKinds } from '../../core/draft.ts'
import { ToldError } from '../../parts/failure.ts'
import { say } from '../../words/say.ts'

/** Returns true if a message can be sent again as a new one: it was sent by us, and its kind can be sent. */
export function canRepeat({ direction, kind, forgotten }: Message): boolean {
  const kinds: readonly string[] = ['text', 'template', ...mediaKinds, ...contentKinds]
  return direction === 'outbound' && forgotten !== true && kinds.includes(kind)
}

/** The risk of sending a message again: its recipient must not get anything twice without the sender's knowing. */
export type Repeat = 'safe' | 'may_double' | 'no'

export function repeatOf(message: Message): Repeat {
  if (!canRepeat(message)) return 'no'
  const { status } = message
  if (status === 'failed' || status === 'expired' || status === 'canceled') return 'safe'
  return status === 'unknown' ? 'may_double' : 'no'
}

/** The form for a message as it was, with its file if that is still kept. */
export async function draftAgain(message: Message): Promise<Draft> {
  const draft = draftOf(message)
  return draft.kind === 'file' ? { ...draft, file: await fileOf(message, draft.filename) } : draft
}

/** The file of a message; undefined if it is no longer kept. */
async function fileOf({ id, media }: Message, filename: string): Promise<File | undefined> {
  const response = await fetch(urlOf('getMessageMedia', { params: { id } }), { headers: openerHeader() })
  if (!response.ok) return undefined
  return new File([await response.blob()], filename || 'file', { type: media?.mime_type ?? '' })
}

/** Sends messages again as new ones. A message whose request got no answer is sent under the same key the next time, so it is sent once. */
export function repeater(): (message: Message) => Promise<Message> {
  const keys = new Map<string, string>()
  return async (message) => {
    const key = keys.get(message.id) ?? newIdempotencyKey()
    keys.set(message.id, key)
    // A receipt may have come since it was listed: the recipient has it then.
    const now = await call('getMessage', { params: { id: message.id } })
    if (repeatOf(now) === 'no') throw new ToldError(say('messages.arrived_meanwhile'))
    const draft = await draftAgain(now)
    if (draft.kind === 'file' && !draft.file) throw new ToldError(say('message.file_gone'))
    return deliver(draft, key, () => {})
  }
}
