import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Config, ConfigError } from './config.ts'
import { readSecretFile, writeSecretFile } from './secret-file.ts'

/** Keys that other gateways shipped as examples, as their users may carry them over. Everybody knows them. */
const knownToEverybody = new Set([
  '429683c4c977415caafcce10f7d57e11',
  'bqyhjgjhj',
  'thisismysecuretoken',
  'secret',
])

/** The master key, and whether it was made just now because there was none. */
export interface MasterKey {
  readonly bytes: Uint8Array
  readonly fresh: boolean
  /** Where it came from, for messages; never the key. */
  readonly source: string
}

/** Reads the master key from the setting or its file; `mayCreate` says whether a missing file may be made anew. */
export function readMasterKey(config: Config, mayCreate: boolean): MasterKey {
  if (config.POSTHORN_MASTER_KEY !== undefined) {
    return {
      bytes: parseKey(config.POSTHORN_MASTER_KEY, 'POSTHORN_MASTER_KEY'),
      fresh: false,
      source: 'POSTHORN_MASTER_KEY',
    }
  }
  const file = config.POSTHORN_MASTER_KEY_FILE ?? join(config.POSTHORN_DATA, 'master.key')
  const kept = readSecretFile(file)
  if (kept !== undefined) return { bytes: parseKey(kept, file), fresh: false, source: file }
  if (!mayCreate) {
    throw new ConfigError(
      `the master key is missing: there is no ${file}, but the store holds credentials sealed with it; put the file back, or set POSTHORN_MASTER_KEY`,
    )
  }
  const bytes = randomBytes(32)
  writeSecretFile(file, bytes.toString('hex'))
  return { bytes, fresh: true, source: file }
}

function parseKey(text: string, source: string): Uint8Array {
  if (knownToEverybody.has(text.toLowerCase())) {
    throw new ConfigError(
      `the master key in ${source} is a published example; make one with \`openssl rand -hex 32\``,
    )
  }
  if (!/^[0-9a-fA-F]{64}$/.test(text)) {
    throw new ConfigError(
      `the master key in ${source} must be 64 hexadecimal digits; make one with \`openssl rand -hex 32\``,
    )
  }
  const bytes = Buffer.from(text, 'hex')
  if (new Set(bytes).size < 8)
    throw new ConfigError(`the master key in ${source} is not random; make one with \`openssl rand -hex 32\``)
  return bytes
}
