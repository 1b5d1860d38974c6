import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sendPollMessage } from '../../../../src/contract/operations/content-operations.ts'
import { editMessage, reactToMessage } from '../../../../src/contract/operations/following-operations.ts'
import { listMessages } from '../../../../src/contract/operations/message-operations.ts'
import { environmentFor, linkByPicture } from '../../../kit/networks/whatsapp/stage.ts'
import { eventually, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { type Client, startClient } from '../../../simulators/whatsapp/foreign/start-client.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const ben = '4915100000002'

describe('a shop talks to Ben, who uses a client by zapo-js', { timeout: 120_000 }, () => {
  const ends: (() => Promise<void>)[] = []
  const suite = { after: (end: () => Promise<void>) => void ends.push(end) }
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn
  let client: Client

  before(async () => {
    whatsapp = await startWhatsApp(suite)
    const { control, url, caFile, rootKey, rootSerial } = whatsapp
    posthorn = await startPosthorn({ environment: environmentFor(whatsapp) })
    await control.createPerson({ phone: shop, name: 'Shop' })
    await control.createPerson({ phone: ben, name: 'Ben' })
    const args = [url, caFile, rootKey, String(rootSerial)]
    client = startClient(suite, 'zapo-client.ts', { args, caFile })
    await client.call('connect')
    const { qr } = await client.until('qr')
    await control.scan({ person: ben, qr: String(qr) })
    await client.until('open')
    await control.devices({ person: ben, connected: 1 })
    await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
  })
  after(async () => {
    await posthorn?.stop()
    for (const end of ends.reverse()) await end()
  })

  const say = (words: string) => text(posthorn.admin, { instance: 'shop', to: `+${ben}`, text: words }, 20)
  const hears = (words: string) => client.until('message', (message) => message.text === words)
  const gets = (words: string) =>
    eventually(
      `the message “${words}”`,
      async () => {
        const query = { instance: 'shop', direction: 'inbound' } as const
        return (await posthorn.admin.call(listMessages, { query })).body.data
      },
      (found) => found.some((message) => message.text === words),
    )

  test('the client decrypts what the shop writes, and says that it has read it', async () => {
    const message = await say('Until six.')
    const { id } = await hears('Until six.')
    await reaches(posthorn.admin, message.id, 'delivered')
    await client.call('read', { id })
    await reaches(posthorn.admin, message.id, 'read')
    // His phone has it as well.
    const shown = await whatsapp.control.received({ person: ben, chat: shop, count: 1 })
    assert.deepEqual([shown[0]?.text, shown[0]?.copies], ['Until six.', 1])
  })

  test('the client asks again for what it could not decrypt, and it alone gets it again', async () => {
    await whatsapp.control.fault({ on: 'delivery', account: ben, fault: { kind: 'wrong-bytes' } })
    const message = await say('Once more, please.')
    const { id } = await hears('Once more, please.')
    await client.call('read', { id })
    await reaches(posthorn.admin, message.id, 'read')
    const asked = await whatsapp.control.settled({ id: String(id), type: 'retry' })
    assert.ok(asked.some(({ account }) => account === ben))
    assert.equal(await whatsapp.control.copies({ person: ben, id: String(id) }), 1)
  })

  test('the shop decrypts what the client writes, which learns that it is there', async () => {
    const { id } = await client.call('send', { to: `${shop}@s.whatsapp.net`, text: 'Is it open today?' })
    await gets('Is it open today?')
    await client.until('receipt', (receipt) => receipt.id === id)
    const settled = () => whatsapp.control.settled({ id: String(id) })
    await eventually('the acknowledgement of the shop', settled, (all) =>
      all.some(({ account }) => account === shop),
    )
  })

  test('the client reads what refers to other messages, and votes', async () => {
    const first = await say('Until six?')
    const { id } = await hears('Until six?')
    const about = async (what: string) => {
      const found = await client.until('message', ({ content }) => String(content).includes(what))
      return JSON.parse(String(found.content))
    }
    const params = { id: first.id }
    await posthorn.admin.call(reactToMessage, { params, body: { emoji: '👍' } })
    const { reactionMessage } = await about('reactionMessage')
    assert.deepEqual(
      [reactionMessage.key.id, reactionMessage.key.fromMe, reactionMessage.text],
      [id, true, '👍'],
    )
    await posthorn.admin.call(editMessage, { params, body: { text: 'Until 7' } })
    const { protocolMessage } = await about('Until 7')
    assert.deepEqual([protocolMessage.key.id, protocolMessage.editedMessage.conversation], [id, 'Until 7'])
    const to = { instance: 'shop', to: `+${ben}` }
    await text(posthorn.admin, { ...to, text: 'Well?', reply_to: first.id })
    const { extendedTextMessage } = await about('Well?')
    assert.equal(extendedTextMessage.contextInfo.stanzaId, id)
    const options = ['Monday', 'Never']
    const body = { ...to, question: 'When?', options }
    const { body: poll } = await posthorn.admin.call(sendPollMessage, { body })
    const asked = await client.until('message', ({ content }) => String(content).includes('When?'))
    const [author, voter] = [shop, ben].map((phone) => `9${phone}7@lid`)
    await client.call('vote', { id: String(asked.id), author, voter, options: ['Monday'] })
    const votes = async () => {
      const query = { instance: 'shop', direction: 'inbound' } as const
      const { data } = (await posthorn.admin.call(listMessages, { query })).body
      return data.find(({ kind }) => kind === 'poll_vote')
    }
    const vote = await eventually('the vote', votes, (found) => found !== undefined)
    assert.deepEqual([vote?.poll_vote, vote?.relation?.message_id], [{ options: ['Monday'] }, poll.id])
  })

  test('what the shop writes while the client is away waits for it', async () => {
    await client.call('disconnect')
    await whatsapp.control.streams({ most: 1 })
    const message = await say('While you were away.')
    await client.call('connect')
    const { id } = await hears('While you were away.')
    await client.call('read', { id })
    await reaches(posthorn.admin, message.id, 'read')
  })
})
