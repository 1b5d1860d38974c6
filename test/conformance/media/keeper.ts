import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Drafts } from '../../../src/media/draft.ts'
import { MediaLibrary } from '../../../src/media/media-library.ts'
import { openFileMedia } from '../../../src/media/store/files.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { newId } from '../../../src/runtime/ids.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite.ts'
import { accept } from './functions.ts'

/*
 * A separate process that stores files and accepts messages that use them, eight at a time and until it is killed:
 * `keeper.ts FOLDER`. It prints the id, size and digest of each file that a message was accepted with.
 */
const folder = process.argv[2] ?? ''
const thread = new URL('./thread.ts', import.meta.url)
const store = await openSqliteStore({ file: join(folder, 'posthorn.db'), thread })
const drafts = await Drafts.open(join(folder, 'drafts'))
const bytes = await openFileMedia(join(folder, 'files'))
const library = new MediaLibrary({ store, bytes, clock: systemClock })

async function keep(): Promise<void> {
  for (;;) {
    const parts = Array.from({ length: 1 + Math.floor(Math.random() * 4) }, () => randomBytes(50_000))
    const draft = await drafts.receive(Readable.from(parts), 1_000_000)
    const media = await library.keep('org_one', draft)
    const id = await store.transact(accept, { media, organizationId: 'org_one', messageId: newId('msg') })
    if (id !== null) process.stdout.write(`${id} ${draft.size} ${draft.sha256}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, keep))
