import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import { listAudit } from '../../../src/contract/operations/audit-operations.ts'
import { createInstance, getInstanceStatus } from '../../../src/contract/operations/instance-operations.ts'
import { answerLink } from '../../../src/contract/operations/link-operations.ts'
import { listNetworks } from '../../../src/contract/operations/network-operations.ts'
import type { LinkEventData } from '../../../src/contract/resources/event.ts'
import { allEvents } from '../../kit/http/feed.ts'
import { reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

let posthorn: Posthorn
before(async () => {
  posthorn = await startPosthorn()
})
after(() => posthorn.stop())

const at = (name: string) => ({ params: { name } })

/** Creates an instance that asks, and returns what it asks. */
async function ask(name: string): Promise<string> {
  const body = { name, network: 'sandbox', settings: { link: 'question' } }
  const { body: created } = await posthorn.admin.call(createInstance, { body, waitSeconds: 10 })
  assert.equal(created.status, 'awaiting_link')
  const { link } = (await posthorn.admin.call(getInstanceStatus, at(name))).body
  assert.equal(link?.kind, 'question')
  return link?.value ?? ''
}

const answer = (name: string, text: string) =>
  posthorn.admin.call(answerLink, { ...at(name), body: { answer: text }, waitSeconds: 10 })

async function problemOf(call: Promise<unknown>): Promise<string> {
  const error = await call.catch((caught: unknown) => caught)
  assert.ok(error instanceof ProblemError, String(error))
  return `${error.status} ${error.code}`
}

test('a person answers what the network asks: a wrong answer is refused, the right one links the account', async () => {
  const question = await ask('shop')
  assert.equal(await problemOf(answer('shop', 'surely not this')), '409 network_refused')
  assert.equal((await posthorn.admin.call(getInstanceStatus, at('shop'))).body.link?.value, question)
  const { status, body } = await answer('shop', question.replace(/.* /, ''))
  assert.deepEqual([status, body.status, body.link], [202, 'connected', null])
  assert.equal(await problemOf(answer('shop', question)), '409 link_not_asking')
  const sent = await text(posthorn.admin, { instance: 'shop', to: 'ana@accepts.sandbox' })
  await reaches(posthorn.admin, sent.id, 'sent')
})

test('neither an event nor the audit log has the question or its answer', async () => {
  const question = await ask('quiet')
  const secret = question.replace(/.* /, '')
  await answer('quiet', secret)
  const events = await allEvents(posthorn.admin, { instances: ['quiet'] })
  const asked = events.find(({ type }) => type === 'instance.link_changed')
  assert.equal((asked?.data as LinkEventData | undefined)?.link.kind, 'question')
  const { body: audit } = await posthorn.admin.call(listAudit, { query: { action: 'answerLink' } })
  assert.ok(audit.data.some((entry) => entry.instance === 'quiet' && entry.result === 'done'))
  for (const kept of [events, audit]) assert.ok(!JSON.stringify(kept).includes(secret))
})

test('only an instance that asks takes an answer', async () => {
  await posthorn.admin.call(createInstance, { body: { name: 'plain', network: 'sandbox' }, waitSeconds: 10 })
  assert.equal(await problemOf(answer('plain', 'hello')), '409 link_not_asking')
  assert.equal(await problemOf(answer('nobody', 'hello')), '404 instance_not_found')
  assert.equal(await problemOf(answer('plain', '')), '400 invalid_request')
})

test('a network says how its accounts are linked', async () => {
  const { data } = (await posthorn.admin.call(listNetworks, {})).body
  const linksOf = (name: string) => data.find(({ network }) => network === name)?.abilities.links
  assert.deepEqual(linksOf('sandbox'), ['qr', 'code', 'url', 'question'])
  assert.deepEqual(linksOf('xmpp'), [])
})
