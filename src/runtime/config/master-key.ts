import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Config, ConfigError } from './config.ts'
import { readSecretFile, writeSecretFile } from './secret-file.ts'
import { parseMasterKey } from './setting-values.ts'

/** The master key, and whether it was created just now because there was none. */
export interface MasterKey {
  readonly bytes: Uint8Array
  readonly fresh: boolean
  /** Its setting or file, for error texts; never the key itself. */
  readonly source: string
}

/** Reads the master key from the setting or its file; `mayCreate` says whether a missing file may be created. */
export function readMasterKey(config: Config, mayCreate: boolean): MasterKey {
  if (config.POSTHORN_MASTER_KEY !== undefined) {
    return { bytes: config.POSTHORN_MASTER_KEY, fresh: false, source: 'POSTHORN_MASTER_KEY' }
  }
  const file = config.POSTHORN_MASTER_KEY_FILE ?? join(config.POSTHORN_DATA, 'master.key')
  const kept = readSecretFile(file)
  if (kept !== undefined) return { bytes: keyIn(kept, file), fresh: false, source: file }
  if (!mayCreate) {
    throw new ConfigError(
      `the master key is missing: there is no ${file}, but the store holds credentials sealed with it; put the file back, or set POSTHORN_MASTER_KEY`,
    )
  }
  const bytes = randomBytes(32)
  writeSecretFile(file, bytes.toString('hex'))
  return { bytes, fresh: true, source: file }
}

function keyIn(text: string, file: string): Uint8Array {
  try {
    return parseMasterKey(text)
  } catch (error) {
    throw new ConfigError(`the master key in ${file} ${(error as Error).message}`)
  }
}
