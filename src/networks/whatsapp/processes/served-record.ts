import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The record: which client is served now (0 for none), and which one was last, each in four bytes. */
const recordBytes = 8

/** Record of the client that a process serves, in a file without a name: it can be read when the process has fallen. */
export class ServedRecord {
  /** For the process; null if no file can be made. */
  readonly file: number | null

  constructor() {
    this.file = nameless()
  }

  /** The numbers of the client that is served now, and of the last one that was; 0 for none. */
  read(): { readonly now: number; readonly last: number } {
    const record = Buffer.alloc(recordBytes)
    if (this.file !== null) readSync(this.file, record, 0, recordBytes, 0)
    return { now: record.readUInt32LE(0), last: record.readUInt32LE(4) }
  }

  close(): void {
    if (this.file !== null) closeSync(this.file)
  }
}

function nameless(): number | null {
  const path = join(tmpdir(), `posthorn-worker-${randomBytes(8).toString('hex')}`)
  try {
    const file = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    return file
  } catch {
    return null
  }
}
