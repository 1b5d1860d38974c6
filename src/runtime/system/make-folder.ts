import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder that only its owner may enter, and those above it. Throws what the system says if it cannot be made. Node's own
 * `recursive` tries for ever in a folder that exists and yet takes no entries, such as `/proc`.
 */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  const parent = dirname(path)
  if (parent !== path && !existsSync(parent)) makeFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
