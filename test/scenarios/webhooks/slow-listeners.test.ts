import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { cursorAt, EventListener, endOf } from '../../kit/http/feed.ts'
import { RawConnection } from '../../kit/http/raw-connection.ts'
import { text } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { residentMemory } from '../../kit/resident-memory.ts'

/* Listeners who ask for all that ever happened, and read none of it. */

const listeners = 40
const megabyte = 1024 * 1024
/** As long as a text may be, in characters that take three bytes each. */
const long = '字'.repeat(4096)

let data: string
let posthorn: PosthornProcess

before(async () => {
  data = freshFolder()
  posthorn = await spawnPosthorn(data, { POSTHORN_STREAM_LIMIT: String(listeners + 1) })
  await posthorn.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
  for (let sent = 0; sent < 800; sent += 50) {
    const send = () => text(posthorn.admin, { instance: 'trial', to: 'ana@accepts.sandbox', text: long })
    await Promise.all(Array.from({ length: 50 }, send))
  }
})

after(async () => {
  await posthorn.end('SIGKILL')
  rmSync(data, { recursive: true, force: true })
})

/** Asks for a stream of everything, and reads nothing of it. */
async function listen(): Promise<RawConnection> {
  const connection = await RawConnection.open(posthorn.url)
  connection.socket.pause()
  const headers = [
    'GET /v1/events HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${posthorn.adminKey}`,
    'accept: text/event-stream',
    `last-event-id: ${cursorAt(0, await endOf(posthorn.admin))}`,
  ]
  return connection.write(`${headers.join('\r\n')}\r\n\r\n`)
}

/** Returns the status of a further stream. */
async function further(): Promise<number> {
  const leaving = new AbortController()
  const { status } = await fetch(`${posthorn.url}/v1/events`, {
    headers: { authorization: `Bearer ${posthorn.adminKey}`, accept: 'text/event-stream' },
    signal: leaving.signal,
  })
  leaving.abort()
  return status
}

test('cost the server little, keep nobody from following, and are ended', async (context) => {
  const before = residentMemory(posthorn.pid)
  const stuck = await Promise.all(Array.from({ length: listeners }, listen))
  let most = 0
  const watching = setInterval(() => {
    most = Math.max(most, residentMemory(posthorn.pid))
  }, 20)
  // All of them have their streams once there is place for one more, and no other.
  const follower = new EventListener(posthorn.admin, { query: { after: await endOf(posthorn.admin) } })
  while ((await further()) === 200) await wait(20)
  const { id } = await text(posthorn.admin, { instance: 'trial', to: 'bo@accepts.sandbox' }, 10)
  await follower.until('a text', ({ data }) => (data as { message: { id: string } }).message.id === id)
  // A listener who reads nothing is noticed between the second and the third sign of life, which are 15 seconds apart.
  const begun = performance.now()
  while ((await further()) !== 200) {
    assert.ok(performance.now() - begun < 60_000, 'nobody was ended')
    await wait(100)
  }
  clearInterval(watching)
  follower.leave()
  for (const connection of stuck) connection.close()
  const grown = (most - before) / megabyte
  context.diagnostic(`${listeners} listeners who read nothing: ${grown.toFixed(1)} MB at most`)
  assert.ok(grown < 150, `the server grew by ${grown} MB`)
})
