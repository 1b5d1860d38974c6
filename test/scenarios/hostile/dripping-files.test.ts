import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { listMessages } from '../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { sampleHeads } from '../../kit/media-samples.ts'
import { Archives, archiveNetwork } from '../../kit/networks/archive-network.ts'
import { eventually } from '../../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Unknown senders send files whose servers drip. They hold only their own places, for a time. */

const archives = new Archives(freshFolder())
let posthorn: Posthorn
let web: Server
let origin: string
/** The answers that drip, and how many of them ended. */
const dripping = new Set<ServerResponse>()
let asked = 0
let ended = 0

before(async () => {
  web = createServer((request, response) => {
    if (request.url === '/good.png') {
      response.end(sampleHeads['drawing.png'])
      return
    }
    asked++
    dripping.add(response)
    response.on('close', () => {
      dripping.delete(response)
      ended++
    })
    response.write('%PDF-1.7')
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
  const drip = setInterval(() => {
    for (const response of dripping) response.write('.'.repeat(100))
  }, 100)
  web.on('close', () => clearInterval(drip))
  posthorn = await startPosthorn({ drivers: [sandbox(), archiveNetwork(archives, () => origin)] })
})

after(async () => {
  await posthorn?.stop()
  web.closeAllConnections()
  web.close()
})

/** An organization with an instance of the network `archive` with its name, that listens. */
async function join(name: string): Promise<CheckedClient> {
  await posthorn.createOrganization(name)
  const client = posthorn.client((await posthorn.createKey(name, 'admin')).key)
  const body = { name: 'box', network: 'archive', settings: { box: name } }
  await client.call(createInstance, { body, waitSeconds: 20 })
  archives.write(name, { id: `${name}-hello`, from: 'ana', text: 'Hello' })
  await message(client, `${name}-hello`)
  return client
}

/** The message with this id at the network, once its file is there, or cannot be had. */
async function message(client: CheckedClient, id: string): Promise<Message> {
  const read = async () => (await client.call(listMessages, { query: { limit: 100 } })).body.data
  const fits = (one: Message) => one.network_message_id === id
  const isOver = (one: Message) => one.kind === 'text' || one.media?.sha256 != null || one.error !== null
  const all = await eventually(id, read, (messages) => messages.some((one) => fits(one) && isOver(one)))
  return all.find(fits) ?? assert.fail()
}

const sendsFile = (box: string, from: string, id: string, path: string) =>
  archives.write(box, { id, from, file: { url: `${origin}/${path}` } })

test('eight files of one stranger that drip hold up no file of another', async () => {
  const client = await join('one')
  for (let count = 0; count < 8; count++) sendsFile('one', 'mallory', `drip-${count}`, 'drip.pdf')
  await eventually(
    'the first to drip',
    async () => asked,
    (count) => count >= 2,
  )
  sendsFile('one', 'ana', 'good', 'good.png')
  const { media, error } = await message(client, 'good')
  assert.deepEqual([error, media?.mime_type], [null, 'image/png'])
  assert.deepEqual([asked, ended], [2, 0], 'two drip on, and no other of them began')
  const cut = await message(client, 'drip-0')
  assert.equal(cut.error?.code, 'media_timeout')
})

test('sixteen organizations whose files drip do not keep the places', { timeout: 120_000 }, async () => {
  const names = Array.from({ length: 16 }, (_, index) => `crowd-${index}`)
  for (const name of names) await join(name)
  const client = await join('last')
  for (const name of names) {
    for (let count = 0; count < 20; count++)
      sendsFile(name, `mallory-${count % 4}`, `${name}-drip-${count}`, 'drip.pdf')
  }
  await eventually(
    'all places to be taken',
    async () => dripping.size,
    (count) => count === 64,
  )
  const before = asked
  sendsFile('last', 'ana', 'last-good', 'good.png')
  const { media } = await message(client, 'last-good')
  assert.equal(media?.mime_type, 'image/png')
  assert.ok(asked - before <= 64 + 4, `${asked - before} others began first`)
})
