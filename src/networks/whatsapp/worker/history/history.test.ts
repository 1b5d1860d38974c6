import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { initAuthCreds, proto } from 'baileys'
import { malformed, NetFailure, tooLarge } from '../../../../net/failure.ts'
import type { KeyChange } from '../../../driver/keys.ts'
import { largestHistory } from '../baileys/bounds/history.ts'
import { Keys } from '../keys.ts'
import { Expirations } from '../outgoing/expirations.ts'
import { History, type HistoryOptions } from './history.ts'

const { INITIAL_BOOTSTRAP, RECENT, FULL, INITIAL_STATUS_V3 } = proto.Message.HistorySyncType
const { HISTORY_SYNC_NOTIFICATION } = proto.Message.ProtocolMessage.Type

const good = deflateSync(
  proto.HistorySync.encode({
    syncType: proto.HistorySync.HistorySyncType.RECENT,
    phoneNumberToLidMappings: [{ pnJid: '4915100000001@s.whatsapp.net', lidJid: '9001@lid' }],
  } as proto.IHistorySync).finish(),
)
const passing = new NetFailure('status', false, 'the server answered with the status 503', { status: 503 })

const told = (more: proto.Message.IHistorySyncNotification = {}): proto.IMessage => ({
  protocolMessage: {
    type: HISTORY_SYNC_NOTIFICATION,
    historySyncNotification: {
      syncType: RECENT,
      directPath: `/v/t62.7118-24/${randomBytes(8).toString('hex')}`,
      mediaKey: randomBytes(32),
      fileSha256: randomBytes(32),
      fileEncSha256: randomBytes(32),
      fileLength: 1_000,
      ...more,
    },
  },
})
const own = { from_me: true }

/** A history whose files are opened by `open`, and what became of them. */
function stage(
  open: HistoryOptions['open'] = async () => Readable.from([good]),
  store = new Map<string, Uint8Array>(),
) {
  const home = {
    get: async (type: string, ids: readonly string[]) =>
      new Map(
        ids.flatMap((id) => {
          const value = store.get(`${type} ${id}`)
          return value ? [[id, value] as const] : []
        }),
      ),
    set: async (changes: readonly KeyChange[]) => {
      for (const { type, id, value } of changes)
        if (value) store.set(`${type} ${id}`, value)
        else store.delete(`${type} ${id}`)
    },
  }
  const keys = new Keys(home, initAuthCreds(), (error) => assert.ifError(error))
  const dropped: string[] = []
  let read = 0
  let changed = Promise.withResolvers<void>()
  const next = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  const history = new History({
    keys,
    expirations: new Expirations(keys),
    open,
    inTurn: (work) => work(),
    serves: () => {},
    dropped: (what) => {
      dropped.push(what)
      next()
    },
    read: () => {
      read += 1
      next()
    },
    pauses: [0, 0],
  })
  /** Waits until so many parts are through. */
  const settled = async (count: number) => {
    while (read + dropped.length < count) await changed.promise
  }
  return { history, keys, store, dropped, settled, parts: () => read }
}

test('a file is fetched once the connection is open, and what is in a message is read at once', async () => {
  const { history, settled, parts, dropped } = stage()
  await history.note(
    own,
    told({ syncType: INITIAL_BOOTSTRAP, directPath: null, initialHistBootstrapInlinePayload: good }),
  )
  assert.equal(parts(), 1)
  await history.note(own, told())
  assert.equal(parts(), 1)
  void history.opened()
  await settled(2)
  await history.note(own, told())
  await settled(3)
  assert.deepEqual([parts(), dropped], [3, []])
})

test('what others say of a history, what nobody needs, and what is no history is not looked at', async () => {
  const { history, dropped } = stage(() => assert.fail('nothing is to be fetched'))
  await history.opened()
  await history.note({ from_me: false }, told())
  for (const syncType of [FULL, INITIAL_STATUS_V3]) await history.note(own, told({ syncType }))
  await history.note(own, told({ directPath: '' }))
  await history.note(own, { conversation: 'Hello' })
  assert.deepEqual(dropped, [])
})

test('one file is fetched at a time, in their order', async () => {
  let underway = 0
  const paths: string[] = []
  const { history, settled } = stage(async (reference) => {
    assert.equal(underway++, 0)
    paths.push(JSON.parse(reference).path)
    await new Promise(setImmediate)
    underway -= 1
    return Readable.from([good])
  })
  const messages = [told(), told(), told()]
  for (const message of messages) await history.note(own, message)
  void history.opened()
  await settled(3)
  assert.deepEqual(
    paths,
    messages.map(({ protocolMessage }) => protocolMessage?.historySyncNotification?.directPath),
  )
})

for (const [what, failure, attempts, as] of [
  ['has no time', passing, 3, 'history_file'],
  ['is not there yet', new Error('the connection is not open'), 3, 'history_file'],
  ['has another file', malformed('the file is not the one that was sent'), 1, 'history_file'],
  ['has too large a file', tooLarge(1), 1, 'history'],
] as const)
  test(`if the host ${what}, it is asked ${attempts} times, and the next file is fetched all the same`, async () => {
    let asked = 0
    const { history, settled, parts, dropped } = stage(async () => {
      asked += 1
      if (asked <= attempts) throw failure
      return Readable.from([good])
    })
    await history.note(own, told())
    await history.note(own, told())
    void history.opened()
    await settled(2)
    assert.deepEqual([asked, parts(), dropped], [attempts + 1, 1, [as]])
  })

test('a file that broke off is fetched again', async () => {
  let asked = 0
  const { history, settled, parts } = stage(async () => {
    asked += 1
    if (asked > 1) return Readable.from([good])
    return Readable.from(
      (function* () {
        yield good.subarray(0, 5)
        throw new NetFailure('lost', false, 'the server closed the connection')
      })(),
    )
  })
  await history.note(own, told())
  void history.opened()
  await settled(1)
  assert.deepEqual([asked, parts()], [2, 1])
})

test('what is said to be too large, what is more than may wait, and what cannot be fetched is dropped', async () => {
  const { history, dropped } = stage()
  await history.note(own, told({ fileLength: largestHistory + 1 }))
  await history.note(own, told({ directPath: 'https://example.org/a' }))
  await history.note(own, told({ mediaKey: Buffer.alloc(31) }))
  for (let count = 0; count < 33; count++) await history.note(own, told())
  assert.deepEqual(dropped, ['history', 'history_file', 'history_file', 'history'])
})

test('what was not fetched is found by the next client of the account, and what was is forgotten', async () => {
  const store = new Map<string, Uint8Array>()
  const first = stage(() => new Promise(() => {}), store)
  await first.history.note(own, told())
  await first.keys.flush()
  void first.history.opened()
  first.history.end()
  const second = stage(undefined, store)
  await second.history.opened()
  assert.deepEqual([second.parts(), first.dropped], [1, []])
  const third = stage(() => assert.fail('it is fetched already'), store)
  await third.history.opened()
})

test('whoever tells of file after file gets no more than so much of an hour', async () => {
  let asked = 0
  const { history, settled, dropped } = stage(async () => {
    asked += 1
    throw malformed('the file is not the one that was sent')
  })
  await history.opened()
  for (let count = 0; count < 600; count++) {
    await history.note(own, told())
    await settled(count + 1)
  }
  // 64 MiB, of which each attempt takes 128 KiB at least.
  assert.ok(asked >= 512 && asked <= 514, `${asked} attempts`)
  assert.equal(dropped.filter((what) => what === 'history').length, 600 - asked)
})
