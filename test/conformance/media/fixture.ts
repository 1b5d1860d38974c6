import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, afterEach, before } from 'node:test'
import type { Draft } from '../../../src/contract/handler.ts'
import { Drafts } from '../../../src/media/draft.ts'
import type { MediaStore } from '../../../src/media/store/media-store.ts'

/** The suite's access to one kind of media store. */
export interface MediaStoreFixture {
  /** An empty media store, closed when the test ends. */
  store(): Promise<MediaStore>
  /** Several handles of one empty media store, as several servers would have. */
  stores(count: number): Promise<MediaStore[]>
  /** A draft with these bytes. */
  draft(bytes: AsyncIterable<Uint8Array> | Uint8Array): Promise<Draft>
}

/** Makes the fixture; `newPlace` gives an empty place each time, on which stores can be opened with drafts from `folder`. */
export function mediaStoreFixture(
  newPlace: (folder: string) => Promise<() => Promise<MediaStore>>,
): MediaStoreFixture {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-media-'))
  const open: MediaStore[] = []
  let drafts: Drafts
  before(async () => {
    drafts = await Drafts.open(join(folder, 'drafts'))
  })
  afterEach(() => Promise.all(open.splice(0).map((store) => store.close())))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const stores = async (count: number) => {
    const opening = await newPlace(folder)
    const opened = await Promise.all(Array.from({ length: count }, opening))
    open.push(...opened)
    return opened
  }
  return {
    stores,
    store: async () => (await stores(1))[0] as MediaStore,
    draft: (bytes) =>
      drafts.receive(bytes instanceof Uint8Array ? Readable.from([bytes]) : bytes, Number.MAX_SAFE_INTEGER),
  }
}

/** Bytes that are the same for the same number of them, and nowhere repeat each other at a round distance. */
export function sampleBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let index = 0; index < size; index++)
    bytes[index] = (index * 7 + (index >> 8) * 13 + (index >> 16)) & 0xff
  return bytes
}

export async function read(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of source) parts.push(part)
  return new Uint8Array(Buffer.concat(parts))
}

export async function digestOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of source) hash.update(part)
  return hash.digest('hex')
}

/** Every id that the store has, in order. */
export async function idsOf(store: MediaStore): Promise<string[]> {
  const ids: string[] = []
  for await (const id of store.ids()) ids.push(id)
  return ids.sort()
}
