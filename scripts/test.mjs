// `npm test`: every test file in a process of its own, several at a time; those that disturb nothing share a few, and the
// scenarios that a store can matter to are played a second time on PostgreSQL.

import { existsSync, globSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { startOwnPostgres } from '../test/kit/postgres.ts'
import { canPlayTogether, canShareProcess } from '../test/kit/run/shared-process.ts'
import { playedOnPostgres } from '../test/scenarios/on-postgres.ts'

const root = join(import.meta.dirname, '..')

// Every process strips and compiles the same files; the servers keep theirs there, too.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'posthorn')

const quickImports = new URL('../test/kit/run/quick-imports.js', import.meta.url).href
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import ${quickImports}`.trimStart()

// Files written there are synced at once. The tests kill processes, never the machine, so that a disk would find no more.
const memory = '/dev/shm'
if (process.env.TMPDIR === undefined && hasRoom(memory, 4)) process.env.TMPDIR = memory

function hasRoom(folder, gigabytes) {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > gigabytes * 2 ** 30
}

const postgres = await startOwnPostgres({ max_connections: '400', shared_buffers: '128MB' })
if (postgres.available) process.env.POSTHORN_TEST_SHARED_POSTGRES = postgres.server.url('postgres')

const filesOf = (pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }).sort()
const textOf = (file) => readFileSync(join(root, file), 'utf8')
const sharesWith = (file, kind) => (canPlayTogether(file, textOf(file)) ? { shares: kind } : {})

const plays = filesOf('test/**/*.test.ts').map((file) => ({ file, ...sharesWith(file, 'scenarios') }))
const onPostgres = Object.values(playedOnPostgres)
  .flat()
  .map((name) => `test/scenarios/${name}.test.ts`)
  .map((file) => ({
    file,
    on: ' on PostgreSQL',
    env: postgres.available ? { POSTHORN_TEST_POSTGRES: postgres.server.url('postgres') } : undefined,
    ...sharesWith(file, 'scenarios on PostgreSQL'),
  }))
  .filter(({ env }) => env)
const sources = filesOf('src/**/*.test.ts').map((file) => ({
  file,
  ...(canShareProcess(textOf(file)) ? { shares: 'sources' } : {}),
}))

// `npm test -- WORD…` plays those with one of the words in their names; `npm run test:long` plays those that find more the
// longer they try, and lets them try twenty times as long.
const longer = {
  POSTHORN_TEST_KILLS: '100',
  POSTHORN_TEST_FAULTS: '90',
  POSTHORN_TEST_OUTBOX_RUNS: '3000',
  POSTHORN_TEST_DELIVERY_RUNS: '1000',
  POSTHORN_TEST_LIST_RUNS: '600',
  POSTHORN_TEST_CALLBACK_MUTATIONS: '20000',
  POSTHORN_TEST_IMAGE: '1',
  POSTHORN_TEST_SITE: '1',
}
const tryingLonger = [
  'crash/',
  'chaos/',
  'outbox/outbox',
  'delivery-stories',
  'message-list',
  'conversation-list',
  'callback-fuzz',
  'deploy/image',
  'docs/site-build',
  'n8n/in-n8n',
]
const isLong = process.argv[2] === '--long'
if (isLong) Object.assign(process.env, { ...longer, ...process.env })
/** Needs an n8n, which is too large to install for each run. */
const onlyLong = isLong ? [{ file: 'test/n8n/in-n8n.ts' }] : []
const words = isLong ? tryingLonger : process.argv.slice(2)
const isChosen = ({ file, on = '' }) =>
  words.length === 0 || words.some((word) => `${file}${on}`.includes(word))

/** Several processes for each kind, so that none of them is what all wait for in the end. */
const groupsOfKind = 8
function inGroups(files) {
  const groups = Map.groupBy(
    files.filter(({ shares }) => shares),
    ({ shares }, index) => `${shares}, group ${(index % groupsOfKind) + 1}`,
  )
  return [...groups].map(([name, members]) => ({
    file: 'test/kit/run/in-one-process.ts',
    on: ` (${name})`,
    env: { ...members[0].env, POSTHORN_TEST_FILES: members.map(({ file }) => file).join('\n') },
    files: members.length,
  }))
}

/** The plays first, which take longest, so that none of them is still running when all the others are done. */
const entries = [plays, onlyLong, onPostgres, sources]
  .map((kind) => kind.filter(isChosen))
  .flatMap((kind) => [...inGroups(kind), ...kind.filter(({ shares }) => !shares)])

// The test files end with it, also when it alone is told to.
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopped.abort())

const events = new PassThrough({ objectMode: true })
events.compose(spec).pipe(process.stdout)
const totals = {}
const durations = []

/**
 * Plays one entry to its end. Its events join those of the others then, without the sums of its own run: the reporter takes the
 * events of one file at a time.
 */
async function play({ file, on = '', env, files = 1 }) {
  const timeout = isLong ? 7_200_000 : 300_000 + (files - 1) * 60_000
  const tests = run({
    files: [resolve(root, file)],
    env: { ...process.env, ...env },
    timeout,
    // The timeout above is for each test of the file. Its process may also stay when all of them are done.
    signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(timeout)]),
  })
  const seen = []
  for await (const event of tests) {
    const { type, data } = event
    if (type === 'test:fail') {
      process.exitCode = 1
      if (data.details.error.cause === 'test failed')
        data.details.error.cause = lastWords(seen, data.details.error)
    }
    if (type === 'test:summary') {
      if (data.file) durations.push({ name: `${file}${on}`, seconds: data.duration_ms / 1_000 })
      else for (const [name, count] of Object.entries(data.counts)) totals[name] = (totals[name] ?? 0) + count
    } else if (data.file !== undefined || data.nesting > 0) {
      seen.push(
        on && data.nesting === 0 && data.name ? { type, data: { ...data, name: data.name + on } } : event,
      )
    }
  }
  for (const event of seen) events.write(event)
}

/** Why a file fails as a whole although its tests pass: in a long run, what it wrote stands far above. */
function lastWords(seen, { exitCode, signal }) {
  const isSaid = ({ type, data }) =>
    type === 'test:stderr' || (type === 'test:diagnostic' && data.message.includes('Error'))
  const said = seen.filter(isSaid).map(({ data }) => data.message)
  return [`the process ended with ${signal ?? exitCode}, after it said:`, ...said.slice(-20)].join('\n')
}

const waiting = entries.values()
async function playOneAfterAnother() {
  for (const entry of waiting) if (!stopped.signal.aborted) await play(entry)
}
const begun = performance.now()
// Plays wait for most of their time: as many files as cores would keep the processor busy for less than half of it.
await Promise.all(Array.from({ length: availableParallelism() * 2 }, playOneAfterAnother))
if (postgres.available) await postgres.server.stop()

const seconds = Math.round((performance.now() - begun) / 1_000)
for (const [name, count] of Object.entries({ ...totals, seconds }))
  events.write({ type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${count}`, level: 'info' } })
events.end()
durations.sort((one, other) => other.seconds - one.seconds)
const lines = durations
  .slice(0, 50)
  .map(({ name, seconds }) => `${seconds.toFixed(0).padStart(4)} s  ${name}`)
process.on('exit', () => process.stdout.write(`\nThe files that took longest:\n${lines.join('\n')}\n`))
