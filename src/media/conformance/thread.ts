import { serveSqliteStore } from '../../store/sqlite-thread.ts'
import { functions } from './functions.ts'

await serveSqliteStore(functions)
