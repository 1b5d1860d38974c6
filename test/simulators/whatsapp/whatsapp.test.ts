import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { type Client, startClient } from './foreign/start-client.ts'
import { startWhatsApp, type WhatsAppProcess } from './start-whatsapp.ts'

const anna = '4915100000001'
const ben = '4915100000002'
const cleo = '4915100000003'
const flawless = { undecryptable: 0, reusedKeys: 0, duplicates: 0 }

interface Linked extends WhatsAppProcess {
  readonly client: Client
  readonly lids: Readonly<Record<string, string>>
}

/** A server with Anna, Ben and Cleo, and a client by Baileys that is linked to Anna's phone. */
async function annasClient(t: TestContext): Promise<Linked> {
  const whatsapp = await startWhatsApp(t)
  const lids: Record<string, string> = {}
  for (const [phone, name] of [
    [anna, 'Anna'],
    [ben, 'Ben'],
    [cleo, 'Cleo'],
  ] as const) {
    lids[phone] = await whatsapp.control.createPerson({ phone, name })
  }
  return { ...whatsapp, lids, client: await linkedClient(t, whatsapp, anna) }
}

/** A client by Baileys that is linked by a QR code and takes messages. */
async function linkedClient(t: TestContext, { control, url, caFile }: WhatsAppProcess, person: string) {
  const client = startClient(t, 'baileys-client.ts', { args: [url, caFile], caFile })
  const { qr } = await client.until('qr')
  const { device } = await control.scan({ person, qr: String(qr) })
  assert.equal(typeof device, 'number')
  await client.until('close', ({ code }) => code === 515)
  await client.until('open')
  return client
}

const idOf = ({ key }: Record<string, unknown>) => (key as { id: string }).id
const attrsOf = ({ attrs }: Record<string, unknown>) => attrs as Record<string, string>

describe('a client by Baileys', () => {
  test('is linked by a QR code, sends what a phone decrypts, and receives', async (t) => {
    const { control, client, lids } = await annasClient(t)
    const { id } = await client.call('send', { to: `${ben}@s.whatsapp.net`, content: { text: 'Hello Ben' } })
    const [seen] = await control.received({ person: ben, count: 1 })
    assert.deepEqual([seen?.id, seen?.text, seen?.from, seen?.device], [id, 'Hello Ben', anna, 1])
    await client.until('ack', (ack) => attrsOf(ack).id === id)
    await client.until('update', ({ status }) => status === 3)
    await control.read({ person: ben, ids: [String(id)] })
    await client.until('update', ({ status }) => status === 4)
    const [own] = await control.received({ person: anna, count: 1 })
    assert.deepEqual([own?.text, own?.isOwn, own?.chat], ['Hello Ben', true, ben])

    const answer = await control.write({ from: ben, to: anna, text: 'Hello Anna' })
    const received = await client.until('message')
    assert.deepEqual(received.message, { conversation: 'Hello Anna' })
    assert.equal(idOf(received), answer)
    assert.equal((received.key as { remoteJid: string }).remoteJid, `${lids[ben]}@lid`)
    await control.receipts({ person: ben, id: answer, type: 'delivery' })
    assert.deepEqual(await control.trouble({ person: ben }), flawless)
  })

  test('is linked by a code that is typed on the phone', async (t) => {
    const { control, url, caFile } = await startWhatsApp(t)
    await control.createPerson({ phone: anna })
    const client = startClient(t, 'baileys-client.ts', { args: [url, caFile], caFile })
    await client.until('qr')
    const { code } = await client.call('code', { phone: anna })
    const { device } = await control.enterCode({ person: anna, code: String(code) })
    assert.equal(device, 1)
    await client.until('open')
  })

  test('is not linked by a code with a wrong character', async (t) => {
    const { control, url, caFile } = await startWhatsApp(t)
    await control.createPerson({ phone: anna })
    const client = startClient(t, 'baileys-client.ts', { args: [url, caFile], caFile })
    await client.until('qr')
    await client.call('code', { phone: anna })
    await assert.rejects(control.enterCode({ person: anna, code: '2222-2222' }), /pairing code/)
    assert.deepEqual(await control.devices({ person: anna }), [])
  })

  test('talks to a group, whose members hear it and answer', async (t) => {
    const { control, client } = await annasClient(t)
    const group = await control.createGroup({ subject: 'Three', members: [anna, ben, cleo] })
    const { id } = await client.call('send', { to: `${group}@g.us`, content: { text: 'Hello all' } })
    for (const person of [ben, cleo]) {
      const [heard] = await control.received({ person, chat: group, count: 1 })
      assert.deepEqual([heard?.id, heard?.text, heard?.from], [id, 'Hello all', anna])
    }
    for (const text of ['First', 'Second']) {
      const answer = await control.write({ from: ben, to: group, text })
      const received = await client.until('message', (message) => idOf(message) === answer)
      assert.equal((received.message as { conversation: string }).conversation, text)
    }
    await client.call('send', { to: `${group}@g.us`, content: { text: 'Again' } })
    await control.received({ person: cleo, chat: group, count: 4 })
    assert.deepEqual(await control.trouble({ person: cleo }), flawless)
  })

  test('sends files, and fetches those of others', async (t) => {
    const { control, client } = await annasClient(t)
    const bytes = Buffer.from('A document that says little. '.repeat(1000))
    const content = {
      kind: 'document',
      file: bytes.toString('base64'),
      mimetype: 'text/plain',
      fileName: 'a.txt',
    }
    await client.call('send', { to: `${ben}@s.whatsapp.net`, content })
    const [seen] = await control.received({ person: ben, count: 1 })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    assert.deepEqual(
      [seen?.kind, seen?.media?.sha256, seen?.media?.fileName, seen?.media?.failure],
      ['document', sha256, 'a.txt', undefined],
    )
    const file = {
      kind: 'image',
      bytes: bytes.toString('base64'),
      mimetype: 'image/jpeg',
      caption: 'Look',
    } as const
    const id = await control.write({ from: ben, to: anna, file })
    await client.until('message', (message) => idOf(message) === id)
    const { bytes: fetched } = await client.call('download', { id })
    assert.equal(fetched, bytes.toString('base64'))
  })
})
