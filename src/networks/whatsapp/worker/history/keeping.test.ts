import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deserialize } from 'node:v8'
import { initAuthCreds } from 'baileys'
import type { KeyChange } from '../../../driver/keys.ts'
import { moveContactTokens } from '../baileys/contact-tokens.ts'
import { Keys } from '../keys.ts'
import { Expirations } from '../outgoing/expirations.ts'
import { keepHistory } from './keeping.ts'

const day = 24 * 60 * 60
const now = Math.floor(Date.now() / 1000)
const ana = { number: '4915100000001@s.whatsapp.net', lid: '9001@lid' }
const ben = { number: '4915100000002@s.whatsapp.net', lid: '9002@lid' }

const chat = (jid: string, daysAgo: number | null, byte = 1) => ({
  jid,
  token:
    daysAgo === null
      ? null
      : { token: Buffer.alloc(4, byte), timestamp: now - daysAgo * day, senderTimestamp: null },
  expiration: 0,
  expirationSince: 0,
})

function stage() {
  const stored: KeyChange[] = []
  const home = {
    get: async () => new Map<string, Uint8Array>(),
    set: async (changes: readonly KeyChange[]) => void stored.push(...changes),
  }
  const keys = new Keys(home, initAuthCreds(), (error) => assert.ifError(error))
  const options = { keys, expirations: new Expirations(keys) }
  const keep = (
    ...[contents, pause = () => keys.flush()]: [Parameters<typeof keepHistory>[1], (() => Promise<unknown>)?]
  ) => keepHistory(options, contents, pause)
  const token = async (jid: string) => {
    const found = await keys.get('tctoken', [jid])
    return found[jid]?.token[0]
  }
  return { stored, keys, keep, token, options }
}

test('everything that is kept expires, so that it never fills the room for keys', async () => {
  const { stored, keep } = stage()
  const chats = [chat(ana.lid, 1), { ...chat(ben.lid, null), expiration: day, expirationSince: now - day }]
  assert.deepEqual(await keep({ chats, pairs: [ana, ben, ana] }), { tokens: 1, addresses: 2 })
  assert.deepEqual(
    stored.map(({ type, id }) => `${type} ${id}`),
    [
      'lid-mapping 4915100000001',
      'lid-mapping 9001_reverse',
      'lid-mapping 4915100000002',
      'lid-mapping 9002_reverse',
      'tctoken 9001@lid',
      'chat-expiration 9002',
    ],
  )
  for (const { expires_at } of stored) assert.ok((expires_at ?? 0) > Date.now())
  assert.equal(stored.find(({ type }) => type === 'tctoken')?.expires_at, (now + 27 * day) * 1000)
})

test('newer tokens win, and those that are too old or from the future are left out', async () => {
  const { keep, token } = stage()
  const comes = (daysAgo: number, byte: number) => keep({ chats: [chat(ana.lid, daysAgo, byte)], pairs: [] })
  await comes(29, 1)
  assert.equal(await token(ana.lid), undefined)
  await comes(-2, 2)
  assert.equal(await token(ana.lid), undefined)
  await comes(10, 3)
  await comes(11, 4)
  assert.equal(await token(ana.lid), 3)
  await comes(9, 5)
  assert.equal(await token(ana.lid), 5)
})

test('when the account gave its own token is remembered: the later of both', async () => {
  const { keep, keys } = stage()
  const given = (daysAgo: number, sent: number) => {
    const { token, ...rest } = chat(ana.lid, daysAgo)
    return { ...rest, token: token && { ...token, senderTimestamp: sent } }
  }
  await keep({ chats: [given(5, 200)], pairs: [] })
  await keep({ chats: [given(4, 100)], pairs: [] })
  assert.equal((await keys.get('tctoken', [ana.lid]))[ana.lid]?.senderTimestamp, 200)
})

test('a token by phone number is found by LID as soon as that is known, in whichever way', async () => {
  const { keep, keys, token } = stage()
  await keep({ chats: [chat(ana.number, 1, 1)], pairs: [ana] })
  assert.equal(await token(ana.lid), 1)
  await keep({ chats: [chat(ben.number, 1, 2)], pairs: [] })
  assert.equal(await token(ben.lid), undefined)
  await keep({ chats: [], pairs: [ben] })
  assert.deepEqual([await token(ben.lid), await token(ben.number)], [2, undefined])
  const carl = { number: '4915100000003@s.whatsapp.net', lid: '9003@lid' }
  await keep({ chats: [chat(carl.number, 1, 3)], pairs: [] })
  await moveContactTokens(keys, [carl])
  assert.deepEqual([await token(carl.lid), await token(carl.number)], [3, undefined])
})

test('addresses that WhatsApp itself has told stay', async () => {
  const { keep, keys, stored } = stage()
  keys.put({ 'lid-mapping': { '4915100000001': '9009', '9009_reverse': '4915100000001' } })
  await keep({ chats: [], pairs: [ana, { number: '4915100000008@s.whatsapp.net', lid: '9009@lid' }] })
  const known = await keys.read('lid-mapping', ['4915100000001', '4915100000008', '9009_reverse'])
  assert.deepEqual(Object.fromEntries(known), { '4915100000001': '9009', '9009_reverse': '4915100000001' })
  assert.equal(deserialize(stored[0]?.value ?? Buffer.alloc(0)), '9009')
})

test('thousands of people are stored in parts, between which others get their turn', async () => {
  const { keep, stored } = stage()
  const pairs = Array.from({ length: 1_000 }, (_, index) => ({
    number: `49151${String(index).padStart(6, '0')}@s.whatsapp.net`,
    lid: `8${index}@lid`,
  }))
  const waiting: number[] = []
  const pause = async () => void waiting.push(stored.length)
  await keep({ chats: pairs.map(({ lid }) => chat(lid, 1)), pairs }, pause)
  assert.equal(waiting.length, 8)
})

test('what was said here of disappearing messages stays if it is newer than the history', async () => {
  const { keep, options } = stage()
  await options.expirations.remember(ana.lid, 3_600, now)
  const old = { ...chat(ana.lid, null), expiration: day, expirationSince: now - day }
  await keep({ chats: [old, { ...old, jid: ben.number, expiration: 400 * day }], pairs: [] })
  assert.deepEqual(
    [await options.expirations.of(ana.lid), await options.expirations.of(ben.number)],
    [3_600, 0],
  )
})
