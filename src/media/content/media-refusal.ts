import { type MediaErrorCode, mediaErrors, sentencesOf } from '../../contract/codes.ts'

/** Why a file cannot be had, or not be sent as what it is to be. */
export interface MediaRefusal {
  readonly ok: false
  readonly code: MediaErrorCode
  /** The cause, and what to do next, in whole sentences. */
  readonly detail: string
}

/** The refusal with a code. `word` adds a few words about this case. */
export function mediaRefusal(code: MediaErrorCode, word?: string): MediaRefusal {
  return { ok: false, code, detail: sentencesOf(mediaErrors[code], word) }
}
