import { serveSqliteStore } from '../../../src/store/sqlite/sqlite-thread.ts'
import { outboxFunctions } from './outbox-store.ts'

await serveSqliteStore(outboxFunctions)
