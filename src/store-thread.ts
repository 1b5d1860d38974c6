import { serveSqliteStore } from './store/sqlite-thread.ts'
import { storeFunctions } from './transactions.ts'

await serveSqliteStore(storeFunctions)
