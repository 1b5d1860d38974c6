import assert from 'node:assert/strict'
import { readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getMessage, sendMediaMessage } from '../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { smallBytes } from '../../../src/media/draft.ts'
import { create, eventually, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The place of the files of messages breaks after they were accepted: for good, or for a while. */

let posthorn: Posthorn
const params = { name: 'trial' }
const place = () => join(posthorn.data, 'media', 'files')

before(async () => {
  posthorn = await startPosthorn({
    environment: { POSTHORN_MEDIA_STORE: 'files', POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.1/32' },
  })
  await create(posthorn.admin, params.name)
})

after(() => posthorn.stop())

const order = (operation: typeof startInstance | typeof stopInstance) =>
  posthorn.admin.call(operation, { params })

/** Too long for a small file, which would be kept in the store. */
const long = (content: string) => content.padEnd(smallBytes + 1)

/** Has a document accepted; the instance is stopped, so that it is not sent yet. */
async function accept(to: string, content: string): Promise<Message> {
  const body = new FormData()
  for (const [name, value] of Object.entries({ instance: params.name, to, kind: 'document' }))
    body.set(name, value)
  body.set('file', new Blob([long(content)]), 'letter.txt')
  return (await posthorn.admin.call(sendMediaMessage, { body })).body
}

/** Returns the path of the bytes of a document. */
function pathOf(content: string): string {
  const files = readdirSync(place(), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return paths.find((path) => readFileSync(path, 'utf8') === long(content)) ?? assert.fail('it is not kept')
}

test('a message whose file is gone, or a part of it, fails at once and says so; the others leave', async () => {
  await order(stopInstance)
  const gone = await accept('ana@delivers.sandbox', 'gone')
  const cut = await accept('bert@delivers.sandbox', 'cut off')
  const whole = await accept('carla@delivers.sandbox', 'whole')
  const behind = await accept('ana@delivers.sandbox', 'behind what is gone')
  rmSync(pathOf('gone'))
  truncateSync(pathOf('cut off'), 3)
  await order(startInstance)
  for (const { id } of [gone, cut]) {
    const { error } = await reaches(posthorn.admin, id, 'failed')
    assert.deepEqual([error?.code, error?.permanent], ['file_missing', true])
    assert.match(error?.detail ?? '', /^The stored file is missing.* tell the operator/)
  }
  for (const { id } of [whole, behind]) await reaches(posthorn.admin, id, 'delivered')
})

test('while the place of all files is away, a message waits and says why; it leaves when the place is back', async () => {
  await order(stopInstance)
  const { id } = await accept('ana@delivers.sandbox', 'away')
  renameSync(place(), `${place()}-away`)
  await order(startInstance)
  const read = async () => (await posthorn.admin.call(getMessage, { params: { id } })).body
  const waiting = await eventually('the second refusal', read, ({ attempts }) => attempts > 1)
  assert.deepEqual(
    [waiting.status, waiting.error?.code, waiting.error?.permanent],
    ['sending', 'file_unreadable', false],
  )
  const { id: other } = await text(posthorn.admin, { instance: params.name, to: 'bert@delivers.sandbox' })
  await reaches(posthorn.admin, other, 'delivered')
  renameSync(`${place()}-away`, place())
  await reaches(posthorn.admin, id, 'delivered')
})

test('a file that cannot be kept when it was fetched is fetched again', async () => {
  let fetches = 0
  const web = createServer((_request, response) => {
    fetches++
    response.end(long('fetched'))
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/letter.txt`
  renameSync(place(), `${place()}-away`)
  writeFileSync(place(), 'in the way')
  const body = { instance: params.name, to: 'ana@delivers.sandbox', kind: 'document', url } as const
  const { id } = (await posthorn.admin.call(sendMediaMessage, { body })).body
  const read = async () => (await posthorn.admin.call(getMessage, { params: { id } })).body
  const waiting = await eventually('the refusal', read, ({ error }) => error !== null)
  assert.deepEqual(
    [waiting.status, waiting.error?.code, waiting.error?.permanent],
    ['queued', 'media_not_kept', false],
  )
  rmSync(place())
  renameSync(`${place()}-away`, place())
  await reaches(posthorn.admin, id, 'delivered')
  assert.ok(fetches > 1)
  web.close()
})
