import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Folder in which the generators are installed. */
export const generators = fileURLToPath(new URL('.', import.meta.url))

/**
 * Installs the generators as their lockfile has them, unless they are there. Tells why where npm cannot;
 * `POSTHORN_TEST_REQUIRE=generators` turns the reason into a failure.
 */
export async function installGenerators(): Promise<string | undefined> {
  if (isInstalled()) return undefined
  try {
    await run('npm', ['ci', '--ignore-scripts', '--loglevel=error'], { cwd: generators })
    return undefined
  } catch (error) {
    if ((process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes('generators')) throw error
    return 'npm could not install the generators (test/generators)'
  }
}

function isInstalled(): boolean {
  const [wanted, present] = ['package-lock.json', 'node_modules/.package-lock.json'].map((name) => {
    const path = join(generators, name)
    if (!existsSync(path)) return undefined
    return (JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Entry> }).packages
  })
  if (!wanted || !present) return false
  return Object.entries(wanted).every(
    ([name, { version, optional }]) =>
      name === '' || present[name]?.version === version || (optional && !present[name]),
  )
}

interface Entry {
  readonly version?: string
  readonly optional?: boolean
}
