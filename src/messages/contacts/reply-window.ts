import { messageErrors, sentencesOf } from '../../contract/codes.ts'

/** Milliseconds around the end of a window in which its network decides, because clocks differ. */
export const uncertainEnd = 60_000

/** True for a message that may be sent only while the window is open. */
export function needsWindow(kind: string): boolean {
  return kind !== 'template'
}

/** The time when a person last wrote, as far as it is known. */
export interface LastWritten {
  /** In milliseconds since the epoch; null if that is not known. */
  readonly at: number | null
  /** Callbacks of the instance wait to be handled: one of them may say that they wrote since. */
  readonly mayBeLater: boolean
}

export const neverWritten: LastWritten = { at: null, mayBeLater: false }

/**
 * Returns the end of the window of a person who last wrote then, in milliseconds since the epoch; null if it is not known.
 */
export function windowEnd(wroteAt: number | null, window: number | null): number | null {
  return wroteAt === null || window === null ? null : wroteAt + window
}

/** True if the window is over by everything that the network has told; otherwise the network decides. */
export function isWindowOver({ at, mayBeLater }: LastWritten, window: number | null, now: number): boolean {
  const endsAt = windowEnd(at, window)
  return endsAt !== null && !mayBeLater && now > endsAt + uncertainEnd
}

/** Why a message is not sent, as in `NetworkError`: the network would refuse it for good. */
export const windowError = {
  code: 'outside_reply_window',
  detail: sentencesOf(messageErrors.outside_reply_window),
  permanent: true,
} as const
