// `npm test`: every test file in a process of its own, several at a time.

import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const root = join(import.meta.dirname, '..')

// Every process strips and compiles the same files; the servers keep theirs there, too.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'posthorn')

// The scenarios first, which take longest, so that none of them is still running when all the others are done.
const files = ['test/**/*.test.ts', 'src/**/*.test.ts'].flatMap((pattern) =>
  globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }).sort(),
)

// The test files end with it, also when it alone is told to.
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopped.abort())

const tests = run({
  files: files.map((file) => resolve(root, file)),
  // Plays wait for most of their time: as many files as cores would keep the processor busy for less than half of it.
  concurrency: availableParallelism() * 2,
  timeout: 300_000,
  signal: stopped.signal,
})
tests.on('test:fail', () => {
  process.exitCode = 1
})
const durations = []
tests.on('test:summary', ({ file, duration_ms }) => {
  if (file) durations.push({ file, seconds: duration_ms / 1_000 })
})
tests.on('end', () => {
  durations.sort((one, other) => other.seconds - one.seconds)
  const lines = durations
    .slice(0, 50)
    .map(({ file, seconds }) => `${seconds.toFixed(0).padStart(4)} s  ${relative(root, file)}`)
  process.stdout.write(`\nThe files that took longest:\n${lines.join('\n')}\n`)
})
tests.compose(spec).pipe(process.stdout)
