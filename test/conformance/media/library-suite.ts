import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import type { Draft } from '../../../src/contract/handler.ts'
import { Drafts, smallBytes } from '../../../src/media/draft.ts'
import { MediaLibrary } from '../../../src/media/media-library.ts'
import type { MediaToTake } from '../../../src/media/media-record.ts'
import { MediaMissing, type MediaStore } from '../../../src/media/store/media-store.ts'
import { newId } from '../../../src/runtime/ids.ts'
import type { Store, StoreForAll, Turn } from '../../../src/store/store.ts'
import { idsOf, read, sampleBytes } from './fixture.ts'
import { accept, countRecords, forgetSmall, settle } from './functions.ts'

/** Makes an empty place for records and bytes, seen by one server or by another as well. */
export type Place = () => Promise<{
  readonly store: Store
  readonly otherStore: Store
  readonly bytes: MediaStore
}>

const hour = 60 * 60_000
const organization = 'org_one'
const turn: Turn = { party: organization }

/** The same store, with a note of whose turn each call takes. */
function noting(store: Store, parties: string[]): StoreForAll {
  const note = ({ party }: Turn) => void parties.push(party)
  return {
    dialect: store.dialect,
    read(query, args, turn) {
      note(turn)
      return store.read(query, args, turn)
    },
    transact(transaction, args, turn) {
      note(turn)
      return store.transact(transaction, args, turn)
    },
    close: () => store.close(),
  }
}

/** One library on an empty place, with a clock that stands still until it is moved. */
class LibraryFixture {
  readonly store: Store
  readonly bytes: MediaStore
  readonly library: MediaLibrary
  readonly #otherStore: Store
  readonly #drafts: Drafts
  /** Parties whose turns the calls of the library took. */
  readonly parties: string[] = []
  now = Date.UTC(2026, 10, 21)

  constructor({ store, otherStore, bytes }: Awaited<ReturnType<Place>>, drafts: Drafts) {
    this.store = store
    this.bytes = bytes
    this.#otherStore = otherStore
    this.#drafts = drafts
    this.library = new MediaLibrary({ store: noting(store, this.parties), bytes, clock: this.#clock })
  }

  readonly #clock = { now: () => this.now, monotonic: () => this.now }

  /** The library of another server on the same place, which may see the bytes through something. */
  another(bytes: MediaStore = this.bytes): MediaLibrary {
    return new MediaLibrary({ store: this.#otherStore, bytes, clock: this.#clock })
  }

  draft(content: Uint8Array): Promise<Draft> {
    return this.#drafts.receive(Readable.from([content]), 10_000_000)
  }

  async offer(content: Uint8Array, owner = organization, library = this.library): Promise<MediaToTake> {
    const draft = await this.draft(content)
    try {
      return await library.keep(owner, draft)
    } finally {
      await draft.discard()
    }
  }

  /** Offers a file that is not small, and returns its id. */
  async keep(content: Uint8Array, owner = organization, library = this.library): Promise<string> {
    const media = await this.offer(content, owner, library)
    assert.ok(!('bytes' in media))
    return media.id
  }

  /** The id of the file that the message then has; null if it is gone. */
  take(media: MediaToTake, messageId: string, organizationId = organization): Promise<string | null> {
    return this.store.transact(accept, { media, organizationId, messageId })
  }

  async accept(id: string, messageId: string, organizationId = organization): Promise<boolean> {
    return (await this.take({ id }, messageId, organizationId)) === id
  }

  settle(messageId: string): Promise<void> {
    return this.store.transact(settle, { messageId, expiresAt: this.now + 24 * hour })
  }

  async isWhole(id: string, content: Uint8Array, party = organization): Promise<boolean> {
    const found = await read(this.library.open({ id, size: content.length }, { party }))
    return Buffer.compare(found, content) === 0
  }

  /** Counts the rest after everything has been tidied that may be. */
  async left(): Promise<{ files: number; uses: number; bytes: number }> {
    while ((await this.library.forgetExpired()).more);
    await this.library.removeLeftovers()
    return { ...(await this.store.read(countRecords, null)), bytes: (await idsOf(this.bytes)).length }
  }
}

/** Numbers in [0, 1) that a seed repeats. */
export interface Chance {
  readonly seed: number
  readonly random: () => number
}

/** Bytes that are too many for a small file, by so many. */
const large = (more: number) => sampleBytes(smallBytes + more)

/** The laws of a media library, wherever its records and bytes are. */
export function librarySuite(place: Place, chance: Chance): void {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-library-'))
  let drafts: Drafts
  before(async () => {
    drafts = await Drafts.open(folder)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  const fixture = async () => new LibraryFixture(await place(), drafts)
  describe('keeping', () => keepingLaws(fixture))
  describe('small files', () => smallFileLaws(fixture))
  describe('small files, in time,', () => smallFileRetentionLaws(fixture))
  describe('retention', () => retentionLaws(fixture))
  describe('clean-up', () => cleanUpLaws(fixture))
  describe('at once', () => racingLaws(fixture))
  describe('everything at once', () => crowdLaws(fixture, chance))
}

function keepingLaws(fixture: () => Promise<LibraryFixture>): void {
  it('keeps the same bytes once for an organization, and apart from those of others', async () => {
    const play = await fixture()
    const content = sampleBytes(300_000)
    const id = await play.keep(content)
    assert.equal(await play.keep(content), id)
    assert.equal(await play.keep(content, organization, play.another()), id)
    const [one, other] = await Promise.all([play.keep(large(7)), play.keep(large(7))])
    assert.equal(one, other)
    const foreign = await play.keep(content, 'org_two')
    assert.notEqual(foreign, id)
    assert.ok(await play.isWhole(id, content))
    assert.ok(await play.isWhole(foreign, content, 'org_two'))
    assert.deepEqual(await idsOf(play.bytes), [id, one, foreign].sort())
    assert.equal(await play.accept(foreign, 'msg_1'), false, 'nobody takes what is another organization’s')
    assert.equal(await play.accept(foreign, 'msg_1', 'org_two'), true)
  })

  it('keeps again what the media store lost', async () => {
    const play = await fixture()
    const content = large(1000)
    const id = await play.keep(content)
    await play.bytes.remove([id])
    await assert.rejects(play.isWhole(id, content), MediaMissing)
    assert.equal(await play.keep(content), id)
    assert.ok(await play.isWhole(id, content))
  })

  it('opens a part', async () => {
    const play = await fixture()
    const id = await play.keep(large(1000))
    const part = await read(play.library.open({ id, size: smallBytes + 1000 }, turn, { first: 10, last: 19 }))
    assert.deepEqual(part, large(1000).slice(10, 20))
  })
}

function smallFileLaws(fixture: () => Promise<LibraryFixture>): void {
  it('are kept as they are taken, beside their record, and once for an organization', async () => {
    const play = await fixture()
    for (const [index, size] of [0, 1, smallBytes].entries()) {
      const content = sampleBytes(size)
      const [one, other] = await Promise.all([play.offer(content), play.offer(content)])
      assert.deepEqual(
        await play.store.read(countRecords, null),
        { files: 2 * index, uses: 3 * index },
        'nothing yet',
      )
      const id = await play.take(one, `msg_1_${size}`)
      assert.equal(await play.take(other, `msg_2_${size}`), id)
      const foreign = await play.take(await play.offer(content, 'org_two'), `msg_3_${size}`, 'org_two')
      assert.ok(id !== null && foreign !== null && foreign !== id)
      assert.ok((await play.isWhole(id, content)) && (await play.isWhole(foreign, content, 'org_two')))
    }
    assert.deepEqual(await idsOf(play.bytes), [])
  })

  it('are read in the turn of who asks, and tidied in those of nobody who waits', async () => {
    const play = await fixture()
    for (const party of ['org_one', 'org_two']) {
      const id = await play.take(await play.offer(sampleBytes(1000), party), `msg_${party}`, party)
      await read(play.library.open({ id: id ?? '', size: 1000 }, { party }))
    }
    await play.library.forgetExpired()
    assert.deepEqual(play.parties, ['org_one', 'org_two', 'housekeeping'])
  })

  it('open in part', async () => {
    const play = await fixture()
    const id = await play.take(await play.offer(sampleBytes(1000)), 'msg_1')
    const part = await read(play.library.open({ id: id ?? '', size: 1000 }, turn, { first: 10, last: 19 }))
    assert.deepEqual(part, sampleBytes(1000).slice(10, 20))
  })
}

function smallFileRetentionLaws(fixture: () => Promise<LibraryFixture>): void {
  it('go with their record, and can come again', async () => {
    const play = await fixture()
    const content = sampleBytes(1000)
    const media = await play.offer(content)
    const id = await play.take(media, 'msg_1')
    await play.settle('msg_1')
    play.now += 24 * hour
    assert.deepEqual(await play.library.forgetExpired(), { removed: 1, more: false })
    await assert.rejects(play.isWhole(id ?? '', content))
    const again = await play.take(media, 'msg_2')
    assert.ok(again !== null && (await play.isWhole(again, content)))
    assert.deepEqual(await play.left(), { files: 1, uses: 1, bytes: 0 })
  })

  it('stay where they are used again before they are forgotten', async () => {
    const play = await fixture()
    const content = sampleBytes(1000)
    const id = await play.take(await play.offer(content), 'msg_1')
    await play.settle('msg_1')
    play.now += 24 * hour - 1
    assert.equal(await play.take(await play.offer(content), 'msg_2'), id)
    play.now += 1000 * hour
    assert.deepEqual(await play.left(), { files: 1, uses: 1, bytes: 0 })
    assert.ok(await play.isWhole(id ?? '', content))
  })

  it('of earlier versions, which stand in the media store, are found and forgotten there', async () => {
    const play = await fixture()
    const content = sampleBytes(1000)
    const media = await play.offer(content)
    const id = (await play.take(media, 'msg_1')) ?? ''
    await play.store.transact(forgetSmall, { id })
    await play.bytes.put(id, await play.draft(content))
    assert.ok(await play.isWhole(id, content))
    await play.settle('msg_1')
    play.now += 24 * hour
    assert.deepEqual(await play.library.forgetExpired(), { removed: 1, more: false })
    assert.deepEqual(await idsOf(play.bytes), [])
  })
}

function retentionLaws(fixture: () => Promise<LibraryFixture>): void {
  it('keeps a file for as long as a message uses it, and until its retention ends after the last', async () => {
    const play = await fixture()
    const content = large(1000)
    const id = await play.keep(content)
    for (const message of ['msg_1', 'msg_2', 'msg_2']) assert.equal(await play.accept(id, message), true)
    play.now += 1000 * hour
    assert.deepEqual(await play.left(), { files: 1, uses: 2, bytes: 1 })
    await play.settle('msg_1')
    await play.settle('msg_1')
    play.now += 1000 * hour
    assert.deepEqual(await play.left(), { files: 1, uses: 1, bytes: 1 })
    await play.settle('msg_2')
    play.now += 24 * hour - 1
    assert.deepEqual(await play.left(), { files: 1, uses: 0, bytes: 1 })
    assert.ok(await play.isWhole(id, content))
    play.now += 1
    assert.deepEqual(await play.left(), { files: 0, uses: 0, bytes: 0 })
    await play.settle('msg_of_text')
  })

  it('lets a file be used again before it is forgotten', async () => {
    const play = await fixture()
    const id = await play.keep(large(1000))
    await play.accept(id, 'msg_1')
    await play.settle('msg_1')
    play.now += 24 * hour - 1
    assert.equal(await play.keep(large(1000)), id)
    play.now += hour - 1
    assert.deepEqual(await play.left(), { files: 1, uses: 0, bytes: 1 })
    assert.equal(await play.accept(id, 'msg_2'), true)
    play.now += 1000 * hour
    assert.deepEqual(await play.left(), { files: 1, uses: 1, bytes: 1 })
  })
}

function cleanUpLaws(fixture: () => Promise<LibraryFixture>): void {
  it('forgets what no message came for, and accepts no message without its file then', async () => {
    const play = await fixture()
    const id = await play.keep(large(1000))
    play.now += hour
    assert.deepEqual(await play.library.forgetExpired(), { removed: 1, more: false })
    assert.equal(await play.accept(id, 'msg_1'), false)
    assert.deepEqual(await play.left(), { files: 0, uses: 0, bytes: 0 })
  })

  it('forgets many, some at a time', async () => {
    const play = await fixture()
    for (let index = 0; index < 501; index++) await play.keep(large(1 + index))
    play.now += hour
    assert.deepEqual(await play.library.forgetExpired(), { removed: 500, more: true })
    assert.deepEqual(await play.library.forgetExpired(), { removed: 1, more: false })
    assert.deepEqual(await idsOf(play.bytes), [])
  })

  it('removes bytes that nobody knows of, and nothing else', async () => {
    const play = await fixture()
    const id = await play.keep(large(1000))
    await play.bytes.put(newId('med'), await play.draft(sampleBytes(10)))
    await play.bytes.put(newId('med'), await play.draft(sampleBytes(0)))
    assert.equal(await play.library.removeLeftovers(), 2)
    assert.deepEqual(await idsOf(play.bytes), [id])
    assert.equal(await play.library.removeLeftovers(), 0)
  })
}

/** The moments in which what is removed and what is kept could meet. */
function racingLaws(fixture: () => Promise<LibraryFixture>): void {
  it('removes nothing that was just written and that no message uses yet', async () => {
    const play = await fixture()
    const content = large(1000)
    let removed: number | undefined
    const watched: MediaStore = Object.assign(Object.create(play.bytes), {
      put: async (id: string, draft: Draft) => {
        await play.bytes.put(id, draft)
        removed = await play.another().removeLeftovers()
      },
    })
    const id = await play.keep(content, organization, play.another(watched))
    assert.equal(removed, 0)
    assert.ok(await play.isWhole(id, content))
  })

  it('does not take the bytes of a file that came again while the old one was being removed', async () => {
    const play = await fixture()
    const content = large(1000)
    const old = await play.keep(content)
    play.now += hour
    let fresh = ''
    const slow: MediaStore = Object.assign(Object.create(play.bytes), {
      remove: async (ids: readonly string[]) => {
        // Its record is gone already; in this moment the same bytes come again, and a message takes them.
        fresh = await play.keep(content)
        assert.equal(await play.accept(fresh, 'msg_1'), true)
        await play.bytes.remove(ids)
      },
    })
    assert.deepEqual(await play.another(slow).forgetExpired(), { removed: 1, more: false })
    assert.notEqual(fresh, old)
    assert.ok(await play.isWhole(fresh, content))
    assert.deepEqual(await play.left(), { files: 1, uses: 1, bytes: 1 })
  })
}

function crowdLaws(fixture: () => Promise<LibraryFixture>, { seed, random }: Chance): void {
  it('never leaves an accepted message without its file, whatever comes together', async () => {
    const play = await fixture()
    const libraries = [play.library, play.another()]
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
    const contents = [sampleBytes(1000), large(1000), large(2000)]
    let messages = 0
    const send = async () => {
      const content = pick(contents)
      const message = `msg_${++messages}`
      for (;;) {
        const media = await play.offer(content, organization, pick(libraries))
        if (random() < 0.3) play.now += hour
        const id = await play.take(media, message)
        if (id === null) continue
        assert.ok(await play.isWhole(id, content), `message ${message} of seed ${seed} has its file`)
        if (random() < 0.3) play.now += 24 * hour
        assert.ok(await play.isWhole(id, content), `message ${message} of seed ${seed} still has its file`)
        return play.settle(message)
      }
    }
    const tidy = async () => {
      await pick(libraries).forgetExpired()
      await pick(libraries).removeLeftovers()
      play.now += 6 * hour
    }
    for (let round = 0; round < 25; round++)
      await Promise.all([send(), tidy(), send(), send(), tidy(), send()])
    play.now += 24 * hour
    assert.deepEqual(await play.left(), { files: 0, uses: 0, bytes: 0 })
  })
}
