// Runs many test files in one process, one after the other: to start a process and load its modules costs more than what most
// of them do. Each is a suite, so that its hooks are its own.
import { join } from 'node:path'
import { describe } from 'node:test'

const root = join(import.meta.dirname, '..', '..', '..')

// A test that waits for what only it will do would otherwise end the process, and all tests that follow it.
const alive = setInterval(() => {}, 60_000)

// A file is imported when the one before has ended. If several were imported at once, those that wait for the same module would
// all be evaluated where the first of them waits, and their tests and hooks would belong to its suite.
for (const file of (process.env.POSTHORN_TEST_FILES ?? '').split('\n').filter(Boolean))
  await describe(file, async () => {
    await import(join(root, file))
  })
clearInterval(alive)
