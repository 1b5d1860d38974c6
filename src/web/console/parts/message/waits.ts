import type { Message } from '../../../../contract/resources/message.ts'
import { mediaKinds } from '../../core/draft.ts'
import { say } from '../../words/say.ts'
import { localTime } from '../time.ts'

/**
 * Returns the cause for which a message waits, as far as the message itself says it: its time, another attempt, or its file. Undefined if it
 * waits for something else, such as earlier messages or its instance, or does not wait.
 */
export function waitsFor(message: Message): string | undefined {
  const { status, send_at, kind, media, error } = message
  if (status !== 'queued') return undefined
  if (send_at !== null && Date.parse(send_at) > Date.now())
    return say('message.waits_until', { time: localTime(send_at) })
  const isMedia = (mediaKinds as readonly string[]).includes(kind)
  if (isMedia && media?.mime_type === null) return say('message.waits_for_file')
  return error === null ? undefined : say('message.waits_for_attempt')
}
