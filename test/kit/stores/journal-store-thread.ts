import { serveSqliteStore } from '../../../src/store/sqlite/sqlite-thread.ts'
import { journalFunctions } from './journal-store.ts'

await serveSqliteStore(journalFunctions)
