import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { CloudDriver } from '../../../../test/kit/networks/whatsapp-cloud/driver.ts'
import { UnreadableCallback } from '../../driver/abilities/callbacks.ts'

/* A holder of an app's secret can sign anything, up to the largest body: it must not hold up the callbacks beside it. */

const largest = 3 * 1024 * 1024
const listOf = (count: number) => `[${Array(count).fill('{}').join(',')}]`

let far: CloudDriver
let session: ObservedConnection

before(async () => {
  far = await CloudDriver.start()
  session = await far.open()
})
after(async () => {
  await session.close()
  await far.stop()
})

const change = (field: string, value: string) => {
  const metadata = JSON.stringify({ phone_number_id: far.cloud.number })
  const changes = `[{"field":"${field}","value":{"metadata":${metadata},${value}}}]`
  return `{"entry":[{"id":"${far.cloud.waba}","changes":${changes}}]}`
}

const group = 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD'

/** Everything of which a callback may have a list. */
const lists: Readonly<Record<string, (list: string) => string>> = {
  entries: (list) => `{"entry":${list}}`,
  changes: (list) => `{"entry":[{"changes":${list}}]}`,
  messages: (list) => change('messages', `"messages":${list}`),
  statuses: (list) => change('messages', `"statuses":${list}`),
  echoes: (list) => change('smb_message_echoes', `"message_echoes":${list}`),
  groups: (list) => change('group_lifecycle_update', `"groups":${list}`),
  participants: (list) =>
    change('group_participants_update', `"groups":[{"group_id":"${group}","removed_participants":${list}}]`),
  restrictions: (list) =>
    change('account_update', `"event":"ACCOUNT_RESTRICTION","restriction_info":${list}`),
}

/** Hands a callback over; returns how often others had their turn until it was handled. */
async function turnsDuring(text: string): Promise<number> {
  assert.ok(text.length <= largest)
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const body = Buffer.from(text)
  const receiving = session.connection.receive?.({ id: 'cb_hostile', received_at: Date.now(), body })
  await receiving?.finally(() => {
    isOver = true
  })
  return turns
}

describe('a callback of the largest size', () => {
  for (const [what, callback] of Object.entries(lists))
    test(`with a million ${what} can never be read`, async () => {
      await assert.rejects(turnsDuring(callback(listOf(1_000_000))), UnreadableCallback)
    })

  test('that is nested without end, or has nothing but names, can never be read', async () => {
    const names = Array.from({ length: 200_000 }, (_, index) => `"${index}":1`)
    for (const text of [
      `{"entry":${'['.repeat(largest / 2 - 20)}${']'.repeat(largest / 2 - 20)}}`,
      `{"entry":[],${names.join(',')}}`,
    ])
      await assert.rejects(turnsDuring(text), UnreadableCallback)
  })

  test('with one endless text lets others have their turn while it is looked at', async () => {
    const words = 'x'.repeat(largest - 1_000)
    const turns = await turnsDuring(change('messages', `"messages":[{"text":{"body":"${words}"}}]`))
    assert.ok(turns > 3, `others had ${turns} turns`)
  })
})

describe('a callback with as much in it as is read', () => {
  for (const what of ['entries', 'messages', 'statuses', 'echoes', 'groups'])
    test(`lets others have their turn between its ${what}`, async () => {
      const text = lists[what]?.(listOf(49_000)) ?? assert.fail()
      const turns = await turnsDuring(text)
      assert.ok(turns > 3, `others had ${turns} turns`)
    })

  test('reports all of it, however much that is', async () => {
    const { length } = session.observations
    const said = Array.from({ length: 3_000 }, (_, index) => ({
      type: 'text',
      from: '4915112345678',
      id: `wamid.${index}`,
      timestamp: '1700000000',
      text: { body: `"[{${index},:]}\\` },
    }))
    await turnsDuring(change('messages', `"messages":${JSON.stringify(said)}`))
    const texts = session.observations.slice(length).map((seen) => ('text' in seen ? seen.text : seen.kind))
    assert.deepEqual(
      texts,
      said.map(({ text }) => text.body),
    )
  })
})
