import { openSqliteStore } from '../../../src/store/sqlite/sqlite.ts'
import { putThing, thing } from './functions.ts'

/*
 * A separate process that writes things into a SQLite store and prints the name of each one that the store acknowledged:
 * `writer.ts FILE PREFIX COUNT`, sixteen at a time.
 */
const [file = '', prefix = '', count = '0'] = process.argv.slice(2)
const store = await openSqliteStore({ file, thread: new URL('./thread.ts', import.meta.url) })
let next = 0

async function write(): Promise<void> {
  while (next < Number(count)) {
    const name = `${prefix}-${next++}`
    await store.transact(putThing, thing(name))
    process.stdout.write(`${name}\n`)
  }
}

await Promise.all(Array.from({ length: 16 }, write))
await store.close()
