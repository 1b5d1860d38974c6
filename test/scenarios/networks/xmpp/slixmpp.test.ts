import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sendLocationMessage } from '../../../../src/contract/operations/content-operations.ts'
import {
  editMessage,
  reactToMessage,
  retractMessage,
} from '../../../../src/contract/operations/following-operations.ts'
import { createInstance } from '../../../../src/contract/operations/instance-operations.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { needsProsody, type Prosody, startProsody } from '../../../kit/networks/xmpp/prosody.ts'
import { needsSlixmpp, type Order, SlixmppClient } from '../../../kit/networks/xmpp/slixmpp-client.ts'
import { eventually, everythingReceived, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'

/*
 * A library that others wrote reads what Posthorn sends, and Posthorn reads what it sends: it has drafts and earlier versions of some extensions.
 */

const skip = needsProsody.skip || needsSlixmpp.skip

describe('Eva talks with a partner by a client of slixmpp', { skip }, () => {
  let prosody: Prosody
  let posthorn: Posthorn
  let eva: SlixmppClient
  let support: string

  before(async () => {
    prosody = await startProsody({ starttls: 'off', archive: true })
    posthorn = await startPosthorn()
    eva = await SlixmppClient.join(prosody, 'eva')
    await prosody.createUser('support', 'a password')
    support = prosody.address('support')
    const service = `xmpp://127.0.0.1:${prosody.port}`
    const settings = { address: support, service, allow_plaintext: true }
    const body = { name: 'support', network: 'xmpp', settings, credentials: { password: 'a password' } }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
  })
  after(async () => {
    await posthorn?.stop()
    await eva?.leave()
    await prosody?.remove()
  })

  const say = (words: string, reply_to?: string) =>
    text(posthorn.admin, { instance: 'support', to: eva.address, text: words, ...(reply_to && { reply_to }) })
  /** The message as slixmpp reads it, without its id. */
  const read = async ({ network_message_id }: Message) => {
    const { id, ...message } = await eva.receives((one) => one.id === network_message_id)
    return message
  }
  /** Returns what comes in when Eva has done this. */
  async function received(order: Omit<Order, 'to'> & { readonly do: string }): Promise<Message> {
    const { length } = await everythingReceived(posthorn.admin, 'support')
    eva.performs({ ...order, to: support })
    const all = () => everythingReceived(posthorn.admin, 'support')
    const now = await eventually('a message', all, (messages) => messages.length > length)
    return now.at(-1) ?? assert.fail()
  }

  test('it reads a reply, reactions, an edit and a place as they are meant', async () => {
    const first = await say('First')
    const id = String(first.network_message_id)
    const stored = false
    assert.deepEqual(await read(first), { body: 'First', stored })
    const reply = await say('Second 😀', first.id)
    const quote = { to: support, id }
    assert.deepEqual(await read(reply), { body: '> First\nSecond 😀', reply: quote, stored })
    await reaches(posthorn.admin, reply.id, 'delivered')
    for (const emoji of ['👍🏽', null]) {
      const { body: sent } = await posthorn.admin.call(reactToMessage, {
        params: { id: first.id },
        body: { emoji },
      })
      const reactions = { id, emojis: emoji === null ? [] : [emoji] }
      assert.deepEqual(await read(sent), { body: '', reactions, stored: true })
    }
    const edit = { params: { id: first.id }, body: { text: 'First of all' } }
    const { body: edited } = await posthorn.admin.call(editMessage, edit)
    assert.deepEqual(await read(edited), { body: 'First of all', replaces: id, stored })
    const place = { latitude: 52.5163, longitude: 13.3777, address: 'Pariser Platz' }
    const { body: sent } = await posthorn.admin.call(sendLocationMessage, {
      body: { instance: 'support', to: eva.address, ...place },
    })
    const shown = { lat: 52.5163, lon: 13.3777, text: 'Pariser Platz' }
    assert.deepEqual(await read(sent), { body: 'geo:52.5163,13.3777', place: shown, stored })
  })

  test('it knows no retractions of today, and shows the words that are there for it, in its language', async () => {
    const first = await say('A mistake')
    const { body: retracted } = await posthorn.admin.call(retractMessage, {
      params: { id: first.id },
      body: {},
    })
    const { body, stored } = await read(retracted)
    assert.match(body, /^I have deleted an earlier message/)
    assert.equal(stored, true)
  })

  test('what it writes is read: a reply of the first drafts, a name, reactions, an edit, a retraction of old, a place', async () => {
    const first = await say('How are you?')
    const target = String(first.network_message_id)
    await read(first)
    const reply = await received({
      ...{ do: 'reply', target, id: 'fine', quote: '> How are you?\n', text: 'Fine 😀', name: 'Eva Lima' },
    })
    const about = { message_id: first.id, network_message_id: target }
    assert.deepEqual([reply.text, reply.relation], ['Fine 😀', { type: 'reply', ...about }])
    assert.deepEqual(reply.sender, { address: eva.address, name: 'Eva Lima', username: null })
    const reaction = await received({ do: 'react', target, emojis: ['🎉'] })
    assert.deepEqual([reaction.text, reaction.relation], ['🎉', { type: 'reaction', ...about }])
    const own = { message_id: reply.id, network_message_id: reply.network_message_id }
    const edit = await received({ do: 'correct', target: 'fine', text: 'Very well' })
    assert.deepEqual([edit.text, edit.relation], ['Very well', { type: 'correction', ...own }])
    const retraction = await received({ do: 'retract', target: 'fine' })
    assert.deepEqual([retraction.kind, retraction.relation], ['retraction', { type: 'retraction', ...own }])
    const fields = { lat: 1.5, lon: -2.5, building: 'Beacon', country: 'None' }
    const place = await received({ do: 'place', text: 'Far away', fields })
    assert.deepEqual(place.location, { latitude: 1.5, longitude: -2.5, name: null, address: 'Beacon, None' })
    assert.equal(place.text, 'Far away')
  })
})
