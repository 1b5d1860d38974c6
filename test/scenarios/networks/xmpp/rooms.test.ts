import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { xml } from '@xmpp/client'
import {
  getGroup,
  joinGroup,
  listGroups,
} from '../../../../src/contract/operations/conversations/group-operations.ts'
import {
  editMessage,
  reactToMessage,
  retractMessage,
} from '../../../../src/contract/operations/following-operations.ts'
import { createInstance } from '../../../../src/contract/operations/instance-operations.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { XmppPerson } from '../../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../../kit/networks/xmpp/prosody.ts'
import { eventually, everythingReceived, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'

/*
 * A partner is in a room with Ana, over a real XMPP server, and stays there over a restart.
 */

const configuration = `modules_enabled = { "pep" }
Component "rooms.posthorn.test" "muc"
modules_enabled = { "muc_mam" }
muc_log_by_default = true`

describe('a partner is in a room with Ana', needsProsody, () => {
  let prosody: Prosody
  let posthorn: Posthorn
  let ana: XmppPerson
  const room = 'team@rooms.posthorn.test'
  const to = `${room}?join`
  const named = { params: { name: 'support' } }

  before(async () => {
    prosody = await startProsody({ starttls: 'off', archive: true, configuration })
    posthorn = await startPosthorn({ environment: { POSTHORN_DEFAULT_NETWORK: 'xmpp' } })
    ana = await XmppPerson.join(prosody, 'ana')
    await ana.enters(room, 'Ana')
    const form = xml('x', { xmlns: 'jabber:x:data', type: 'submit' })
    for (const [name, value] of [
      ['FORM_TYPE', 'http://jabber.org/protocol/muc#roomconfig'],
      ['muc#roomconfig_whois', 'anyone'],
      ['muc#roomconfig_persistentroom', '1'],
      ['muc#roomconfig_roomname', 'Team'],
    ] as const)
      form.append(xml('field', { var: name }, xml('value', {}, value)))
    await ana.asks('set', room, xml('query', { xmlns: 'http://jabber.org/protocol/muc#owner' }, form))
    await prosody.createUser('support', 'a password')
    const service = `xmpp://127.0.0.1:${prosody.port}`
    const settings = { address: prosody.address('support'), service, allow_plaintext: true }
    const body = { name: 'support', network: 'xmpp', settings, credentials: { password: 'a password' } }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
  })
  after(async () => {
    await posthorn?.stop()
    await ana?.leave()
    await prosody?.remove()
  })

  const say = (words: string, more: { reply_to?: string; mentions?: string[] } = {}) =>
    text(posthorn.admin, { instance: 'support', to, text: words, ...more })
  const arrived = ({ network_message_id }: Message) => ana.receives(({ id }) => id === network_message_id)
  const received = (fits: (message: Message) => boolean) =>
    eventually(
      'a message of Ana',
      async () => (await everythingReceived(posthorn.admin, 'support')).find(fits),
      (message) => message !== undefined,
    ) as Promise<Message>

  test('it joins, is found in the list, and talks there; what follows a message finds it', async () => {
    const { body: group } = await posthorn.admin.call(joinGroup, {
      ...named,
      body: { invitation: `xmpp:${to}` },
    })
    assert.deepEqual([group.address, group.subject], [to, 'Team'])
    const { body: listed } = await posthorn.admin.call(listGroups, named)
    assert.deepEqual(
      listed.data.map(({ address }) => address),
      [to],
    )
    await ana.saysIn(room, 'When?', 'q1')
    const question = await received((message) => message.text === 'When?')
    assert.deepEqual([question.conversation, question.from], [to, ana.address])
    const reply = await say('At nine', { reply_to: question.id })
    const { about, stanzaId } = await arrived(reply)
    assert.deepEqual(about, { as: 'reply', id: (await ana.receives(({ id }) => id === 'q1')).stanzaId })
    await reaches(posthorn.admin, reply.id, 'sent')
    const params = { id: reply.id }
    const { body: edited } = await posthorn.admin.call(editMessage, { params, body: { text: 'At ten' } })
    assert.deepEqual((await arrived(edited)).about, { as: 'correction', id: reply.network_message_id })
    const reactions = xml(
      'reactions',
      { xmlns: 'urn:xmpp:reactions:0', id: stanzaId },
      xml('reaction', {}, '🎉'),
    )
    await ana.sends({ to: room, type: 'groupchat', id: 'r1' }, reactions)
    assert.equal((await received((message) => message.text === '🎉')).relation?.message_id, reply.id)
  })

  test('after a restart it is still there, and names its messages as the room does', async () => {
    const first = await say('Before')
    const { stanzaId } = await arrived(first)
    await ana.saysIn(room, 'seen', 'm1')
    const seen = await received((message) => message.text === 'seen')
    posthorn = await posthorn.restart()
    await ana.saysIn(room, 'meanwhile', 'm2')
    await received((message) => message.text === 'meanwhile')
    assert.equal(
      (await posthorn.admin.call(getGroup, { params: { name: 'support', address: to } })).body.role,
      'member',
    )
    const react = async ({ id }: Message) =>
      (await posthorn.admin.call(reactToMessage, { params: { id }, body: { emoji: '👍' } })).body
    assert.deepEqual((await arrived(await react(first))).about, { as: 'reaction', id: stanzaId })
    const theirs = (await ana.receives(({ id }) => id === 'm1')).stanzaId
    assert.deepEqual((await arrived(await react(seen))).about, { as: 'reaction', id: theirs })
    const { body: retracted } = await posthorn.admin.call(retractMessage, {
      params: { id: first.id },
      body: {},
    })
    assert.deepEqual((await arrived(retracted)).about, { as: 'retraction', id: stanzaId })
    const texts = (await everythingReceived(posthorn.admin, 'support')).map((message) => message.text)
    assert.equal(new Set(texts).size, texts.length, 'nothing came twice')
  })
})
