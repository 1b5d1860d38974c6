import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createInstance, getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { listMessages } from '../../../src/contract/operations/message-operations.ts'
import {
  createOrganization,
  createOrganizationKey,
} from '../../../src/contract/operations/organization-operations.ts'
import { type CheckedClient, createCheckedClient } from '../../kit/http/checked-client.ts'
import { sumOfMetrics } from '../../kit/http/metrics.ts'
import { RawConnection } from '../../kit/http/raw-connection.ts'
import { eventually, text } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { residentMemory } from '../../kit/resident-memory.ts'

/* 200 callers of one organization ask for the longest pages there are, again and again, and read none of them. */

const callers = 200
const pagesOfEach = 20
const megabyte = 1024 * 1024

let data: string
let posthorn: PosthornProcess
let neighbour: CheckedClient

const tokenIn = (name: string) => readFileSync(join(data, name), 'utf8').trim()

before(async () => {
  data = freshFolder()
  posthorn = await spawnPosthorn(data)
  const operator = createCheckedClient({ baseUrl: posthorn.url, key: tokenIn('operator.token') })
  await operator.call(createOrganization, { body: { name: 'neighbour' } })
  const made = await operator.call(createOrganizationKey, {
    params: { organization: 'neighbour' },
    body: { role: 'admin', name: 'here' },
  })
  neighbour = createCheckedClient({ baseUrl: posthorn.url, key: made.body.key })
  for (const client of [posthorn.admin, neighbour])
    await client.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
  // As long as a text may be, in characters that take three bytes each.
  const long = { instance: 'trial', to: 'ana@accepts.sandbox', text: '字'.repeat(4096) }
  for (let sent = 0; sent < 100; sent += 50)
    await Promise.all(Array.from({ length: 50 }, () => text(posthorn.admin, long)))
})

after(async () => {
  await posthorn.end('SIGKILL')
  rmSync(data, { recursive: true, force: true })
})

const metric = (name: string) => sumOfMetrics(posthorn.url, tokenIn('metrics.token'), name)

async function neverRead(): Promise<RawConnection> {
  const connection = await RawConnection.open(posthorn.url)
  connection.socket.pause()
  const ask = `GET /v1/messages?limit=200 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${posthorn.adminKey}\r\n\r\n`
  return connection.write(ask.repeat(pagesOfEach))
}

test('they fill the memory of their own organization, whose calls wait, and nobody else notices', async (context) => {
  // The memory that reading pages takes at all is not measured.
  for (let read = 0; read < 50; read++) await posthorn.admin.call(listMessages, { query: { limit: 200 } })
  const before = residentMemory(posthorn.pid)
  let most = 0
  const watching = setInterval(() => {
    most = Math.max(most, residentMemory(posthorn.pid))
  }, 20)
  context.after(() => clearInterval(watching))
  const stuck = await Promise.all(Array.from({ length: callers }, neverRead))
  context.after(() => {
    for (const connection of stuck) connection.close()
  })
  await eventually(
    'answers that wait for room',
    () => metric('posthorn_answers_waiting'),
    (waiting) => waiting > 100,
  )
  // The neighbour sends and lists while they wait.
  for (let sent = 0; sent < 20; sent++) {
    const { status } = await text(neighbour, { instance: 'trial', to: `bo${sent}@accepts.sandbox` }, 10)
    assert.equal(status, 'sent')
    assert.equal((await neighbour.call(listMessages, { query: { limit: 200 } })).body.data.length, sent + 1)
  }
  assert.ok((await metric('posthorn_answers_waiting')) > 0, 'the others still wait')
  assert.ok((await metric('posthorn_answer_bytes')) < 18 * megabyte)
  // A call of their own organization about one thing has room of its own.
  await posthorn.admin.call(getInstance, { params: { name: 'trial' } })
  assert.ok((await metric('posthorn_answers_waiting')) > 0, 'the pages still wait')
  // One for a page waits as well, and is told why.
  const own = await fetch(`${posthorn.url}/v1/messages`, {
    headers: { authorization: `Bearer ${posthorn.adminKey}` },
  })
  const told = (await own.json()) as { code?: string; detail?: string }
  if (own.status !== 200) {
    assert.deepEqual([own.status, told.code], [429, 'answers_not_read'])
    assert.match(told.detail ?? '', /take 1\d.*MB, and may take 16 MB/)
  }
  // Once they leave, there is room again.
  for (const connection of stuck) connection.close()
  await eventually(
    'room for answers',
    () => metric('posthorn_answer_bytes'),
    (bytes) => bytes < megabyte,
  )
  assert.equal((await posthorn.admin.call(listMessages, { query: {} })).body.data.length, 50)
  const grown = (most - before) / megabyte
  context.diagnostic(
    `${callers} callers who read nothing of ${pagesOfEach} pages: ${grown.toFixed(1)} MB at most`,
  )
  // The bench judges the figure, on a quiet machine; without a bound, it is a gigabyte.
  assert.ok(grown < 128, `the server grew by ${grown} MB`)
})

test('who takes nothing of a longest page is cut off, and there is room again', async (context) => {
  const before = await metric('posthorn_http_connections_cut_total')
  // The system takes several pages for each caller, and pages that wait for 20 seconds are refused: so few callers have pages left over
  // on a slow machine, too.
  const stuck = await Promise.all(Array.from({ length: 3 }, neverRead))
  context.after(() => {
    for (const connection of stuck) connection.close()
  })
  await eventually(
    'a caller to be cut off',
    async () => (await metric('posthorn_http_connections_cut_total')) - before,
    (cut) => cut > 0,
    120_000,
  )
  await eventually(
    'all to be cut off',
    () => metric('posthorn_answer_bytes'),
    (bytes) => bytes < megabyte,
    120_000,
  )
})
