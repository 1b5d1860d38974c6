import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { startClient } from './foreign/start-client.ts'
import { startWhatsApp } from './start-whatsapp.ts'
import type { ChainFlaw } from './wire/noise-certificate.ts'

const anna = '4915100000001'
const ben = '4915100000002'

/** A server with Anna and Ben, and a client by zapo-js that is not connected yet. */
async function strictClient(t: TestContext, flaw?: ChainFlaw) {
  const whatsapp = await startWhatsApp(t, flaw)
  for (const phone of [anna, ben]) await whatsapp.control.createPerson({ phone })
  const { url, caFile, rootKey, rootSerial } = whatsapp
  const args = [url, caFile, rootKey, String(rootSerial)]
  return { ...whatsapp, client: startClient(t, 'zapo-client.ts', { args, caFile }) }
}

describe('a client by zapo-js', () => {
  test('is linked, sends and receives', async (t) => {
    const { control, client } = await strictClient(t)
    await client.call('connect')
    const { qr } = await client.until('qr')
    await control.scan({ person: anna, qr: String(qr) })
    await client.until('open')
    await control.devices({ person: anna, connected: 1 })

    const { id } = await client.call('send', { to: `${ben}@s.whatsapp.net`, text: 'Hello Ben' })
    const [seen] = await control.received({ person: ben, count: 1 })
    assert.deepEqual([seen?.id, seen?.text, seen?.from, seen?.device], [id, 'Hello Ben', anna, 1])
    const answer = await control.write({ from: ben, to: anna, text: 'Hello Anna' })
    const received = await client.until('message')
    assert.deepEqual([received.id, received.text], [answer, 'Hello Anna'])
    await control.receipts({ person: ben, id: answer, type: 'delivery' })

    const bytes = Buffer.from('A document that says little. '.repeat(1000))
    await client.call('send', { to: `${ben}@s.whatsapp.net`, file: bytes.toString('base64') })
    const [, file] = await control.received({ person: ben, from: anna, count: 2 })
    assert.equal(file?.media?.sha256, createHash('sha256').update(bytes).digest('hex'))
    const image = { kind: 'image', bytes: bytes.toString('base64'), mimetype: 'image/jpeg' } as const
    const sent = await control.write({ from: ben, to: anna, file: image })
    await client.until('message', (message) => message.id === sent)
    const { bytes: fetched } = await client.call('download', { id: sent })
    assert.equal(fetched, bytes.toString('base64'))
    await control.fault({ on: 'download', fault: { kind: 'wrong-bytes' } })
    await assert.rejects(client.call('download', { id: sent }), /mac|hmac|sha/i)
  })

  for (const flaw of ['wrong_signature', 'other_key'] as const) {
    test(`refuses a server whose certificate is wrong: ${flaw}`, async (t) => {
      const { client, control } = await strictClient(t, flaw)
      await assert.rejects(client.call('connect'))
      assert.equal((await control.streams({})).open, 0)
    })
  }
})
