import { Readable } from 'node:stream'
import { NetFailure, tooLarge } from '../../../net/failure.ts'
import type { Fetched } from '../../../net/fetch/fetch.ts'
import type { FileRequest } from '../../driver/abilities/files.ts'
import type { FileByReference } from '../../driver/observation.ts'
import { cutText } from '../../kit/received-text.ts'

/*
 * Files that the sandbox keeps for their recipients. The sandbox has no memory that outlasts the process, so the reference of
 * a file holds the file.
 */

const prefix = 'sandbox-text:'
/** In UTF-16 units; each is at most three bytes, and a reference has room for four bytes in base64 for three of them. */
const longestText = 1_000
const mime_type = 'text/plain; charset=utf-8'

/** A file with the beginning of this text. */
export function keptFile(text: string): FileByReference {
  const bytes = Buffer.from(cutText(text, longestText))
  return {
    reference: `${prefix}${bytes.toString('base64url')}`,
    filename: 'message.txt',
    mime_type: 'text/plain',
  }
}

/** Opens a file that the sandbox keeps. Throws a NetFailure, or the reason of the signal. */
export function openKeptFile(reference: string, { largest, signal }: FileRequest): Fetched {
  signal.throwIfAborted()
  if (!reference.startsWith(prefix)) throw new NetFailure('malformed', true, 'the sandbox has no such file')
  const bytes = Buffer.from(reference.slice(prefix.length), 'base64url')
  if (bytes.length > largest) throw tooLarge(largest)
  return {
    headers: { 'content-type': mime_type, 'content-length': String(bytes.length) },
    suggestedFilename: undefined,
    body: Readable.from([bytes], { objectMode: false, signal }),
  }
}
