import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../src/contract/operations/message-operations.ts'
import { getQuotas } from '../../../src/contract/operations/quota-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'
import { journalOf } from '../../kit/journal.ts'
import { Archives, archiveNetwork } from '../../kit/networks/archive-network.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { freshFolder, startPosthorn } from '../../kit/posthorn.ts'
import { rowsIn } from '../../kit/rows.ts'
import { checkUsage } from '../../kit/usage.ts'

/*
 * Unknown senders send files to an organization whose room for files is used up: their messages come, and say what is
 * missing.
 */

const limit = 400_000
const files: Readonly<Record<string, Buffer>> = {
  '/first.bin': randomBytes(300_000),
  '/large.bin': randomBytes(200_000),
  '/dripping.bin': randomBytes(200_000),
  '/small.bin': randomBytes(20_000),
  '/later.bin': randomBytes(390_000),
}
const asked: string[] = []

/** Says how long its files are, but for one, of which that is seen only as it comes. */
const web = createServer((request, response) => {
  const bytes = files[request.url ?? ''] ?? Buffer.alloc(0)
  asked.push(request.url ?? '')
  if (request.url !== '/dripping.bin') response.setHeader('content-length', bytes.length)
  for (let at = 0; at < bytes.length; at += 50_000) response.write(bytes.subarray(at, at + 50_000))
  response.end()
})
await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
const archives = new Archives(freshFolder())
const posthorn = await startPosthorn({
  drivers: [sandbox(), archiveNetwork(archives, () => origin)],
  environment: { POSTHORN_FILES_LIMIT: String(limit) },
})
after(async () => {
  await posthorn.stop()
  web.close()
})

const { admin, data } = posthorn
const used = async () => (await admin.call(getQuotas, {})).body.file_bytes.used
const mediaOf = ({ id }: Message) =>
  admin.rawRequest('GET', `/v1/messages/${id}/media`, {
    headers: { authorization: `Bearer ${posthorn.adminKey}` },
  })

/** Has a person send this file; resolves with the message that tells of it, once it was told. */
async function send(name: string): Promise<Message> {
  archives.write('full', { id: name, from: 'ana', text: 'See this', file: { url: `${origin}/${name}.bin` } })
  const events = await eventually(
    `${name} to be told`,
    async () => (await journalOf(data)).filter(({ type }) => type === 'message.received'),
    (all) => all.some(({ data }) => data.message.network_message_id === name),
  )
  const own = events.filter(({ data }) => data.message.network_message_id === name)
  assert.equal(own.length, 1, 'it is told once')
  return own[0]?.data.message ?? assert.fail()
}

/** Nothing is anywhere but the files that are counted. */
async function nothingIsHalfKept(): Promise<void> {
  const large = await rowsIn<{ id: string }>(
    data,
    'select id from media where id not in (select media_id from small_files)',
  )
  const media = join(data, 'media')
  assert.deepEqual(readdirSync(join(media, 'drafts')), [])
  const folder = join(media, 'files')
  if (existsSync(folder)) {
    const kept = readdirSync(folder, { recursive: true, withFileTypes: true })
    assert.equal(kept.filter((entry) => entry.isFile()).length, large.length)
  }
  await checkUsage(data)
}

test('a file that there is no room for is told without it, the rest comes, and later files once there is room', async () => {
  const body = { name: 'full', network: 'archive', settings: { box: 'full' } }
  await admin.call(createInstance, { body, waitSeconds: 10 })
  archives.write('full', { id: 'hello', from: 'ana', text: 'Hello' })
  await eventually(
    'the first message',
    () => everythingReceived(admin, 'full'),
    ({ length }) => length === 1,
  )
  const first = await send('first')
  assert.deepEqual([first.error, await used()], [null, 300_000])

  const turnedAway = [await send('large'), await send('dripping')]
  for (const { id, caption, media, error, kind } of turnedAway) {
    assert.deepEqual(
      [caption, kind, error?.code, error?.permanent],
      ['See this', 'document', 'files_quota_exceeded', true],
    )
    assert.match(error?.detail ?? '', /quota.*send it again/s)
    assert.deepEqual([media?.size, media?.sha256], [null, null])
    assert.deepEqual((await admin.call(getMessage, { params: { id } })).body.error, error)
  }
  for (const message of turnedAway) assert.equal((await mediaOf(message)).status, 404)
  assert.equal(await used(), 300_000)
  await nothingIsHalfKept()
  const exceeded = (await journalOf(data)).filter(({ type }) => type === 'quota.exceeded')
  assert.equal(exceeded.length, 1)

  assert.equal((await send('small')).error, null, 'what there is room for comes')
  assert.equal(await used(), 320_000)
  await posthorn.forgetFiles(Date.now())
  assert.equal(await used(), 0)
  const later = await send('later')
  assert.equal(
    later.media?.sha256,
    createHash('sha256')
      .update(files['/later.bin'] ?? '')
      .digest('hex'),
  )
  assert.equal((await mediaOf(later)).bytes.length, 390_000)
  for (const message of turnedAway) assert.equal((await mediaOf(message)).status, 404)
  assert.deepEqual(
    asked,
    ['/first.bin', '/large.bin', '/dripping.bin', '/small.bin', '/later.bin'],
    'each once',
  )
  await checkUsage(data)
})
