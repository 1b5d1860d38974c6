import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { xml } from '@xmpp/client'
import { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { XmppPerson } from '../../../../test/kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../../../test/kit/networks/xmpp/prosody.ts'
import type { XmlNode } from '../../../../test/kit/networks/xmpp/read-message.ts'
import { xmpp } from '../driver.ts'

const states = 'http://jabber.org/protocol/chatstates'
const state = (name: string) => xml(name, { xmlns: states })
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** Publishes something for all to see (XEP-0163). */
async function publishes(person: XmppPerson, id: string, content: XmlNode): Promise<void> {
  const node = String(content.attrs.xmlns)
  const field = (name: string, value: string) => xml('field', { var: name }, xml('value', {}, value))
  const form = xml('x', { xmlns: 'jabber:x:data', type: 'submit' })
  form.append(field('FORM_TYPE', 'http://jabber.org/protocol/pubsub#publish-options'))
  form.append(field('pubsub#access_model', 'open'))
  const pubsub = xml('pubsub', { xmlns: 'http://jabber.org/protocol/pubsub' })
  pubsub.append(xml('publish', { node }, xml('item', { id }, content)))
  pubsub.append(xml('publish-options', {}, form))
  await person.asks('set', undefined, pubsub)
}

/*
 * What people and other clients of the account show besides messages: that they are writing, what they have read, and their pictures.
 */
describe('signs of people over a real server', needsProsody, () => {
  let prosody: Prosody
  let ana: XmppPerson
  let gateway: ObservedConnection
  let account: string
  let accounts = 0

  before(async () => {
    const configuration = 'modules_enabled = { "pep", "vcard_legacy" }'
    prosody = await startProsody({ starttls: 'off', archive: true, configuration })
    ana = await XmppPerson.join(prosody, 'ana')
  })
  after(async () => {
    await ana?.leave()
    await prosody?.remove()
  })
  beforeEach(async () => {
    accounts += 1
    const name = `gateway-${accounts}`
    await prosody.createUser(name, 'a password')
    account = prosody.address(name)
    gateway = await ObservedConnection.open(xmpp({ ca: prosody.certificate }), {
      settings: { address: account, service: `xmpp://127.0.0.1:${prosody.port}`, allow_plaintext: true },
      credentials: { password: 'a password' },
    })
  })
  afterEach(() => gateway.close())

  const typingSeen = () =>
    gateway.observations.flatMap((seen) => (seen.kind === 'typing-seen' ? [[seen.from, seen.state]] : []))
  /** Resolves when the gateway has this text, and so has seen what came before it. */
  async function andThen(text: string): Promise<void> {
    await ana.says(account, text, text)
    await gateway.sees('message-received', (seen) => seen.text === text)
  }

  test('who writes to the account is seen, once for each change, until they stop or send', async () => {
    for (const name of ['composing', 'composing', 'paused', 'paused', 'composing'])
      await ana.sends({ to: account, type: 'chat' }, state(name))
    await ana.says(account, 'Hello', 'hello', state('active'))
    await andThen('done')
    const seen = ['typing', 'paused', 'typing', 'paused'].map((each) => [ana.address, each])
    assert.deepEqual(typingSeen(), seen)
  })

  test('a flood of changes is not passed on', async () => {
    for (let index = 0; index < 500; index += 1)
      await ana.sends({ to: account, type: 'chat' }, state(index % 2 ? 'paused' : 'composing'))
    await andThen('enough')
    assert.ok(typingSeen().length <= 60, String(typingSeen().length))
  })

  test('the account shows that it is writing only to clients that know that, until it sends', async () => {
    const bert = await XmppPerson.join(prosody, `bert-${accounts}`)
    await gateway.connection.showTyping?.(bert.address, 60)
    await bert.sends({ to: account, type: 'chat' }, state('active'))
    await bert.says(account, 'Hello', 'hello')
    await gateway.sees('message-received')
    await gateway.connection.showTyping?.(bert.address, 60)
    await bert.receivesSign('composing', states)
    assert.equal(bert.signs.length, 1, 'nothing before it was known')
    await gateway.send(bert.address, 'Hi').outcome
    await bert.receives(({ body }) => body === 'Hi')
    await gateway.connection.showTyping?.(bert.address, 0.01)
    await bert.receivesSign('paused', states)
    assert.equal(bert.signs.length, 3, 'the first was not ended twice')
    await bert.leave()
  })

  test('a client is asked for what it knows, and the gateway says what it knows itself', async () => {
    await andThen('before')
    // The phone of these plays answers no questions.
    await gateway.connection.showTyping?.(ana.address, 60)
    const query = xml('query', { xmlns: 'http://jabber.org/protocol/disco#info' })
    const answer = await ana.asks('get', `${account}/posthorn`, query)
    const features = answer.getChild('query')?.getChildren('feature') ?? []
    assert.ok(features.some(({ attrs }) => attrs.var === states))
  })

  test('what another client of the account shows to be read is read, up to that message', async () => {
    const desk = await XmppPerson.login(prosody, `gateway-${accounts}`, 'a password', { priority: -1 })
    await desk.asks('set', undefined, xml('enable', { xmlns: 'urn:xmpp:carbons:2' }))
    await andThen('one')
    await andThen('two')
    const ids = gateway.observations.flatMap((seen) =>
      seen.kind === 'message-received' ? [seen.network_message_id] : [],
    )
    const marker = xml('displayed', { xmlns: 'urn:xmpp:chat-markers:0', id: 'one' })
    await desk.sends({ to: ana.address, type: 'chat' }, marker)
    const first = await gateway.sees('read-elsewhere')
    assert.deepEqual([first.conversation, first.up_to], [ana.address, ids[0]])
    const node = 'urn:xmpp:mds:displayed:0'
    const stanzaId = xml('stanza-id', { xmlns: 'urn:xmpp:sid:0', by: account, id: String(ids[1]) })
    const item = () => xml('item', { id: ana.address }, xml('displayed', { xmlns: node }, stanzaId))
    const publish = xml('publish', { node }, item())
    await desk.asks('set', undefined, xml('pubsub', { xmlns: 'http://jabber.org/protocol/pubsub' }, publish))
    const second = await gateway.sees('read-elsewhere', (seen) => seen.up_to === ids[1])
    assert.equal(second.conversation, ana.address)
    // Ana cannot say it in the account's place.
    const event = xml('event', { xmlns: 'http://jabber.org/protocol/pubsub#event' })
    event.append(xml('items', { node }, item()))
    await ana.sends({ to: account }, event)
    await andThen('three')
    assert.equal(gateway.kinds().filter((kind) => kind === 'read-elsewhere').length, 2)
    await desk.leave()
  })

  test('the picture of a person is found where they publish it, or on their card', async () => {
    const find = (address: string) =>
      gateway.connection.findPicture?.(address, AbortSignal.timeout(20_000)) ?? assert.fail()
    assert.deepEqual(await find(ana.address), { kind: 'none' })
    const photo = xml('PHOTO', {}, xml('TYPE', {}, 'image/png'), xml('BINVAL', {}, png.toString('base64')))
    await ana.asks('set', undefined, xml('vCard', { xmlns: 'vcard-temp' }, photo))
    const onCard = await find(ana.address)
    assert.deepEqual(onCard.kind === 'found' && Buffer.from(onCard.bytes), png)

    const carla = await XmppPerson.join(prosody, `carla-${accounts}`)
    const other = Buffer.concat([png, Buffer.from('carla')])
    const id = createHash('sha1').update(other).digest('hex')
    const info = xml('info', { id, type: 'image/png', bytes: String(other.length) })
    await publishes(carla, id, xml('data', { xmlns: 'urn:xmpp:avatar:data' }, other.toString('base64')))
    await publishes(carla, id, xml('metadata', { xmlns: 'urn:xmpp:avatar:metadata' }, info))
    const published = await find(carla.address)
    assert.deepEqual(published.kind === 'found' && Buffer.from(published.bytes), other)

    const large = Buffer.alloc(250_000, 7).toString('base64')
    const huge = xml('PHOTO', {}, xml('TYPE', {}, 'image/png'), xml('BINVAL', {}, large))
    const sets = ana.asks('set', undefined, xml('vCard', { xmlns: 'vcard-temp' }, huge))
    if (
      await sets.then(
        () => true,
        () => false,
      )
    )
      assert.equal((await find(ana.address)).kind, 'rejected')
    assert.deepEqual(await find(prosody.address('unknown-person')), { kind: 'none' })
    await carla.leave()
  })
})
