import { serveSqliteStore } from '../../../src/store/sqlite/sqlite-thread.ts'
import { listedFunctions } from './listed-store.ts'

await serveSqliteStore(listedFunctions)
