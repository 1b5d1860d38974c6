import type { NetworkError } from '../outcome.ts'

/**
 * Finds the picture that a person or a group shows. The address is normalized. Never rejects, and answers at the latest when the network
 * had its time, or the signal aborts.
 */
export type FindPicture = (address: string, signal: AbortSignal) => Promise<PictureAnswer>

export type PictureAnswer =
  /** A JPEG, PNG or WebP. The server refuses it if it is larger than `maxPictureBytes`, or something else. */
  | { readonly kind: 'found'; readonly bytes: Uint8Array }
  /** The server fetches it from this `http` or `https` URL, with care. */
  | { readonly kind: 'at-url'; readonly url: string }
  /** The person shows none, or not to this account. */
  | { readonly kind: 'none' }
  | { readonly kind: 'rejected'; readonly error: NetworkError }
  /** The network could not be asked, or did not answer. */
  | { readonly kind: 'unanswered'; readonly detail: string }

/** The largest picture, in bytes. */
export const maxPictureBytes = 1024 * 1024
