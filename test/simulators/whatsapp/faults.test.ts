import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { startClient } from './foreign/start-client.ts'
import { startWhatsApp } from './start-whatsapp.ts'

const anna = '4915100000001'
const ben = '4915100000002'

/** A server with Anna and Ben, and a client by Baileys that is linked to Anna's phone. */
async function annasClient(t: TestContext) {
  const whatsapp = await startWhatsApp(t)
  const { control, url, caFile } = whatsapp
  await control.createPerson({ phone: anna })
  const lid = await control.createPerson({ phone: ben })
  const client = startClient(t, 'baileys-client.ts', { args: [url, caFile], caFile })
  const { qr } = await client.until('qr')
  await control.scan({ person: anna, qr: String(qr) })
  await client.until('open')
  return { ...whatsapp, client, benLid: `${lid}@lid` }
}

const content = { text: 'Hello' }
const attrsOf = ({ attrs }: Record<string, unknown>) => attrs as Record<string, string>
const idOf = ({ key }: Record<string, unknown>) => (key as { id: string }).id

describe('the server', () => {
  test('keeps for a client what comes while it is away', async (t) => {
    const { control, client } = await annasClient(t)
    await client.call('close')
    await control.streams({ most: 0 })
    const id = await control.write({ from: ben, to: anna, text: 'While you were away' })
    await client.call('reconnect')
    const message = await client.until('message')
    assert.deepEqual([message.type, idOf(message)], ['append', id])
    await control.settled({ id, type: 'inactive' })
  })

  test('refuses with 463 what a rule forbids, and nothing else', async (t) => {
    const { control, client, benLid } = await annasClient(t)
    await control.change({ person: ben, isMigrated: true })
    const pn = await client.call('send', { to: `${ben}@s.whatsapp.net`, content })
    const refused = await client.until('ack', (ack) => attrsOf(ack).id === pn.id)
    assert.equal(attrsOf(refused).error, '463')
    await control.lock({ person: anna, until: Date.now() + 3_600_000 })
    const locked = await client.call('send', { to: benLid, content })
    const still = await client.until('ack', (ack) => attrsOf(ack).id === locked.id)
    assert.equal(attrsOf(still).error, '463')
    const { lock } = await client.call('timelock')
    assert.equal((lock as { isActive: boolean }).isActive, true)
    await control.lock({ person: anna, until: 0 })
    const { id } = await client.call('send', { to: benLid, content })
    const taken = await client.until('ack', (ack) => attrsOf(ack).id === id)
    assert.equal(attrsOf(taken).error, undefined)
    const seen = await control.received({ person: ben, count: 1 })
    assert.deepEqual(
      seen.map(({ id }) => id),
      [id],
    )
  })

  test('cuts the stream before the ack; the same id comes again and is shown once', async (t) => {
    const { control, client, benLid } = await annasClient(t)
    await control.fault({ on: 'message', account: anna, fault: { kind: 'cut' } })
    const id = '3EB0AAAAAAAAAAAAAAAAAA'
    await client.call('send', { to: benLid, content, id })
    await client.until('close', ({ code }) => code === 428)
    await client.call('reconnect')
    await control.devices({ person: anna, connected: 1 })
    await client.call('send', { to: benLid, content, id })
    await client.until('ack', (ack) => attrsOf(ack).id === id)
    await control.messages({ id, count: 2 })
    const seen = await control.received({ person: ben, count: 1 })
    assert.equal(seen.length, 1)
  })

  test('ends streams and refuses logins as it is told to', async (t) => {
    const { control, client } = await annasClient(t)
    await control.disturb({ person: anna, fault: { kind: 'stream-error', name: 'replaced' } })
    await client.until('close', ({ code }) => code === 440)
    await control.fault({ on: 'login', fault: { kind: 'refuse', code: 402, attributes: { expire: '3600' } } })
    await client.call('reconnect')
    await client.until('close', ({ code }) => code === 402)
    await control.unlink({ person: anna, device: 1 })
    await client.call('reconnect')
    await client.until('close', ({ code }) => code === 401)
  })

  test('lets a stranger send what only the own phone may, for clients to disbelieve', async (t) => {
    const { control, client } = await annasClient(t)
    const id = await control.forge({ from: ben, to: anna, what: 'history' })
    const { message } = await client.until('message', (received) => idOf(received) === id)
    assert.ok((message as { protocolMessage?: object }).protocolMessage)
    await control.settled({ id, type: 'inactive' })
  })

  test('lets a phone that lost its session ask for a message again', async (t) => {
    const { control, client, benLid } = await annasClient(t)
    await client.call('send', { to: benLid, content: { text: 'First' } })
    await control.received({ person: ben, count: 1 })
    await control.loseSession({ person: ben, with: anna, device: 1 })
    await control.write({ from: ben, to: anna, text: 'So that the session is sure' })
    await client.until('message')
    await control.loseSession({ person: ben, with: anna, device: 1 })
    const { id } = await client.call('send', { to: benLid, content: { text: 'Second' } })
    const [, second] = await control.received({ person: ben, from: anna, count: 2 })
    assert.deepEqual([second?.id, second?.text], [id, 'Second'])
    assert.equal((await control.trouble({ person: ben })).undecryptable, 1)
  })

  test('shows a client what its person writes on the phone', async (t) => {
    const { control, client, benLid } = await annasClient(t)
    const id = await control.write({ from: anna, to: ben, text: 'From the phone' })
    const own = await client.until('message', (message) => idOf(message) === id)
    const { remoteJid, fromMe } = own.key as { remoteJid: string; fromMe: boolean }
    assert.deepEqual([remoteJid, fromMe], [benLid, true])
    await control.settled({ id, type: 'sender' })
  })

  test('ends the stream of a client that does not ack messages', async (t) => {
    const { control, client } = await annasClient(t)
    await control.change({ person: anna, ackWithin: 200 })
    await control.write({ from: ben, to: anna, text: 'Ack me' })
    const { message } = await client.until('close', ({ code }) => code === 500)
    assert.equal(message, 'Stream Errored (ack)')
  })

  test('carries messages between linked clients, and copies to the other client of the sender', async (t) => {
    const { control, client, url, caFile, benLid } = await annasClient(t)
    const [second, bens] = [anna, ben].map((person) => {
      const started = startClient(t, 'baileys-client.ts', { args: [url, caFile], caFile })
      return { person, started }
    })
    assert.ok(second && bens)
    for (const { person, started } of [second, bens]) {
      const { qr } = await started.until('qr')
      await control.scan({ person, qr: String(qr) })
      await started.until('open')
    }
    await control.devices({ person: anna, connected: 2 })
    const { id } = await client.call('send', { to: benLid, content })
    const heard = await bens.started.until('message', (message) => idOf(message) === id)
    assert.deepEqual((heard.message as { extendedTextMessage: object }).extendedTextMessage, {
      text: 'Hello',
    })
    const copy = await second.started.until('message', (message) => idOf(message) === id)
    assert.equal((copy.key as { fromMe: boolean }).fromMe, true)
  })

  test('sends a status that nobody can decrypt, which the client acks or refuses', async (t) => {
    const { control, client } = await annasClient(t)
    const status = await control.sendUnreadable({ from: ben, to: anna, what: 'status' })
    await control.settled({ id: status, type: 'ack' })
    const id = await control.write({ from: ben, to: anna, text: 'After it' })
    await client.until('message', (message) => idOf(message) === id)
  })

  test('plays the passkey gate', async (t) => {
    const { control, url, caFile } = await startWhatsApp(t)
    await control.createPerson({ phone: anna })
    await control.change({ person: anna, needsPasskey: true })
    const client = startClient(t, 'baileys-client.ts', { args: [url, caFile], caFile })
    const { qr } = await client.until('qr')
    assert.deepEqual(await control.scan({ person: anna, qr: String(qr) }), {})
    await client.until('passkey')
  })
})
