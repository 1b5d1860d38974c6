import type { Draft } from '../../contract/handler.ts'

/**
 * Names kept bytes. An id is used once and its bytes never change, so that to remove a file can never take the bytes of
 * another one that is just being kept.
 */
export interface KeptFile {
  readonly id: string
  /** In bytes. */
  readonly size: number
}

/** A part of a file: from the byte `first` to the byte `last`, both within it and both read, as in a range of HTTP. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * Stores the bytes of files; their records are in the store. What cannot be done for a temporary reason
 * rejects with `StoreUnavailable`.
 */
export interface MediaStore {
  /**
   * Stores the bytes of a draft under an id, all or none, and resolves when they are on disk. The draft is used up. Repeating
   * it with the same bytes is no fault, even while the first call is under way. If places are short, parties take turns, such
   * as organizations by their ids.
   */
  put(id: string, draft: Draft, party?: string): Promise<void>
  /** Resolves with true if the bytes are there, and as many as they should be. */
  has(file: KeptFile): Promise<boolean>
  /**
   * Reads the bytes, or a part of them, as fast as they are taken; their memory is the reader's alone. Throws `MediaMissing`
   * if they are not there. If the party is an organization, bytes in a database are there only if the file is that one's.
   */
  read(file: KeptFile, range?: ByteRange, party?: string): AsyncIterable<Uint8Array>
  /** Removes bytes permanently. Bytes that do not exist are no error. */
  remove(ids: readonly string[]): Promise<void>
  /** Every id under which there are bytes, in any order. Those stored or removed meanwhile may be included or not. */
  ids(): AsyncIterable<string>
  close(): Promise<void>
}

/** The bytes of a file are not in the media store, though they should be. */
export class MediaMissing extends Error {
  override readonly name = 'MediaMissing'

  constructor(id: string) {
    super(`the bytes of ${id} are not in the media store`)
  }
}
