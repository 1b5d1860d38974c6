import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { xml } from '@xmpp/client'
import {
  createInstance,
  getInstanceStatus,
  startInstance,
  stopInstance,
} from '../../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { MessageEventData } from '../../../../src/contract/resources/event.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { allEvents } from '../../../kit/http/feed.ts'
import { XmppPerson } from '../../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../../kit/networks/xmpp/prosody.ts'
import { eventually, everythingReceived, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'

/*
 * The meanings of Ana's client beside words reach the partner with the messages that they refer to, live and from the
 * archive.
 */

describe('Ana corrects, answers, reacts, takes back and encrypts', needsProsody, () => {
  let prosody: Prosody
  let posthorn: Posthorn
  let ana: XmppPerson
  let bert: XmppPerson
  let support: string
  const params = { name: 'support' }

  before(async () => {
    prosody = await startProsody({ starttls: 'off', archive: true })
    posthorn = await startPosthorn()
    ana = await XmppPerson.join(prosody, 'ana')
    bert = await XmppPerson.join(prosody, 'bert')
    await prosody.createUser('support', 'a password')
    support = prosody.address('support')
    const service = `xmpp://127.0.0.1:${prosody.port}`
    const settings = { address: support, service, allow_plaintext: true }
    const body = { name: 'support', network: 'xmpp', settings, credentials: { password: 'a password' } }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
  })
  after(async () => {
    await posthorn?.stop()
    await ana?.leave()
    await bert?.leave()
    await prosody?.remove()
  })

  /** Returns the next message that comes in during an act, as the event tells it. */
  async function received(act: () => Promise<void>): Promise<Message> {
    const count = (await everythingReceived(posthorn.admin, 'support')).length
    await act()
    const read = () => everythingReceived(posthorn.admin, 'support')
    const [message, ...more] = (await eventually('a message', read, (now) => now.length > count)).slice(count)
    assert.ok(message && more.length === 0)
    const events = await allEvents(posthorn.admin, { types: ['message.received'] })
    const last = events.at(-1)?.data as MessageEventData | undefined
    assert.deepEqual(last?.message, message)
    return message
  }

  const to = (id: string) => ({ to: support, type: 'chat', id })
  const correcting = (id: string | null) => xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id })
  const retracting = (id: string | null) => xml('retract', { xmlns: 'urn:xmpp:message-retract:1', id })
  const answering = (id: string | null) => xml('reply', { xmlns: 'urn:xmpp:reply:0', to: support, id })
  const reacting = (id: string | null, ...emojis: string[]) =>
    xml(
      'reactions',
      { xmlns: 'urn:xmpp:reactions:0', id },
      ...emojis.map((each) => xml('reaction', {}, each)),
    )
  /** Prosody archives messages without a body only if it is configured to. */
  const keep = xml('store', { xmlns: 'urn:xmpp:hints' })

  let first: Message

  test('a subject', async () => {
    first = await received(() => ana.says(support, 'Where is it?', 'first', xml('subject', {}, 'Order 7')))
    assert.deepEqual([first.subject, first.text, first.relation], ['Order 7', 'Where is it?', null])
  })

  test('a correction of her own words, and nobody else’s', async () => {
    const {
      relation,
      kind,
      text: words,
    } = await received(() => ana.says(support, 'Where are they?', 'second', correcting('first')))
    const { id: message_id, network_message_id } = first
    assert.deepEqual([kind, words], ['text', 'Where are they?'])
    assert.deepEqual(relation, { type: 'correction', message_id, network_message_id })
    const foreign = await received(() => bert.says(support, 'I am Ana', 'third', correcting('first')))
    const unknown = { type: 'correction', message_id: null, network_message_id: 'first' }
    assert.deepEqual(foreign.relation, unknown)
  })

  test('an answer and a reaction to what was sent to her', async () => {
    const sent = await text(posthorn.admin, { instance: 'support', to: ana.address, text: 'On its way' })
    await reaches(posthorn.admin, sent.id, 'delivered')
    const { id: message_id, network_message_id } = sent
    const answer = await received(() => ana.says(support, 'Thanks', 'fourth', answering(network_message_id)))
    assert.deepEqual(answer.relation, { type: 'reply', message_id, network_message_id })
    const reaction = await received(() => ana.sends(to('fifth'), reacting(network_message_id, '👍', '🎉')))
    assert.deepEqual([reaction.kind, reaction.text], ['reaction', '👍 🎉'])
    assert.deepEqual(reaction.relation, { type: 'reaction', message_id, network_message_id })
    const foreign = await received(() => bert.sends(to('sixth'), reacting(network_message_id, '👎')))
    assert.equal(foreign.relation?.message_id, null)
  })

  test('a message that is encrypted for other clients is told, and not taken for its substitute', async () => {
    const sealed = xml(
      'encrypted',
      { xmlns: 'eu.siacs.conversations.axolotl' },
      xml('header', { sid: '1' }),
      xml('payload', {}, 'AAAA'),
    )
    const message = await received(() => ana.says(support, 'You cannot read this', 'seventh', sealed))
    assert.equal(message.kind, 'unsupported')
    assert.deepEqual(message.unsupported, { type: 'encrypted', name: 'OMEMO' })
    assert.deepEqual([message.text, message.caption], [undefined, undefined])
    assert.doesNotMatch(JSON.stringify(message), /cannot read/)
  })

  test('what came while the instance was stopped is the same from the archive, and each once', async () => {
    await posthorn.admin.call(stopInstance, { params })
    const before = await everythingReceived(posthorn.admin, 'support')
    await ana.says(support, 'Where is all of it?', 'eighth', correcting('first'))
    await ana.sends(to('ninth'), reacting('first', '🙏'), keep)
    await ana.says(support, 'was taken back', 'tenth', retracting('first'))
    await posthorn.admin.call(startInstance, { params, waitSeconds: 20 })
    const read = () => everythingReceived(posthorn.admin, 'support')
    const now = await eventually('the archive', read, ({ length }) => length >= before.length + 3)
    const { id: message_id, network_message_id } = first
    const relationTo = (type: string) => ({ type, message_id, network_message_id })
    assert.deepEqual(
      now.slice(before.length).map(({ kind, text: words, relation }) => [kind, words, relation]),
      [
        ['text', 'Where is all of it?', relationTo('correction')],
        ['reaction', '🙏', relationTo('reaction')],
        ['retraction', undefined, relationTo('retraction')],
      ],
    )
  })

  test('what the account itself says with another client is nobody’s incoming message, whatever it refers to', async (t) => {
    const ours = await text(posthorn.admin, { instance: 'support', to: ana.address, text: 'We look into it' })
    await reaches(posthorn.admin, ours.id, 'delivered')
    const desk = await XmppPerson.login(prosody, 'support', 'a password', { priority: 5 })
    t.after(() => desk.leave())
    const said = await received(() => ana.says(support, 'To the desk', 'to-desk', correcting('first')))
    assert.equal(
      said.relation?.message_id,
      first.id,
      'a copy of what went to the other client refers as well',
    )
    const before = await everythingReceived(posthorn.admin, 'support')

    const { network_message_id: id } = ours
    const toAna = (own: string) => ({ to: ana.address, type: 'chat', id: own })
    await desk.says(ana.address, 'We looked into it', 'desk-1', correcting(id))
    await desk.sends(toAna('desk-2'), reacting('to-desk', '👍'), keep)
    await desk.says(ana.address, 'It was taken back', 'desk-3', retracting(id))
    await desk.says(ana.address, 'To what you said', 'desk-4', answering('to-desk'))
    await desk.sends(toAna('desk-5'), xml('displayed', { xmlns: 'urn:xmpp:chat-markers:0', id }), keep)
    await desk.says(ana.address, 'The end', 'desk-6')
    await ana.receives(({ body }) => body === 'The end')
    // Behind the copies of all of these, once live and once from the archive.
    const { network_message_id } = await received(() => ana.says(support, 'Understood', 'understood'))
    await posthorn.admin.call(stopInstance, { params, waitSeconds: 10 })
    const last = xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id: 'understood' })
    await desk.says(ana.address, 'Really the end', 'desk-7', correcting('desk-6'))
    await ana.says(support, 'Well understood', 'well-understood', last)
    await posthorn.admin.call(startInstance, { params, waitSeconds: 20 })
    const read = () => everythingReceived(posthorn.admin, 'support')
    const now = await eventually('the archive', read, ({ length }) => length >= before.length + 2)
    assert.deepEqual(
      now.slice(before.length).map((message) => [message.from, message.text]),
      [
        [ana.address, 'Understood'],
        [ana.address, 'Well understood'],
      ],
    )
    assert.equal(now.at(-1)?.relation?.network_message_id, network_message_id)
    const { body: kept } = await posthorn.admin.call(getMessage, { params: { id: ours.id } })
    assert.deepEqual(
      [kept.status, kept.text],
      ['delivered', 'We look into it'],
      'its own marker is no recipient’s',
    )
  })

  test('Ana writes names that every object has where tables are looked up, and the connection stays', async () => {
    const connected = async () => (await posthorn.admin.call(getInstanceStatus, { params })).body.connected_at
    const before = await connected()
    for (const namespace of ['constructor', '__proto__', 'toString']) {
      const way = xml('encryption', { xmlns: 'urn:xmpp:eme:0', namespace, name: 'A way' })
      const sealed = await received(() => ana.says(support, 'Sealed', `sealed-${namespace}`, way))
      assert.deepEqual(sealed.unsupported, { type: 'encrypted', name: 'A way' })
    }
    const condition = xml('constructor', { xmlns: 'urn:ietf:params:xml:ns:xmpp-stanzas' })
    const error = xml('error', { type: 'cancel' }, condition)
    await ana.sends({ to: support, type: 'error', id: 'returned' }, error)
    const last = await received(() => ana.says(support, 'Still there?', 'still'))
    assert.equal(last.text, 'Still there?')
    assert.equal(await connected(), before)
  })
})
