import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** Values by the names of settings. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The default file, which need not exist. */
const defaultFile = 'posthorn.conf'

/** Reads lines of `NAME=value`, and returns every fault of the file as a sentence. */
export function readConfigFile(
  named: string | undefined,
  isSetting: (name: string) => boolean,
): { values: Environment; faults: string[] } {
  const file = named || defaultFile
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') return { values: {}, faults: [`the file ${file} cannot be read: ${message}`] }
    return {
      values: {},
      faults: named ? [`POSTHORN_CONFIG names ${named}, but there is no such file`] : [],
    }
  }
  const values = parseEnv(text)
  const faults: string[] = []
  // The line is not repeated, because it may contain a secret.
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*[^\s#][^=]*$/.test(line)) faults.push(`line ${index + 1} of ${file} is not NAME=value`)
  }
  for (const name of Object.keys(values)) {
    if (!isSetting(name)) {
      faults.push(`${name} in ${file} is not a setting; docs/configuration.md lists them all`)
    }
  }
  return { values, faults }
}
