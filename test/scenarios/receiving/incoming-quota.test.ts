import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createInstance, getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getQuotas } from '../../../src/contract/operations/quota-operations.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { journalOf } from '../../kit/journal.ts'
import { Archives, archiveNetwork, type Incoming } from '../../kit/networks/archive-network.ts'
import { create, eventually, everythingReceived, reaches, text } from '../../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { checkUsage } from '../../kit/usage.ts'

/* A flood of messages that come in: what there is no room for stays with a network that keeps it. */

const archives = new Archives(freshFolder())
const limit = 30

describe('an organization that is flooded by a network that keeps what it is sent', () => {
  let posthorn: Posthorn
  let neighbour: CheckedClient

  before(async () => {
    posthorn = await startPosthorn({
      drivers: [sandbox(), archiveNetwork(archives)],
      environment: { POSTHORN_INCOMING_LIMIT: String(limit) },
    })
    await posthorn.createOrganization('neighbour')
    neighbour = posthorn.client((await posthorn.createKey('neighbour', 'admin')).key)
    for (const [client, box] of [
      [posthorn.admin, 'flooded'],
      [neighbour, 'quiet'],
    ] as const) {
      const body = { name: 'box', network: 'archive', settings: { box } }
      await client.call(createInstance, { body, waitSeconds: 10 })
      archives.write(box, { id: `${box}-first`, from: 'ana', text: 'First' })
      await eventually(
        'the first message',
        () => everythingReceived(client, 'box'),
        ({ length }) => length === 1,
      )
    }
  })

  after(() => posthorn.stop())

  const used = async () => (await posthorn.admin.call(getQuotas, {})).body.incoming_messages.used
  const messages: Incoming[] = Array.from({ length: 200 }, (_, index) => ({
    id: `n-${index}`,
    from: `stranger-${index % 7}`,
    text: `Text ${index}`,
  }))

  test('has as many as it may have, is told once, and goes on sending', async () => {
    archives.write('flooded', ...messages)
    await eventually('the quota to be used up', used, (count) => count === limit)
    const events = await eventually(
      'the event',
      async () => (await journalOf(posthorn.data)).filter(({ type }) => type === 'quota.exceeded'),
      ({ length }) => length > 0,
    )
    assert.equal(events.length, 1)
    const read = async () => (await posthorn.admin.call(getInstance, { params: { name: 'box' } })).body.status
    await eventually('the connection to be there again', read, (status) => status === 'connected')
    const sent = await text(posthorn.admin, { instance: 'box', to: 'ana' })
    await reaches(posthorn.admin, sent.id, 'sent')
    archives.write('flooded', { id: 'n-late', from: 'ana', text: 'Late' })
    assert.equal(await used(), limit)
    await checkUsage(posthorn.data)
  })

  test('is no concern of another organization', async () => {
    archives.write('quiet', { id: 'q-1', from: 'ana', text: 'Good morning' })
    await eventually(
      'the message of the neighbour',
      () => everythingReceived(neighbour, 'box'),
      (messages) => messages.some(({ network_message_id }) => network_message_id === 'q-1'),
    )
  })

  test('gets every message once there is room, each once', async () => {
    const expected = ['flooded-first', ...messages.map(({ id }) => id), 'n-late']
    posthorn = await posthorn.restart({ POSTHORN_INCOMING_LIMIT: '10000' })
    await eventually(
      'all messages',
      async () => (await everythingReceived(posthorn.admin, 'box')).length,
      (count) => count >= expected.length,
    )
    const received = await everythingReceived(posthorn.admin, 'box')
    assert.deepEqual(
      received.map(({ network_message_id }) => network_message_id).toSorted(),
      expected.toSorted(),
    )
    await checkUsage(posthorn.data)
  })
})

test('the last answers of people are not held up by one long text, and that counts for more', async () => {
  const posthorn = await startPosthorn({ environment: { POSTHORN_INCOMING_LIMIT: '10' } })
  try {
    await create(posthorn.admin, 'trial')
    await text(posthorn.admin, { instance: 'trial', to: 'ana@replies.sandbox', text: 'x'.repeat(4096) })
    const read = async () => (await posthorn.admin.call(getQuotas, {})).body.incoming_messages
    const now = await eventually('the answer', read, (incoming) => incoming.used > 0)
    assert.deepEqual(now, { used: 2, limit: 10, remaining: 8 })
    await checkUsage(posthorn.data)
  } finally {
    await posthorn.stop()
  }
})
