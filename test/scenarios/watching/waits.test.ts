import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { reactToMessage } from '../../../src/contract/operations/following-operations.ts'
import { getInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import {
  cancelMessage,
  getMessage,
  listMessages,
  sendMediaMessage,
} from '../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { create, eventually, inMs, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* A message that is read says for what it waits, and only what is known. */

let posthorn: Posthorn
/** A server for files that never answers. */
let silent: Server

before(async () => {
  silent = createServer(() => undefined).listen(0, '127.0.0.1')
  posthorn = await startPosthorn({
    environment: { POSTHORN_STOP_SECONDS: '1', POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.1/32' },
  })
  await create(posthorn.admin, 'trial')
})

after(async () => {
  silent.closeAllConnections()
  silent.close()
  await posthorn?.stop()
})

const read = async (id: string) => (await posthorn.admin.call(getMessage, { params: { id } })).body

/** Returns the whole cause once the message waits for this reason. */
async function waitsFor({ id }: Message, reason: string) {
  const message = await eventually(
    `${id} to wait for ${reason}`,
    () => read(id),
    ({ waits_for }) => waits_for?.reason === reason,
  )
  return message.waits_for
}

const nothingElse = { message_id: null, instance_status: null, until: null }

describe('a message that is read says that it waits', { concurrency: true }, () => {
  test('for its time', async () => {
    const send_at = inMs(3_600_000)
    const later = await text(posthorn.admin, { instance: 'trial', to: 'ana@delivers.sandbox', send_at })
    assert.deepEqual((await read(later.id)).waits_for, {
      ...nothingElse,
      reason: 'send_at',
      until: new Date(send_at).toISOString(),
    })
    const { body } = await posthorn.admin.call(cancelMessage, { params: { id: later.id } })
    assert.equal(body.waits_for, null)
  })

  test('for the answer of the network, and those behind it for it', async () => {
    const to = { instance: 'trial', to: 'bo@stuck.sandbox' }
    const first = await text(posthorn.admin, to)
    const second = await text(posthorn.admin, to)
    const third = await text(posthorn.admin, to)
    assert.deepEqual(await waitsFor(first, 'answer'), { ...nothingElse, reason: 'answer' })
    for (const { id } of [second, third])
      assert.deepEqual((await read(id)).waits_for, {
        ...nothingElse,
        reason: 'earlier_message',
        message_id: first.id,
      })
  })

  test('for another attempt', async () => {
    const message = await text(posthorn.admin, { instance: 'trial', to: 'cy@busy.sandbox' })
    const waiting = await eventually(
      'an attempt to fail',
      () => read(message.id),
      ({ waits_for, attempts }) => waits_for?.reason === 'retry' && attempts > 1,
    )
    const until = Date.parse(waiting.waits_for?.until ?? '')
    assert.ok(until > Date.parse(waiting.created_at) && until < Date.now() + 300_000, `${until}`)
  })

  test('for a message that it refers to, while it is not known whether that was sent', async () => {
    const to = { instance: 'trial', to: 'eva@never-certain.sandbox' }
    const uncertain = await text(posthorn.admin, { ...to, expires_at: inMs(3_000) })
    const reacting = { params: { id: uncertain.id }, body: { emoji: '👍' } }
    const { body: early } = await posthorn.admin.call(reactToMessage, reacting)
    const forTarget = { ...nothingElse, reason: 'target', message_id: uncertain.id }
    assert.deepEqual((await read(early.id)).waits_for, forTarget)
    await reaches(posthorn.admin, uncertain.id, 'unknown')
    assert.equal((await read(uncertain.id)).waits_for, null)
    const { body: late } = await posthorn.admin.call(reactToMessage, reacting)
    assert.deepEqual((await read(late.id)).waits_for, forTarget)
  })

  test('for its file', async () => {
    const { port } = silent.address() as AddressInfo
    const { body } = await posthorn.admin.call(sendMediaMessage, {
      body: {
        instance: 'trial',
        to: 'dia@delivers.sandbox',
        kind: 'document',
        url: `http://127.0.0.1:${port}/file`,
      },
    })
    assert.deepEqual((await read(body.id)).waits_for, { ...nothingElse, reason: 'file' })
  })
})

describe('a message whose instance sends nothing says so', { concurrency: true }, () => {
  test('if it is stopped', async () => {
    await create(posthorn.admin, 'stopped', { account: 'stopped' })
    await posthorn.admin.call(stopInstance, { params: { name: 'stopped' }, waitSeconds: 10 })
    const { id } = await text(posthorn.admin, { instance: 'stopped', to: 'ana@delivers.sandbox' })
    const forInstance = { ...nothingElse, reason: 'instance', instance_status: 'stopped' }
    assert.deepEqual((await read(id)).waits_for, forInstance)
  })

  test('if its account is restricted', async () => {
    await create(posthorn.admin, 'limited', { account: 'limited', behaviour: 'restricts', after_seconds: 0 })
    const { body } = await eventually(
      'the restriction',
      () => posthorn.admin.call(getInstance, { params: { name: 'limited' } }),
      (answer) => answer.body.restriction !== null,
    )
    const { id } = await text(posthorn.admin, { instance: 'limited', to: 'ana@delivers.sandbox' })
    const until = body.restriction?.ends_at ?? null
    assert.deepEqual((await read(id)).waits_for, { ...nothingElse, reason: 'restriction', until })
  })

  test('if it is not its turn', async () => {
    const pacing = { messages: 1, seconds: 3600 }
    await create(posthorn.admin, 'calm', { account: 'calm', pacing })
    const first = await text(posthorn.admin, { instance: 'calm', to: 'ana@delivers.sandbox' })
    await reaches(posthorn.admin, first.id, 'delivered')
    const { id } = await text(posthorn.admin, { instance: 'calm', to: 'bo@delivers.sandbox' })
    assert.deepEqual((await read(id)).waits_for, { ...nothingElse, reason: 'turn' })
  })
})

test('a list does not look for it, and a request that waits in vain says it', async () => {
  const to = { instance: 'trial', to: 'finn@stuck.sandbox' }
  await text(posthorn.admin, to)
  const behind = await text(posthorn.admin, to, 1)
  assert.equal(behind.waits_for?.reason, 'earlier_message')
  const { body } = await posthorn.admin.call(listMessages, { query: { conversation: to.to } })
  assert.deepEqual(
    body.data.map(({ waits_for }) => waits_for),
    [undefined, undefined],
  )
})
