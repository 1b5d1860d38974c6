// Runs on the machine's own Node before `npm start`, `npm test` and the like, so it must not need anything installed.
// It installs the dependencies, Node 26 among them, when they are missing or older than the lockfile. With `--omit=dev`, as before
// `npm start`, those for development are not needed; if there are any, they are kept up to date with the rest.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const onlyToRun = process.argv.includes('--omit=dev')

/** The packages of a lockfile by their places: npm keeps the same list, less the root entry, of what it installed. */
function packagesOf(path) {
  if (!existsSync(path)) return undefined
  const { packages } = JSON.parse(readFileSync(path, 'utf8'))
  return new Map(Object.entries(packages).filter(([name]) => name !== ''))
}

const wanted = packagesOf(join(root, 'package-lock.json'))
const present = packagesOf(join(root, 'node_modules', '.package-lock.json'))

/** npm marks what only others need that are optional, or for development. */
function mayBeMissing({ optional, dev, devOptional }) {
  return optional || (onlyToRun && (dev || devOptional))
}

/** True when every package that the lockfile demands on this machine is there in the wanted version. */
function isInstalled() {
  if (!wanted || !present) return false
  for (const [name, entry] of wanted) {
    const found = present.get(name)
    if (!found ? !mayBeMissing(entry) : found.version !== entry.version) return false
  }
  return existsSync(join(root, 'node_modules', '.bin', 'node'))
}

/** What npm leaves out: what it is told to by its own settings, and what was never there and is not needed. */
function omitted() {
  const { NPM_CONFIG_OMIT, npm_config_omit = NPM_CONFIG_OMIT } = process.env
  const hasDevelopment = [...(present?.values() ?? [])].some(({ dev }) => dev)
  const parts = [npm_config_omit, onlyToRun && !hasDevelopment ? 'dev' : undefined]
  return parts.filter(Boolean).join('\n\n')
}

if (!isInstalled()) {
  process.stderr.write('Posthorn: installing what is missing (once, about half a minute) …\n')
  const { NPM_CONFIG_OMIT: _, ...environment } = process.env
  const omit = omitted()
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...environment, ...(omit && { npm_config_omit: omit }) },
    shell: process.platform === 'win32',
  })
  if (npm.status !== 0) {
    process.stderr.write(
      'Posthorn: the installation failed. Check that this machine reaches its npm registry, then run `npm ci` to see why.\n',
    )
    process.exit(npm.status ?? 1)
  }
}
