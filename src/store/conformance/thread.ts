import { serveSqliteStore } from '../sqlite-thread.ts'
import { functions } from './functions.ts'

await serveSqliteStore(functions)
