import { serveSqliteStore } from '../../../src/store/sqlite/sqlite-thread.ts'
import { functions } from './functions.ts'

await serveSqliteStore(functions)
