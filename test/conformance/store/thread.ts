import { workerData } from 'node:worker_threads'
import { servePostgresStore } from '../../../src/store/postgres/postgres-thread.ts'
import { serveSqliteStore } from '../../../src/store/sqlite/sqlite-thread.ts'
import { functions } from './functions.ts'

await ('url' in workerData ? servePostgresStore(functions) : serveSqliteStore(functions))
