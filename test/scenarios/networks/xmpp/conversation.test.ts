import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createInstance, getInstanceStatus } from '../../../../src/contract/operations/instance-operations.ts'
import { sendMediaMessage } from '../../../../src/contract/operations/message-operations.ts'
import { createWebhook } from '../../../../src/contract/operations/webhook-operations.ts'
import type { Event, EventType, MessageEventData } from '../../../../src/contract/resources/event.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { startTcpProxy, type TcpProxy } from '../../../kit/far-ends/tcp-proxy.ts'
import { isVerified, WebhookReceiver } from '../../../kit/far-ends/webhook-receiver.ts'
import { allEvents, range } from '../../../kit/http/feed.ts'
import { sampleHeads } from '../../../kit/media-samples.ts'
import { XmppPerson } from '../../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../../kit/networks/xmpp/prosody.ts'
import { eventually, everythingListed, reaches, text } from '../../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../../kit/posthorn.ts'

/*
 * Two people who talk: a customer with an ordinary client, and a person at the partner, who has nothing but what Posthorn
 * gives. Between them are a real XMPP server and a Posthorn that ends and comes back.
 */

const instance = 'support'
const picture = () => Buffer.concat([sampleHeads['drawing.png'], randomBytes(200_000)])
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const messageIn = ({ data }: Event) => (data as MessageEventData).message

let prosody: Prosody
let line: TcpProxy
let posthorn: PosthornProcess
const data = freshFolder()

const start = async () => {
  const environment = { POSTHORN_DEFAULT_NETWORK: 'xmpp', POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }
  posthorn = await spawnPosthorn(data, environment)
}

const isConnected = () =>
  eventually(
    'the connection',
    async () => (await posthorn.admin.call(getInstanceStatus, { params: { name: instance } })).body,
    ({ status }) => status === 'connected',
  )

async function createSupport(): Promise<void> {
  await prosody.createUser(instance, 'a password')
  const settings = {
    address: prosody.address(instance),
    service: `xmpp://127.0.0.1:${line.port}`,
    allow_plaintext: true,
  }
  const body = { name: instance, settings, credentials: { password: 'a password' } }
  const { body: created } = await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
  assert.equal(created.status, 'connected', JSON.stringify(created.reason))
}

before(async () => {
  if (needsProsody.skip) return
  prosody = await startProsody({ starttls: 'off', archive: true, uploads: { plaintext: true } })
  line = await startTcpProxy(prosody)
  await start()
})
after(async () => {
  await posthorn?.end('SIGKILL')
  await line?.stop()
  await prosody?.remove()
  rmSync(data, { recursive: true, force: true })
})

describe('Ana and a person at the partner talk', needsProsody, () => {
  let ana: XmppPerson
  let desk: WebhookReceiver
  let secret: string
  /** Messages of each of them, in order, as the other one should have them: texts, and digests of pictures. */
  const said = { inbound: [] as string[], outbound: [] as string[] }

  before(async () => {
    desk = await WebhookReceiver.start()
    const wish = { url: desk.url, ordering: 'per_instance' } as const
    secret = (await posthorn.admin.call(createWebhook, { body: wish })).body.secret
    await createSupport()
    ana = await XmppPerson.join(prosody, 'ana')
  })
  after(async () => {
    await ana?.leave()
    await desk?.stop()
  })

  /** The first event of this type at the webhook about a message that fits. */
  async function messageOfEvent(type: EventType, fits: (message: Message) => boolean): Promise<Message> {
    const find = () => desk.received.find(({ event }) => event.type === type && fits(messageIn(event)))
    await desk.until(`${type}`, () => find() !== undefined)
    return messageIn(find()?.event ?? assert.fail())
  }

  const asks = async (body: string) => {
    said.inbound.push(body)
    await ana.says(prosody.address(instance), body, `ana-${said.inbound.length}`)
  }

  const answers = async (to: string, body: string) => {
    said.outbound.push(body)
    return await text(posthorn.admin, { instance, to, text: body })
  }

  test('Ana asks, the partner is told and answers, and learns that the answer came and was read', async () => {
    await asks('Is my parcel on its way? 📦')
    const question = await messageOfEvent('message.received', (message) => message.text === said.inbound[0])
    assert.deepEqual([question.from, question.conversation], [ana.address, ana.address])
    const answer = await answers(question.conversation, 'It left this morning.')
    const arrival = await ana.receives(({ body }) => body === 'It left this morning.')
    assert.equal(arrival.from, question.to)
    await messageOfEvent('message.delivered', ({ id }) => id === answer.id)
    await ana.displays(arrival)
    const read = await messageOfEvent('message.read', ({ id }) => id === answer.id)
    assert.ok(read.delivered_at && read.read_at)
  })

  test('a picture from Ana is told with what it is, and read back byte for byte', async () => {
    const bytes = picture()
    said.inbound.push(sha256(bytes))
    const url = await ana.uploads(prosody, 'a broken parcel.png', bytes)
    await ana.shares(prosody.address(instance), url, null, 'ana-picture')
    const { id, kind, media } = await messageOfEvent('message.received', (message) => message.kind !== 'text')
    assert.equal(kind, 'image')
    assert.deepEqual(media, {
      filename: 'a broken parcel.png',
      mime_type: 'image/png',
      size: bytes.length,
      sha256: sha256(bytes),
    })
    const headers = { authorization: `Bearer ${posthorn.adminKey}` }
    const file = await posthorn.admin.rawRequest('GET', `/v1/messages/${id}/media`, { headers })
    assert.deepEqual([file.status, file.headers['content-type']], [200, 'image/png'])
    assert.equal(sha256(file.bytes), sha256(bytes))
  })

  test('a picture from the partner is downloaded by Ana byte for byte', async () => {
    const bytes = picture()
    said.outbound.push(sha256(bytes))
    const body = new FormData()
    const fields = { instance, to: ana.address, kind: 'image', filename: 'the new one.png' }
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    body.set('file', new Blob([new Uint8Array(bytes)]))
    const { body: message } = await posthorn.admin.call(sendMediaMessage, { body })
    const arrival = await ana.receives((other) => other.data !== null)
    assert.equal((await ana.downloads(arrival)).sha256, sha256(bytes))
    await messageOfEvent('message.delivered', ({ id }) => id === message.id)
  })

  for (const [signal, how] of [
    ['SIGTERM', 'is stopped'],
    ['SIGKILL', 'is killed'],
  ] as const) {
    test(`Posthorn ${how} while Ana goes on writing: the partner is told of every word, and she gets the answer`, async () => {
      let isWriting = true
      const writing = (async () => {
        while (isWriting) {
          await asks(`And another thing, the ${said.inbound.length}th`)
          await wait(30)
        }
      })()
      const isToldOf = (count: number) =>
        messageOfEvent('message.received', ({ text }) => text === said.inbound[count])
      await isToldOf(said.inbound.length + 5)
      const answer = await answers(ana.address, `One moment, please: Posthorn ${how}.`)
      await posthorn.end(signal)
      const missed = said.inbound.length
      await start()
      await isConnected()
      assert.ok(said.inbound.length > missed, 'she wrote while nobody was there')
      await isToldOf(said.inbound.length + 5)
      isWriting = false
      await writing
      await isToldOf(said.inbound.length - 1)
      await ana.receives(({ id }) => id === answer.network_message_id)
      await reaches(posthorn.admin, answer.id, 'delivered')
    })
  }

  test('the conversation is listed in the order in which it was held, with nothing missing and nothing doubled', async () => {
    const conversation = await everythingListed(posthorn.admin, { conversation: ana.address, limit: 50 })
    const listed = (direction: Message['direction']) =>
      conversation
        .filter((message) => message.direction === direction)
        .map((message) => message.text ?? message.media?.sha256)
    assert.deepEqual(listed('inbound'), said.inbound)
    assert.deepEqual(listed('outbound'), said.outbound)
    const words = conversation.slice(0, 4).map(({ text, media }) => text ?? media?.sha256)
    const [question, broken] = said.inbound
    const [answer, whole] = said.outbound
    assert.deepEqual(words, [question, answer, broken, whole])
    const texts = ana.arrivals.filter(({ data }) => data === null).map(({ body }) => body)
    assert.deepEqual(
      texts,
      said.outbound.filter((word) => word !== whole),
    )
  })

  test('the webhook was told of everything once, signed, in order and without a gap', async () => {
    assert.ok(desk.received.every((each) => isVerified(each, secret)))
    // An event that a kill left unanswered is posted again: it is the same event.
    const events = [...new Map(desk.received.map(({ event }) => [event.id, event])).values()]
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      range(1, events.length),
    )
    const received = events.filter(({ type }) => type === 'message.received').map(messageIn)
    assert.deepEqual(
      received.map((message) => message.text ?? message.media?.sha256),
      said.inbound,
    )
  })

  test('a URL from Ana that leads beside the upload service on the same machine is not fetched', async () => {
    let visits = 0
    const secret = createServer((_, response) => response.end(`secret ${++visits}`))
    await new Promise<void>((resolve) => secret.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(secret.address() as AddressInfo).port}/secret.png`
    await ana.shares(prosody.address(instance), url, null, 'ana-secret')
    const isOf = (message: Message) => message.media?.filename === 'secret.png'
    const { error } = await messageOfEvent('message.received', isOf)
    assert.deepEqual([error?.code, error?.permanent, visits], ['media_refused', true, 0])
    secret.close()
  })

  test('Posthorn is killed before it hears that a text was taken: the archive tells, and Ben sees it once', async () => {
    // A phone that confirms nothing: only the archive can tell.
    const ben = await XmppPerson.join(prosody, 'ben', { receipts: false })
    line.hold('to-client')
    const message = await text(posthorn.admin, { instance, to: ben.address, text: 'Your parcel is here.' })
    await ben.receives(({ id }) => id === message.network_message_id)
    await posthorn.end('SIGKILL')
    line.cut()
    await start()
    const sent = await reaches(posthorn.admin, message.id, 'sent')
    assert.deepEqual([sent.attempts, sent.error], [1, null])
    // Messages for one person leave in order: a repetition would come before this.
    await text(posthorn.admin, { instance, to: ben.address, text: 'Come and get it.' })
    await ben.receives(({ body }) => body === 'Come and get it.')
    assert.deepEqual(
      ben.arrivals.map(({ body }) => body),
      ['Your parcel is here.', 'Come and get it.'],
    )
    const events = (await allEvents(posthorn.admin)).filter(({ type }) => type === 'message.sent')
    assert.equal(events.filter((event) => messageIn(event).id === message.id).length, 1)
    await ben.leave()
  })
})
