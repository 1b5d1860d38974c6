import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { xml } from '@xmpp/client'
import { sendLocationMessage } from '../../../../src/contract/operations/content-operations.ts'
import {
  editMessage,
  reactToMessage,
  retractMessage,
} from '../../../../src/contract/operations/following-operations.ts'
import { createInstance } from '../../../../src/contract/operations/instance-operations.ts'
import { sendMediaMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { xmpp } from '../../../../src/networks/xmpp/driver.ts'
import { problemOf } from '../../../kit/http/problem-of.ts'
import { sampleHeads } from '../../../kit/media-samples.ts'
import { type Arrival, XmppPerson } from '../../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../../kit/networks/xmpp/prosody.ts'
import { eventually, everythingReceived, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'

/*
 * A partner answers, reacts, corrects and takes back over a real XMPP server: what Ana's client shows, and what it shows if it was away.
 */

describe('a partner has a whole conversation with Ana', needsProsody, () => {
  let prosody: Prosody
  let posthorn: Posthorn
  let ana: XmppPerson
  let support: string

  before(async () => {
    prosody = await startProsody({ starttls: 'off', archive: true, uploads: {} })
    posthorn = await startPosthorn({
      drivers: [xmpp({ ca: prosody.certificate })],
      environment: { POSTHORN_DEFAULT_NETWORK: 'xmpp' },
    })
    ana = await XmppPerson.join(prosody, 'ana')
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
    await prosody?.remove()
  })

  const react = async (id: string, emoji: string | null = '👍') =>
    (await posthorn.admin.call(reactToMessage, { params: { id }, body: { emoji } })).body
  const edit = async (id: string, body: { text?: string; caption?: string }) =>
    (await posthorn.admin.call(editMessage, { params: { id }, body })).body
  const retract = async (id: string) =>
    (await posthorn.admin.call(retractMessage, { params: { id }, body: {} })).body
  const say = (words: string, more: { reply_to?: string; to?: string } = {}) =>
    text(posthorn.admin, { instance: 'support', to: ana.address, text: words, ...more })
  const arrived = ({ network_message_id }: Message): Promise<Arrival> =>
    ana.receives(({ id }) => id === network_message_id)
  const shown = async (message: Message) => {
    const { text: words, about } = await arrived(message)
    return [words, about]
  }
  /** The first message of Ana that fits, once it is here. */
  const received = (fits: (message: Message) => boolean) =>
    eventually(
      'a message of Ana',
      async () => (await everythingReceived(posthorn.admin, 'support')).find(fits),
      (message) => message !== undefined,
    ) as Promise<Message>
  async function picture(caption?: string): Promise<Message> {
    const body = new FormData()
    const fields = { instance: 'support', to: ana.address, kind: 'image', ...(caption && { caption }) }
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    body.set('file', new Blob([new Uint8Array(sampleHeads['drawing.png'])]), 'drawing.png')
    return (await posthorn.admin.call(sendMediaMessage, { body, waitSeconds: 20 })).body
  }

  test('replies and reactions name what she wrote by the id that her client gave it, not by that of the archive', async () => {
    await ana.says(support, 'When do you open?', 'her-question')
    const question = await received(({ text: words }) => words === 'When do you open?')
    assert.notEqual(question.network_message_id, 'her-question')
    const reply = await say('At nine', { reply_to: question.id })
    assert.deepEqual(await shown(reply), ['At nine', { as: 'reply', id: 'her-question' }])
    assert.equal((await arrived(reply)).body, '> When do you open?\nAt nine')
    for (const emoji of ['👍', null]) {
      const reaction = await react(question.id, emoji)
      assert.deepEqual(await shown(reaction), [emoji ?? '', { as: 'reaction', id: 'her-question' }])
      await reaches(posthorn.admin, reaction.id, 'delivered')
    }
  })

  test('her reply and her reaction to a reply are about that reply', async () => {
    const first = await say('One')
    const second = await say('Two', { reply_to: first.id })
    assert.deepEqual(await shown(second), ['Two', { as: 'reply', id: first.network_message_id }])
    const { id } = await arrived(second)
    const mark = xml('fallback', { xmlns: 'urn:xmpp:fallback:0', for: 'urn:xmpp:reply:0' })
    mark.append(xml('body', { start: '0', end: '6' }))
    const about = xml('reply', { xmlns: 'urn:xmpp:reply:0', to: support, id })
    await ana.says(support, '> Two\nThree', 'her-reply', about, mark)
    const reply = await received((message) => message.text === 'Three')
    assert.equal(reply.relation?.message_id, second.id)
  })

  test('a text is edited twice, and taken back', async () => {
    const first = await say('Frist')
    const { network_message_id: id } = first
    for (const words of ['First', 'First of all'])
      assert.deepEqual(await shown(await edit(first.id, { text: words })), [words, { as: 'correction', id }])
    const retraction = await retract(first.id)
    assert.deepEqual(await shown(retraction), ['', { as: 'retraction', id }])
    assert.match((await arrived(retraction)).body, /deleted/, 'for clients that know no retractions')
    await reaches(posthorn.admin, retraction.id, 'delivered')
  })

  test('an edit of a reply stays a reply', async () => {
    await ana.says(support, 'When do you close?', 'her-second-question')
    const question = await received(({ text: words }) => words === 'When do you close?')
    const reply = await say('At five', { reply_to: question.id })
    const edited = await arrived(await edit(reply.id, { text: 'At six' }))
    assert.equal(edited.body, '> When do you close?\nAt six')
  })

  test('the caption of a file is edited where it stands, and both are taken back', async () => {
    const image = await picture('A haus')
    const captionId = `${image.network_message_id}-caption`
    await ana.receives(({ id }) => id === captionId)
    const corrected = await edit(image.id, { caption: 'A house' })
    assert.deepEqual(await shown(corrected), ['A house', { as: 'correction', id: captionId }])
    const retraction = await retract(image.id)
    assert.deepEqual(await shown(retraction), ['', { as: 'retraction', id: image.network_message_id }])
    const before = ana.arrivals.find(({ about }) => about?.as === 'retraction' && about.id === captionId)
    assert.equal(before?.body, '')
    const bare = await picture()
    const late = await reaches(posthorn.admin, (await edit(bare.id, { caption: 'Late' })).id, 'failed')
    assert.equal(late.error?.code, 'caption_missing')
  })

  test('a place is a map to her client, and its name comes with it', async () => {
    const place = { latitude: -23.5614, longitude: -46.6559, name: 'MASP', address: 'Av. Paulista 1578' }
    const body = { instance: 'support', to: ana.address, ...place }
    const { body: sent } = await posthorn.admin.call(sendLocationMessage, { body })
    assert.deepEqual((await arrived(sent)).place, place)
    await ana.receives(({ id }) => id === `${sent.network_message_id}-caption`)
    assert.equal(ana.arrivals.at(-1)?.body, 'MASP\nAv. Paulista 1578')
    await reaches(posthorn.admin, sent.id, 'delivered')
    await ana.says(support, 'geo:52.5163,13.3777', 'her-place')
    const { kind, location } = await received((message) => message.kind === 'location')
    assert.equal(kind, 'location')
    assert.deepEqual(location, { latitude: 52.5163, longitude: 13.3777, name: null, address: null })
  })

  test('reactions, edits and retractions wait at the server for a client that is away', async () => {
    const bert = await XmppPerson.join(prosody, 'bert')
    const first = await say('Hello', { to: bert.address })
    await bert.receives(({ id }) => id === first.network_message_id)
    await bert.leave()
    const messages = [
      await react(first.id),
      await edit(first.id, { text: 'Hello, Bert' }),
      await retract(first.id),
    ]
    for (const { id } of messages) await reaches(posthorn.admin, id, 'sent')
    const back = await XmppPerson.login(prosody, 'bert', 'bert-secret')
    for (const { network_message_id, relation } of messages) {
      const { about } = await back.receives(({ id }) => id === network_message_id)
      assert.deepEqual(about, { as: relation?.type, id: first.network_message_id })
    }
    await back.leave()
  })

  test('what XMPP has no form for is refused', async () => {
    const sticker = {
      instance: 'support',
      to: ana.address,
      kind: 'sticker',
      url: 'https://a.test/b',
    } as const
    const { problem } = await problemOf(posthorn.admin.call(sendMediaMessage, { body: sticker }))
    assert.ok(
      problem.errors?.some(({ pointer }) => pointer === '/kind'),
      JSON.stringify(problem),
    )
  })

  test('a message without an id can be answered only without naming it', async () => {
    await ana.sends({ to: support, type: 'chat' }, xml('body', {}, 'No id'))
    const nameless = await received(({ text: words }) => words === 'No id')
    const failed = await reaches(posthorn.admin, (await react(nameless.id)).id, 'failed')
    assert.equal(failed.error?.code, 'target_without_id')
  })
})
