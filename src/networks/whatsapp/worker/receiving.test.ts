import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Receiving, type ReceivingOptions } from './receiving.ts'

test('what strangers send faster than it can be stored is not read, and ends the connection if it comes all the same', async () => {
  const ws = new EventEmitter()
  const sock = { ws, ev: new EventEmitter(), authState: { creds: {} }, sendMessageAck: async () => {} }
  const seen: string[] = []
  // The library is done with an unreadable message at once, and its room is given back; it is not done with one that waits
  // for the store.
  let isReadable = false
  const plaintext = () =>
    isReadable ? new Promise<Uint8Array>(() => {}) : Promise.reject(new Error('a bad MAC'))
  ws.on('CB:message', async ({ content: [{ content }] }: { content: [{ content: Uint8Array }] }) => {
    await receiving.decrypted(content, plaintext).catch(() => undefined)
    tried += 1
  })
  let tried = 0
  const receiving: Receiving = new Receiving({
    sock: sock as unknown as ReceivingOptions['sock'],
    store: () => new Promise(() => {}),
    said: async () => {},
    voteIn: async () => null,
    isStored: async () => false,
    flush: async () => {},
    room: async () => {},
    hold: async () => () => {},
    report: () => assert.fail('nothing was decrypted'),
    withoutText: () => {},
    dropped: () => assert.fail('nothing is too large'),
    overflowed: () => seen.push('overflow'),
  })
  ws.emit('upgrade', { socket: { pause: () => seen.push('pause') } })
  const part = () => new Uint8Array(1024 * 1024)
  const send = (content: Uint8Array) =>
    ws.emit('CB:message', {
      tag: 'message',
      attrs: { id: 'X', from: '4915100000001@s.whatsapp.net' },
      content: [{ tag: 'enc', attrs: { type: 'msg' }, content }],
    })
  for (let each = 0; each < 100; each++) {
    send(part())
    while (tried <= each) await turn()
  }
  await turn()
  isReadable = true
  for (let each = 0; each < 32; each++) send(part())
  assert.equal(seen.length, 0)
  for (let each = 0; each < 16; each++) send(part())
  assert.deepEqual(new Set(seen), new Set(['pause']))
  send(part())
  assert.equal(seen.at(-1), 'overflow')
})
