import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createInstance } from '../../../../src/contract/operations/instance-operations.ts'
import { sendMediaMessage } from '../../../../src/contract/operations/message-operations.ts'
import { xmpp } from '../../../../src/networks/xmpp/driver.ts'
import { XmppPerson } from '../../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../../kit/networks/xmpp/prosody.ts'
import { reaches } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'

const pictureHead = '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c48900004e2049444154'
const files = {
  image: Buffer.concat([Buffer.from(pictureHead, 'hex'), randomBytes(20_004)]),
  audio: Buffer.concat([Buffer.from('RIFF\u0000\u0000\u0000\u0000WAVEfmt '), randomBytes(300_000)]),
  video: Buffer.concat([
    Buffer.from('\u0000\u0000\u0000\u0018ftypisom\u0000\u0000\u0002\u0000mp41isom'),
    randomBytes(900_000),
  ]),
  document: Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(3_000_000)]),
} as const
const kinds = ['image', 'audio', 'video', 'document'] as const

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('a partner sends files to Ana over a real XMPP server', needsProsody, () => {
  let prosody: Prosody
  let posthorn: Posthorn
  let ana: XmppPerson
  let web: Server
  let origin: string

  before(async () => {
    web = createServer((request, response) =>
      response.end(files[request.url?.slice(1) as keyof typeof files]),
    )
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
    prosody = await startProsody({ starttls: 'off', uploads: {} })
    await prosody.createUser('support', 'a password')
    ana = await XmppPerson.join(prosody, 'ana')
    posthorn = await startPosthorn({
      drivers: [xmpp({ ca: prosody.certificate })],
      environment: { POSTHORN_DEFAULT_NETWORK: 'xmpp', POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.1/32' },
    })
    const settings = {
      address: prosody.address('support'),
      service: `xmpp://127.0.0.1:${prosody.port}`,
      allow_plaintext: true,
    }
    const body = { name: 'support', network: 'xmpp', settings, credentials: { password: 'a password' } }
    const { body: created } = await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    assert.equal(created.status, 'connected', JSON.stringify(created.reason))
  })

  after(async () => {
    await posthorn?.stop()
    await ana?.leave()
    await prosody?.remove()
    web.close()
  })

  for (const kind of kinds) {
    test(`an upload sent as ${kind} is downloaded by Ana byte for byte`, async () => {
      const body = new FormData()
      const fields = { instance: 'support', to: ana.address, kind, filename: `${kind} ☕.bin` }
      for (const [name, value] of Object.entries(fields)) body.set(name, value)
      body.set('file', new Blob([new Uint8Array(files[kind])]), 'given.bin')
      const { body: message } = await posthorn.admin.call(sendMediaMessage, { body, waitSeconds: 20 })
      const arrival = await ana.receives(({ id }) => id === message.network_message_id)
      assert.equal(arrival.body, arrival.data?.url, 'clients show it inline')
      assert.equal((await ana.downloads(arrival)).sha256, sha256(files[kind]))
      await reaches(posthorn.admin, message.id, 'delivered')
    })

    test(`a URL sent as ${kind}, with a caption, is downloaded by Ana byte for byte`, async () => {
      const caption = `What a ${kind} this is`
      const body = { instance: 'support', to: ana.address, kind, caption, url: `${origin}/${kind}` }
      const { body: message } = await posthorn.admin.call(sendMediaMessage, { body, waitSeconds: 20 })
      const arrival = await ana.receives(({ id }) => id === message.network_message_id)
      assert.equal((await ana.downloads(arrival)).sha256, sha256(files[kind]))
      await ana.receives((other) => other.body === caption)
      await reaches(posthorn.admin, message.id, 'delivered')
    })
  }
})
