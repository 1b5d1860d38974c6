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

/** When the window ends or ended of somebody who last wrote then; null if that is not known. In milliseconds since the epoch. */
export function windowEnd(wroteAt: number | null, window: number | null): number | null {
  return wroteAt === null || window === null ? null : wroteAt + window
}

/** True if it is certain that the window is over. */
export function isWindowOver(endsAt: number | null, now: number): boolean {
  return endsAt !== null && now > endsAt + doubtfulEnd
}

/** Why a message is not sent, as in `NetworkError`: the network would refuse it for good. */
export const windowError = {
  code: 'outside_reply_window',
  detail: sentencesOf(messageErrors.outside_reply_window),
  permanent: true,
} as const
