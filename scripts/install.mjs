// Runs on the machine's own Node before `npm start` and `npm test`, so it must not need anything installed.
// It installs the dependencies, Node 26 among them, when they are missing or older than the lockfile.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** The packages of a lockfile, as one comparable text: npm keeps the same list, less the root entry, of what it installed. */
function packagesOf(path) {
  if (!existsSync(path)) return undefined
  const { packages } = JSON.parse(readFileSync(path, 'utf8'))
  const named = Object.entries(packages).filter(([name]) => name !== '')
  return new Map(named.map(([name, entry]) => [name, entry]))
}

/** True when every package that the lockfile demands on this machine is there in the wanted version. */
function isInstalled() {
  const wanted = packagesOf(join(root, 'package-lock.json'))
  const present = packagesOf(join(root, 'node_modules', '.package-lock.json'))
  if (!wanted || !present) return false
  for (const [name, entry] of wanted) {
    const found = present.get(name)
    if (!found ? !entry.optional : found.version !== entry.version) return false
  }
  return existsSync(join(root, 'node_modules', '.bin', 'node'))
}

if (!isInstalled()) {
  process.stderr.write('Posthorn: installing what is missing (once, about half a minute) …\n')
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (npm.status !== 0) {
    process.stderr.write(
      'Posthorn: the installation failed. Check that this machine reaches its npm registry, then run `npm ci` to see why.\n',
    )
    process.exit(npm.status ?? 1)
  }
}
