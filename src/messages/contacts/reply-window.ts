import { messageErrors, sentencesOf } from '../../contract/codes.ts'
import type { SentKind } from '../../contract/resources/message.ts'
import { mediaKinds } from '../../contract/statuses.ts'

/** For how long around the end of a window its network decides, because clocks differ; in milliseconds. */
export const doubtfulEnd = 60_000

/** What may be sent only while the window is open. */
const freeKinds: readonly string[] = ['text', ...mediaKinds] satisfies readonly SentKind[]

export function needsWindow(kind: string): boolean {
  return freeKinds.includes(kind)
}

/** What is known of when somebody last wrote. */
export interface LastWritten {
  /** In milliseconds since the epoch; null if that is not known. */
  readonly at: number | null
  /** Callbacks of the instance wait to be handled: one of them may say that they wrote since. */
  readonly mayBeLater: boolean
}

export const neverWritten: LastWritten = { at: null, mayBeLater: false }

/** When the window ends or ended of somebody who last wrote then; null if that is not known. In milliseconds since the epoch. */
export function windowEnd(wroteAt: number | null, window: number | null): number | null {
  return wroteAt === null || window === null ? null : wroteAt + window
}

/** True if the window is over by everything that the network has told; otherwise the network decides. */
export function isWindowOver({ at, mayBeLater }: LastWritten, window: number | null, now: number): boolean {
  const endsAt = windowEnd(at, window)
  return endsAt !== null && !mayBeLater && now > endsAt + doubtfulEnd
}

/** Why a message is not sent, as in `NetworkError`: the network would refuse it for good. */
export const windowError = {
  code: 'outside_reply_window',
  detail: sentencesOf(messageErrors.outside_reply_window),
  permanent: true,
} as const
