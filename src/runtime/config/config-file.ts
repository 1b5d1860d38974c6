import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** Values by the names of settings. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The default file, which need not exist. */
const defaultFile = 'posthorn.conf'

/** A configuration file as it was read: the settings in it, and its faults. */
interface ConfigFile {
  readonly path: string
  readonly values: Environment
  readonly faults: readonly string[]
}

/** Reads lines of `NAME=value`, and returns every line that is none as a sentence. */
export function readConfigFile(named: string | undefined): ConfigFile {
  const path = named || defaultFile
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT')
      return { path, values: {}, faults: [`the file ${path} cannot be read: ${message}`] }
    return {
      path,
      values: {},
      faults: named ? [`POSTHORN_CONFIG names ${named}, but there is no such file`] : [],
    }
  }
  const values = parseEnv(text)
  const faults: string[] = []
  // The line is not repeated, because it may contain a secret.
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*[^\s#][^=]*$/.test(line)) faults.push(`line ${index + 1} of ${path} is not NAME=value`)
  }
  return { path, values, faults }
}
