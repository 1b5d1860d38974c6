import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { deleteInstance } from '../../src/contract/instance-operations.ts'
import { cancelMessage, listMessages } from '../../src/contract/message-operations.ts'
import { getQuotas } from '../../src/contract/quota-operations.ts'
import type { CheckedClient } from '../kit/checked-client.ts'
import { create, eventually, inMs, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* What one organization may use, what it is told when that is used up, and that nobody else notices. */

async function quotas(client: CheckedClient) {
  return (await client.call(getQuotas, {})).body
}

/** The code of the problem that a text gets; undefined if it is accepted. */
async function refusalOf(sending: Promise<unknown>): Promise<string | undefined> {
  try {
    await sending
    return undefined
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

async function metric(posthorn: Posthorn, name: string): Promise<number> {
  const token = readFileSync(join(posthorn.data, 'metrics.token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}` }
  const { text } = await posthorn.client().rawRequest('GET', '/metrics', { headers })
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  )
}

describe('the unsettled messages of an organization', () => {
  let posthorn: Posthorn
  let neighbour: CheckedClient

  before(async () => {
    posthorn = await startPosthorn({ environment: { POSTHORN_UNSETTLED_LIMIT: '5' } })
    for (const name of ['one', 'two']) await create(posthorn.admin, name)
    await posthorn.createOrganization('neighbour')
    neighbour = posthorn.client((await posthorn.createKey('neighbour', 'admin')).key)
    await create(neighbour, 'one')
  })

  after(() => posthorn.stop())

  const send = (instance: string, client = posthorn.admin) =>
    refusalOf(text(client, { instance, to: 'ana@stuck.sandbox', send_at: inMs(3_600_000) }))

  test('are counted over its instances, and no more are taken than it may have', async () => {
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) => send(index % 2 ? 'one' : 'two')),
    )
    assert.equal(replies.filter((code) => code === undefined).length, 5)
    assert.equal(replies.filter((code) => code === 'unsettled_quota_exceeded').length, 25)
    const { unsettled_messages } = await quotas(posthorn.admin)
    assert.deepEqual(unsettled_messages, { used: 5, limit: 5, remaining: 0 })
    assert.equal(
      await metric(posthorn, 'posthorn_quota_exhausted_organizations{quota="unsettled_messages"}'),
      1,
    )
    assert.equal(await metric(posthorn, 'posthorn_quota_used{quota="unsettled_messages"}'), 5)
  })

  test('are no concern of another organization', async () => {
    assert.equal(await send('one', neighbour), undefined)
    assert.deepEqual((await quotas(neighbour)).unsettled_messages, { used: 1, limit: 5, remaining: 4 })
  })

  test('are fewer as soon as one is canceled, or an instance removed', async () => {
    const { admin } = posthorn
    const [message] = (await admin.call(listMessages, { query: { limit: 1 } })).body.data
    await admin.call(cancelMessage, { params: { id: message?.id ?? '' } })
    assert.equal((await quotas(admin)).unsettled_messages.used, 4)
    assert.equal(await send('one'), undefined)
    assert.equal(await send('one'), 'unsettled_quota_exceeded')
    await admin.call(deleteInstance, { params: { name: 'two' } })
    const read = async () => {
      const { data } = (await admin.call(listMessages, { query: { status: 'queued' } })).body
      return {
        queued: data.map(({ instance }) => instance),
        used: (await quotas(admin)).unsettled_messages.used,
      }
    }
    await eventually(
      'the queue of the instance to be canceled',
      read,
      ({ queued, used }) => !queued.includes('two') && used === queued.length,
    )
    assert.equal(await send('one'), undefined)
  })

  test('are still known after a restart', async () => {
    const before = await quotas(posthorn.admin)
    posthorn = await posthorn.restart()
    assert.deepEqual(await quotas(posthorn.admin), before)
  })
})
