import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Installs the packages of a folder of tests as its lockfile has them, unless they are there. Returns the reason if npm cannot;
 * `POSTHORN_TEST_REQUIRE=` with the `name` turns the reason into a failure.
 */
export async function installPackages(folder: string, name: string): Promise<string | undefined> {
  if (isInstalled(folder)) return undefined
  const install = () => run('npm', ['ci', '--ignore-scripts', '--loglevel=error'], { cwd: folder })
  try {
    // Beside much other work, npm now and then misses a folder that it has just made, and not a second time.
    await install().catch(install)
    return undefined
  } catch (error) {
    if ((process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes(name)) throw error
    return `npm could not install the packages of ${folder}`
  }
}

function isInstalled(folder: string): boolean {
  const [wanted, present] = ['package-lock.json', 'node_modules/.package-lock.json'].map((name) => {
    const path = join(folder, name)
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
