// Runs many test files in one process: starting a process costs more than what most of them do.
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')
for (const file of (process.env.POSTHORN_TEST_FILES ?? '').split('\n').filter(Boolean))
  await import(join(root, file))
