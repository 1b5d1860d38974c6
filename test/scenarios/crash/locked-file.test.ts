import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getReadiness } from '../../../src/contract/operations/service-operations.ts'
import { create, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { measureOwnTime } from '../../kit/run/own-time.ts'

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn()
  await create(posthorn.admin, 'trial')
})

after(() => posthorn.stop())

test('while another program holds the file, callers are told soon to come again; afterwards it goes on', async () => {
  const { admin, adminKey, data } = posthorn
  const other = new DatabaseSync(join(data, 'posthorn.db'))
  other.exec('BEGIN IMMEDIATE')
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ instance: 'trial', to: 'ana@delivers.sandbox', text: 'Hello' })
  const client = posthorn.client()
  const ownTime = measureOwnTime()
  const sends = Array.from({ length: 50 }, () =>
    client.rawRequest('POST', '/v1/messages/text', { headers, body }),
  )
  for (const reply of await Promise.all(sends)) {
    assert.equal(reply.status, 503)
    assert.equal((reply.json as { code: string }).code, 'store_unavailable')
    assert.ok(Number(reply.headers['retry-after']) >= 1)
  }
  const waited = ownTime()
  assert.ok(waited < 3_000, `the last was told after ${waited} ms`)
  const { body: instance } = await admin.call(getInstance, { params: { name: 'trial' } })
  assert.deepEqual(instance.queue, { depth: 0, oldest_at: null }, 'what is kept can still be read')
  for (let question = 0; question < 3; question++) {
    const { status } = await client.rawRequest('POST', '/v1/messages/text', { headers, body })
    assert.equal(status, 503)
    assert.equal((await admin.call(getReadiness)).status, 503, `question ${question}`)
  }
  other.exec('ROLLBACK')
  other.close()
  const { id } = await text(admin, { instance: 'trial', to: 'ana@delivers.sandbox' })
  await reaches(admin, id, 'delivered')
  assert.equal((await admin.call(getReadiness)).status, 200)
})
