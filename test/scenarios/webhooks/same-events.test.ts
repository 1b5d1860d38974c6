import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createInstance, deleteInstance } from '../../../src/contract/operations/instance-operations.ts'
import { eventually, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* An event has the same bytes at every reading, after any change of its message and its instance. */

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn()
})

after(() => posthorn.stop())

/** The feed as the bytes of its events, read without our client. */
async function feed(): Promise<string[]> {
  const headers = { authorization: `Bearer ${posthorn.adminKey}` }
  const page = await (await fetch(`${posthorn.url}/v1/events?limit=100`, { headers })).text()
  const { data } = JSON.parse(page) as { data: unknown[] }
  for (const event of data) assert.ok(page.includes(JSON.stringify(event)), 'the bytes are those of the page')
  return data.map((event) => JSON.stringify(event))
}

const feedWith = (last: string) =>
  eventually(`the event ${last}`, feed, (events) =>
    events.some((event) => event.includes(`"type":"${last}"`)),
  )

test('the events of a message stay as they are while it goes on, and after its instance is gone', async () => {
  const { admin } = posthorn
  const body = { name: 'trial', network: 'sandbox', metadata: { customer: '42' } }
  await admin.call(createInstance, { body })
  await text(admin, { instance: 'trial', to: 'ana@reads.sandbox', text: 'Zażółć "gęślą"\n🦄' })
  const atFirst = await feed()
  const atRead = await feedWith('message.read')
  await admin.call(deleteInstance, { params: { name: 'trial' } })
  const atEnd = await feedWith('instance.deleted')
  assert.deepEqual(atRead.slice(0, atFirst.length), atFirst)
  assert.deepEqual(atEnd.slice(0, atRead.length), atRead)
  const steps = atEnd.map((event) => JSON.parse(event)).filter(({ type }) => type.startsWith('message.'))
  assert.deepEqual(
    steps.map(({ type, data }) => [type, data.message.status, data.instance.metadata]),
    ['queued', 'sent', 'delivered', 'read'].map((status) => [
      `message.${status}`,
      status,
      { customer: '42' },
    ]),
  )
  const ids = atEnd.map((event) => JSON.parse(event).id)
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids, ids.toSorted(), 'ids ascend with time')
})
