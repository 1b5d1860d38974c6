import type { Log } from '../../../runtime/log.ts'
import type { OutgoingFile } from '../../driver/message.ts'
import { type Outcome, rejected } from '../../driver/outcome.ts'
import { UploadFault } from '../../kit/transfer.ts'
import { errorOf } from '../codes.ts'
import type { Waits } from '../waits.ts'
import type { FarEnd } from './far-end.ts'

/**
 * Reads a file to its end for its recipient; returns the outcome if it does not come whole, or the connection ends before. Rejects if it
 * cannot be written to the transcript.
 */
export async function receiveFile(
  farEnd: FarEnd,
  file: OutgoingFile,
  { waits, log }: { readonly waits: Waits; readonly log: Log },
): Promise<Outcome | null> {
  const ending = new AbortController()
  const wait = waits.until(() => ending.abort())
  try {
    await farEnd.receive(file, ending.signal)
    return ending.signal.aborted ? rejected(errorOf('transfer_broken', false)) : null
  } catch (error) {
    if (ending.signal.aborted) return rejected(errorOf('transfer_broken', false))
    if (!(error instanceof UploadFault)) throw error
    log.warn({ err: error }, 'a file could not be sent')
    return rejected(error.error)
  } finally {
    waits.forget(wait)
  }
}
