// In plain JavaScript, for the same reason as main.js.
import { workerData } from 'node:worker_threads'
import { keepCompiled, loadInParts } from '../compile-cache.js'

keepCompiled()
await loadInParts(
  () => import('kysely'),
  () => import('../messages/transactions.ts'),
)
const { storeFunctions } = await import('./transactions.ts')
if ('url' in workerData) {
  const { servePostgresStore } = await import('../store/postgres/postgres-thread.ts')
  await servePostgresStore(storeFunctions)
} else {
  const { serveSqliteStore } = await import('../store/sqlite/sqlite-thread.ts')
  await serveSqliteStore(storeFunctions)
}
