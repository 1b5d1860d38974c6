import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { freshFolder } from '../../../test/kit/posthorn.ts'
import { Drafts } from '../../media/draft.ts'
import { FileIntake } from '../../media/file-quota.ts'
import type { Media } from '../../media/media.ts'
import { boundedFetch } from '../../net/fetch/bounded-fetch.ts'
import type { Networks } from '../../networks/driver/registry.ts'
import { Changes } from '../../runtime/changes.ts'
import { silentLog } from '../../runtime/log.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import type { Store, StoreForAll } from '../../store/store.ts'
import type { FileToFetch } from './fetch-store.ts'
import { FileFetcher } from './fetcher.ts'

const largest = 100_000

const file: FileToFetch = {
  message_id: 'msg_1',
  organization_id: 'org_1',
  sender: 'ana',
  instance_id: 'inst_1',
  network: 'sandbox',
  kind: 'document',
  created_at: 0,
  url: null,
  reference: 'photo-1',
  voice: 0,
  filename: null,
  declared_type: null,
  fetch_attempts: 0,
}

const unlimited = { quotas: { file_bytes: null }, notices: { refused: () => {} } }

/** Fetches one file that a driver opens: it announces a size, and sends these bytes. */
async function fetchFrom(t: TestContext, announced: number, bytes: Iterable<Buffer>) {
  const folder = freshFolder()
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const drafts = await Drafts.open(join(folder, 'drafts'))
  const time = new FakeTime()
  const bounded = boundedFetch({ ...time, slowest: 1, base: 60_000 })
  const dues = [file]
  const store = {
    read: async () => ({ files: dues.splice(0), nextAt: null }),
  } as unknown as Store & StoreForAll
  const result = Promise.withResolvers<unknown>()
  let sent = 0
  const body = Readable.from(
    (function* () {
      for (const each of bytes) {
        sent += each.length
        yield each
      }
    })(),
    { objectMode: false, highWaterMark: 1 },
  )
  const settle = async (settled: unknown) => {
    result.resolve(settled)
    return true
  }
  const fetcher = new FileFetcher(
    {
      store,
      intake: new FileIntake({ store, media: { drafts }, ...unlimited }),
      clock: time.clock,
      alarms: time.alarms as Alarms,
      log: silentLog,
      ...{ messageChanges: new Changes(), filesToFetch: new Changes() },
      media: {} as Media,
      networks: {} as Networks,
      node: { id: 'node_one' },
      supervisor: { wake: () => {}, runnerOf: () => undefined },
    },
    {
      direction: 'inbound',
      largest: () => largest,
      fetch: (_file, request) =>
        bounded(request, async () => ({
          headers: { 'content-length': String(announced) },
          suggestedFilename: undefined,
          body,
        })),
      take: async (_file, { size }) => ({ ok: true, file: size }),
      arrived: (_file, size) => settle(size),
      failed: (_file, { code }) => settle(code),
      later: (_file, { code }) => settle(`${code}, later`),
    },
  )
  fetcher.wake()
  const settled = await result.promise
  await fetcher.end()
  assert.deepEqual([body.destroyed, time.waiting, readdirSync(join(folder, 'drafts'))], [true, 0, []])
  return { settled, sent }
}

function* pieces(count: number) {
  for (let each = 0; each < count; each++) yield Buffer.alloc(10_000, each)
}

test('a driver that sends more bytes than a file may have is cut off, whatever it announced', async (t) => {
  for (const announced of [10_000, 10_000_000]) {
    const { settled, sent } = await fetchFrom(t, announced, pieces(1_000))
    assert.equal(settled, 'media_too_large')
    assert.ok(sent <= 2 * largest, `${sent} bytes were taken`)
  }
})

test('a driver that sends more or fewer bytes than it announced: its file is what came', async (t) => {
  for (const announced of [0, 40_000, 60_000])
    assert.deepEqual(await fetchFrom(t, announced, pieces(5)), { settled: 50_000, sent: 50_000 })
})
