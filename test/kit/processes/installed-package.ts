import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Installs the packages of a folder of tests as its lockfile has them, unless they are there. Returns the reason if npm cannot;
 * `POSTHORN_TEST_REQUIRE=` with the `name` turns the reason into a failure.
 */
export async function installPackages(folder: string, name: string): Promise<string | undefined> {
  if (isInstalled(folder)) return undefined
  const release = await lockOfNpm()
  const install = () => run('npm', ['ci', '--ignore-scripts', '--loglevel=error'], { cwd: folder })
  try {
    if (isInstalled(folder)) return undefined
    // Beside much other work, npm now and then misses a folder that it has just made, and not a second time.
    await install().catch(install)
    return undefined
  } catch (error) {
    if ((process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes(name)) throw error
    return `npm could not install the packages of ${folder}`
  } finally {
    release()
  }
}

/**
 * Resolves when no other test installs packages, and returns a function that lets the next one: they share a cache, in which one
 * npm takes away what another is about to move. The lock ends with this process. Without the program `flock`, nothing is waited for.
 */
async function lockOfNpm(): Promise<() => void> {
  const holder = spawn('flock', [join(tmpdir(), 'posthorn-npm.lock'), 'cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  holder.stdin.on('error', () => undefined)
  holder.stdin.write('held\n')
  await Promise.race([once(holder.stdout, 'data'), once(holder, 'close')]).catch(() => undefined)
  return () => void holder.stdin.end()
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
