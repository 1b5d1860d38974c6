// Sees to it that the `node` that npm's scripts and `npx posthorn` call is one that runs Posthorn: the machine's own if that is new
// enough, and otherwise one that npm fetches into scripts/node. Runs after every `npm ci`, with any Node.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isTooOld, oldestNode } from '../src/node-version.js'
import { installWithNpm, packagesOf, root } from './npm.mjs'

const folder = join(root, 'scripts', 'node')
const { platform, arch } = process
/** The package that has Node for this machine. */
const name = `${platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'}-${platform}-${arch}`
const place = `node_modules/${name}`
const program = join(folder, place, 'bin', 'node')
/** Size of the package on the disk, in bytes, more or less. */
const size = 210_000_000
/** npm and npx look here first for a command. */
const link = join(root, 'node_modules', '.bin', 'node')
const target = relative(dirname(link), program)

/** Resolves with false, after saying what to do, if there is no Node that runs Posthorn. */
export async function provideNode() {
  const wanted = packagesOf(folder)?.get(place)?.version
  const present = packagesOf(folder, 'node_modules/.package-lock.json')?.get(place)?.version
  if (wanted !== undefined && present === wanted && existsSync(program)) return putFirst()
  const own = machinesVersion()
  if (own !== undefined && !isTooOld(own)) return dropFetched()
  const why = `Posthorn needs Node ${oldestNode} or later, and this machine has ${own ?? 'none of its own'}`
  if (wanted !== undefined) return fetchNode(wanted, why)
  return fail(`${why}. There is none to fetch for ${platform} on ${arch}, so install one yourself.`)
}

async function fetchNode(version, why) {
  process.stderr.write(`${why}.\n`)
  // The setting that leaves out optional packages is meant for those of Posthorn.
  const words = ['--include=optional']
  // npm succeeds without an optional package that it could not fetch.
  const isThere = () => existsSync(program)
  const what = `fetching Node ${version} (about 210 MB, once)`
  if (!(await installWithNpm(folder, what, { done: unpacked, isThere, words })))
    return fail(
      `Node ${version} could not be fetched. Check that this machine reaches its npm registry and has 500 MB of room on its disk, then run the same command again, or install Node ${oldestNode} or later yourself. \`npm ci --prefix scripts/node --loglevel=verbose\` shows what is wrong.`,
    )
  if (spawnSync(program, ['--version']).status !== 0)
    return fail(
      `the Node that was fetched does not run on this machine; install Node ${oldestNode} or later yourself.`,
    )
  return putFirst()
}

function fail(text) {
  process.stderr.write(`Posthorn: ${text}\n`)
  return false
}

/** The part of the package that was unpacked after that moment. */
function unpacked(since) {
  const within = join(folder, place)
  if (!existsSync(within)) return 0
  const bytes = readdirSync(within, { recursive: true }).map((path) => {
    const found = statSync(join(within, path), { throwIfNoEntry: false })
    return found !== undefined && found.ctimeMs >= since ? found.size : 0
  })
  return bytes.reduce((sum, more) => sum + more, 0) / size
}

function putFirst() {
  if (linked() === target) return true
  mkdirSync(dirname(link), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(target, link)
  return true
}

/** Removes what was fetched when the machine's own Node was too old. */
function dropFetched() {
  if (linked() === target) rmSync(link)
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  return true
}

function linked() {
  return lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(link) : undefined
}

/** The version of the Node that the machine has without ours; undefined if there is none. */
function machinesVersion() {
  if (!isOurs(process.execPath)) return process.versions.node
  const own = (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, 'node'))
    .find((path) => existsSync(path) && !isOurs(realpathSync(path)))
  if (own === undefined) return undefined
  const { status, stdout } = spawnSync(own, ['--version'])
  return status === 0 ? stdout.toString().trim().slice(1) : undefined
}

function isOurs(path) {
  return path.startsWith(root)
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !(await provideNode())) process.exit(1)
