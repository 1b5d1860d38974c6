// In plain JavaScript, for the same reason as main.js.
import { keepCompiled } from './compile-cache.js'

keepCompiled()
const { serveSqliteStore } = await import('./store/sqlite/sqlite-thread.ts')
const { storeFunctions } = await import('./transactions.ts')
await serveSqliteStore(storeFunctions)
