import { serveSqliteStore } from '../../src/store/sqlite-thread.ts'
import { listedFunctions } from './listed-store.ts'

await serveSqliteStore(listedFunctions)
