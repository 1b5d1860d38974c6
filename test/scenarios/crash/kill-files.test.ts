import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getMessage, sendMediaMessage } from '../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { kills, seed } from '../../kit/crash/kills.ts'
import { eventually, readTranscript } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { randomOf } from '../../kit/random.ts'
import { checkUsage } from '../../kit/usage.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const isSent: ReadonlySet<string> = new Set(['sent', 'delivered'])

/** The acknowledgement that the sender got: the message, and the content that the recipient must have got. */
interface Acknowledged {
  readonly message: Message
  readonly sha256: string
}

describe('the server is killed while files come in, are fetched and are sent', () => {
  const data = freshFolder()
  const transcript = join(data, 'transcript.jsonl')
  const served = new Map<string, Buffer>()
  const acknowledged: Acknowledged[] = []
  let web: Server
  let server: PosthornProcess
  let isOver = false
  let started = Promise.withResolvers<void>()

  const start = async () => {
    server = await spawnPosthorn(join(data, 'server'), {
      POSTHORN_SANDBOX_TRANSCRIPT: transcript,
      POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.1/32',
    })
    started.resolve()
    started = Promise.withResolvers()
  }

  before(async () => {
    // Slow enough that kills find fetches under way.
    web = createServer((request, response) => {
      const bytes = served.get(request.url ?? '')
      response.write(bytes?.subarray(0, 1_000))
      setTimeout(() => response.end(bytes?.subarray(1_000)), 100)
    })
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    await start()
    await server.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
  })

  after(async () => {
    await server.end('SIGKILL')
    web.close()
    web.closeAllConnections()
    rmSync(data, { recursive: true, force: true })
  })

  function uploadOf(to: string, bytes: Buffer): FormData {
    const form = new FormData()
    for (const [name, value] of Object.entries({ instance: 'trial', to, kind: 'document' }))
      form.set(name, value)
    form.set('file', new Blob([new Uint8Array(bytes)]), 'file.bin')
    return form
  }

  function urlOf(to: string, bytes: Buffer) {
    const path = `/${served.size}`
    served.set(path, bytes)
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}${path}`
    return { instance: 'trial', to, kind: 'document', url } as const
  }

  /** Sends one file after the other, half of them as URLs; what breaks was not acknowledged. */
  async function sendOnAndOn(sender: number): Promise<void> {
    for (let count = 0; !isOver; count++) {
      const bytes = randomBytes(200_000)
      const to = `person-${sender}@delivers.sandbox`
      const body = count % 2 === 0 ? uploadOf(to, bytes) : urlOf(to, bytes)
      const reply = await server.admin.call(sendMediaMessage, { body }).catch(() => undefined)
      if (reply) acknowledged.push({ message: reply.body, sha256: sha256(bytes) })
      else await Promise.race([started.promise, wait(200)])
    }
  }

  test('whatever was acknowledged reaches its recipient whole, and nothing else is left', async (context) => {
    const senders = Array.from({ length: 6 }, (_, sender) => sendOnAndOn(sender))
    const random = randomOf(seed)
    for (let kill = 0; kill < kills; kill++) {
      const before = acknowledged.length
      await wait(100 + random() * 700)
      // A moment may be too short for anything on a busy machine; every other kill finds something that can be lost.
      const isMore = (count: number) => kill % 2 === 0 || count > before
      await eventually('a file to be acknowledged', async () => acknowledged.length, isMore)
      await server.end('SIGKILL')
      await start()
    }
    isOver = true
    await Promise.all(senders)
    context.diagnostic(`seed ${seed}: ${kills} kills, ${acknowledged.length} acknowledged`)
    assert.ok(acknowledged.length > 0)
    for (const { message } of acknowledged) {
      const read = async () => (await server.admin.call(getMessage, { params: { id: message.id } })).body
      // A receipt that came as the server was killed is shown once, and lost.
      await eventually(`${message.id} to arrive`, read, ({ status }) => isSent.has(status))
    }
    const arrived = new Map(readTranscript(transcript).map(({ id, media }) => [id, media?.sha256]))
    for (const { message, sha256 } of acknowledged)
      assert.equal(arrived.get(message.network_message_id ?? ''), sha256, 'it is the file that was given')
    // A message whose answer was lost with the server may still be on its way.
    const drafts = async () => readdirSync(join(data, 'server', 'media', 'drafts'))
    await eventually('every draft to go', drafts, ({ length }) => length === 0)
    await server.end('SIGTERM')
    await checkUsage(join(data, 'server'))
  })
})
