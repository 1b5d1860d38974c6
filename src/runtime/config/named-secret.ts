import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** Bytes that the file of a secret may have: keys and URLs take fewer. */
const maxBytes = 16 * 1024

/** Reasons why a file cannot be opened, by the code of the error. */
const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
}

/** Reads the secret in a file that a setting names, without the space around it. Throws a sentence that completes "NAME …". */
export function readNamedSecret(path: string, setting: string): string {
  const fault = (what: string) => new Error(`cannot be read from ${path}, which ${setting} names: ${what}`)
  let descriptor: number
  try {
    // A pipe without a writer must not hold up the start.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw fault(unreadable[code] ?? message)
  }
  try {
    if (!fstatSync(descriptor).isFile()) throw fault('it is not a file')
    const bytes = Buffer.alloc(maxBytes + 1)
    const length = readSync(descriptor, bytes)
    if (length > maxBytes) throw fault(`it has more than ${maxBytes / 1024} KB`)
    const secret = bytes.toString('utf8', 0, length).trim()
    if (secret === '') throw fault('it is empty')
    return secret
  } finally {
    closeSync(descriptor)
  }
}
