import { syncBuiltinESMExports } from 'node:module'
import zlib, { type CompressCallback, type InputType, type ZlibOptions } from 'node:zlib'
import { holdsMore } from './nodes.ts'

/** Size of an inflated stanza, in bytes: as large as one can be that is not compressed. */
const largestStanza = 16 * 1024 * 1024

/** Content of one: a list of the groups of an account with a hundred thousand members, or 250,000 empty nodes. */
const maxInStanza = 1_000_000

/** Both are called in the place of the library's own inflation. */
export interface InflationOptions {
  /** The result is there. */
  readonly resumed: () => void
  readonly dropped: () => void
}

/**
 * Gives everything a limit that is inflated in this process at one go. The library inflates compressed stanzas without one, and offers
 * no other place to set it. To be called before the library is loaded. What is beyond the limit is dropped: its stanza never came, and the
 * connection goes on.
 */
export function limitInflation({ resumed, dropped }: InflationOptions): void {
  const { inflate } = zlib
  const limited = (
    bytes: InputType,
    options: ZlibOptions | CompressCallback,
    callback?: CompressCallback,
  ): void => {
    const done = typeof options === 'function' ? options : callback
    const given = typeof options === 'function' ? {} : options
    inflate(bytes, { maxOutputLength: largestStanza, ...given }, (error, result) => {
      resumed()
      const isTooLarge = error
        ? (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
        : holdsMore(result, maxInStanza)
      if (isTooLarge) dropped()
      done?.(isTooLarge && !error ? new RangeError('it holds too much') : error, result)
    })
  }
  Object.assign(zlib, { inflate: limited })
  syncBuiltinESMExports()
}
