import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  createInstance,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import {
  getMessage,
  listMessages,
  sendTextMessage,
} from '../../../src/contract/operations/message-operations.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'
import { journalOf } from '../../kit/journal.ts'
import { Archives, archiveNetwork, type Incoming } from '../../kit/networks/archive-network.ts'
import { create, eventually, everythingListed, everythingReceived, inMs, text } from '../../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { checkUsage } from '../../kit/usage.ts'

/* Messages whose time is over are gone, and everything that knew of them goes on. */

const archives = new Archives(freshFolder())
let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn({ drivers: [sandbox(), archiveNetwork(archives)] })
})

after(() => posthorn.stop())

test('lists go on after a message that was removed, and a repeated request gets its first reply', async () => {
  const { admin } = posthorn
  await create(admin, 'trial')
  const sent = []
  const scheduled = await text(admin, {
    instance: 'trial',
    to: 'ana@delivers.sandbox',
    send_at: inMs(3_600_000),
  })
  for (let count = 0; count < 10; count++)
    sent.push(await text(admin, { instance: 'trial', to: 'ana@accepts.sandbox', text: `${count}` }, 10))
  const body = { instance: 'trial', to: 'ana@accepts.sandbox', text: 'Once' }
  const once = await admin.call(sendTextMessage, { body, idempotencyKey: 'once', waitSeconds: 10 })
  const { body: page } = await admin.call(listMessages, { query: { instance: 'trial', limit: 3 } })
  assert.ok(page.next_cursor)

  assert.equal(await posthorn.forgetMessages(Date.now() + 1), 0, 'events are made of them')
  await posthorn.forgetEvents(Date.now() + 1)
  assert.equal(await posthorn.forgetMessages(Date.now() + 1), 11)
  await checkUsage(posthorn.data)
  const { body: rest } = await admin.call(listMessages, {
    query: { instance: 'trial', cursor: page.next_cursor },
  })
  assert.deepEqual(
    rest.data.map(({ id }) => id),
    [scheduled.id],
  )
  assert.equal(rest.next_cursor, null)
  assert.equal((await everythingListed(admin, { instance: 'trial' })).length, 1)
  await assert.rejects(admin.call(getMessage, { params: { id: sent[0]?.id ?? '' } }), {
    code: 'message_not_found',
  })
  const again = await admin.call(sendTextMessage, { body, idempotencyKey: 'once', waitSeconds: 10 })
  assert.equal(again.body.id, once.body.id)
  assert.equal((await everythingListed(admin, { instance: 'trial' })).length, 1, 'nothing was sent again')
})

const incoming = (id: string): Incoming => ({ id, from: 'ana', text: `Text ${id}` })

test('what is removed does not come in anew when an archive is read', async () => {
  const { admin } = posthorn
  const params = { name: 'box' }
  const body = { name: 'box', network: 'archive', settings: { box: 'box' } }
  await admin.call(createInstance, { body, waitSeconds: 10 })
  archives.write('box', incoming('first'))
  const idsInEvents = async () =>
    (await journalOf(posthorn.data))
      .filter(({ type }) => type === 'message.received')
      .map(({ data }) => data.message.network_message_id)
  const received = (count: number) =>
    eventually(
      `${count} messages`,
      () => everythingReceived(admin, 'box'),
      ({ length }) => length >= count,
    )
  await received(1)
  archives.write('box', incoming('second'), incoming('third'))
  await received(3)
  await admin.call(stopInstance, { params })
  assert.deepEqual(await idsInEvents(), ['first', 'second', 'third'])
  await posthorn.forgetEvents(Date.now() + 1)
  await posthorn.forgetMessages(Date.now() + 1)
  // The archive shows its last message again to a client that connects, and everything around the mark.
  await admin.call(startInstance, { params, waitSeconds: 10 })
  archives.write('box', incoming('fourth'))
  await eventually(
    'the new one',
    () => everythingReceived(admin, 'box'),
    (messages) => messages.some(({ network_message_id }) => network_message_id === 'fourth'),
  )
  assert.deepEqual(await idsInEvents(), ['fourth'])
  await checkUsage(posthorn.data)
})
