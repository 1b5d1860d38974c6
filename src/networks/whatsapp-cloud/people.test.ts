import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { ObservedConnection } from '../../../test/kit/networks/observed-connection.ts'
import { CloudDriver, type CloudPerson } from '../../../test/kit/networks/whatsapp-cloud/driver.ts'
import type { MessageReceived, MessageSentElsewhere, Observation } from '../driver/observation.ts'

/* Names of people, and the conversations that their messages belong to. */

let far: CloudDriver
let ada: CloudPerson
let session: ObservedConnection

/** Returns the reports of callbacks, without the addresses of people. */
const said = async () => (await far.handOver(session)).filter(({ kind }) => kind !== 'contact-known')

before(async () => {
  far = await CloudDriver.start()
})
after(() => far.stop())
beforeEach(async () => {
  ada = await far.person()
  session = await far.open()
  await far.handOver(session)
})
afterEach(() => session.close())

const stateOf = (seen: Observation) => ('state' in seen ? seen.state : seen.kind)

const received = async () => {
  const seen = await said()
  assert.ok(seen.every((one) => one.kind === 'message-received'))
  return seen as MessageReceived[]
}

describe('a person whose id changes', () => {
  const contacts = async (act: object) => {
    await far.cloud.act(ada.user_id, { act: 'change-number', phone: '4915199999999', ...act })
    const seen = await far.handOver(session)
    const [person] = (await far.cloud.control('webhooks', {})).slice(-1)
    const { system } = JSON.parse(person?.body ?? '').entry[0].changes[0].value.messages[0]
    return { seen, system }
  }

  test('is named as before, then as now, if they show their phone', async () => {
    const { seen, system } = await contacts({})
    assert.equal(system.type, 'user_changed_number')
    assert.deepEqual(seen, [
      { kind: 'contact-known', addresses: [ada.user_id, ada.address] },
      { kind: 'contact-known', addresses: [system.user_id, '+4915199999999'], formerly: ada.user_id },
    ])
  })

  test('is the same person if they hide their phone, before or also afterwards', async () => {
    for (const shows of [false, true]) {
      ada = await far.person({ username: 'ada' })
      const { seen, system } = await contacts({ shows })
      assert.equal(system.type, shows ? 'user_changed_number' : 'user_changed_user_id')
      const phone = shows ? ['+4915199999999'] : []
      assert.deepEqual(seen, [
        { kind: 'contact-known', addresses: [system.user_id, ...phone], formerly: ada.user_id },
      ])
    }
  })

  test('is known by the id for all accounts of the business, too', async () => {
    ada = await far.person({ parent_user_id: 'US.ENT.11815799212886844830' })
    await far.cloud.act(ada.user_id, { act: 'text', body: 'Hello' })
    const [message] = await received()
    assert.deepEqual(message?.addresses, [ada.user_id, 'US.ENT.11815799212886844830', ada.address])
    assert.equal(message?.from, ada.address)
    const { seen, system } = await contacts({})
    assert.deepEqual(seen.at(-1), {
      kind: 'contact-known',
      addresses: [system.user_id, system.parent_user_id, '+4915199999999'],
      formerly: ada.user_id,
    })
  })
})

describe('a group', () => {
  test('is the conversation of what its people write, and gets the answers', async () => {
    const eve = await far.person()
    const { id: group } = await far.cloud.control('group', { people: [ada.user_id, eve.user_id] })
    await far.cloud.act(ada.user_id, { act: 'text', body: 'What do you all think?', group })
    await far.cloud.act(eve.user_id, { act: 'text', body: 'Good.', group })
    assert.deepEqual(
      (await received()).map(({ from, conversation, text }) => [from, conversation, text]),
      [
        [ada.address, group, 'What do you all think?'],
        [eve.address, group, 'Good.'],
      ],
    )
    assert.deepEqual(far.driver.parseAddress(group), { ok: true, address: group })
    const sending = session.send(group, 'Then we do that')
    assert.equal((await sending.outcome).kind, 'accepted')
    const { request } = (await far.cloud.control('taken', {})).at(-1) ?? assert.fail()
    assert.deepEqual([request.recipient_type, request.to], ['group', group])
    // One of its people is enough for either, and none of them is the group.
    const seen = await far.handOver(session)
    assert.deepEqual(seen.map(stateOf), ['message-acknowledged', 'delivered', 'delivered'])
  })

  test('that is not there refuses the message', async () => {
    const { id: empty } = await far.cloud.control('group', { people: [] })
    for (const to of [empty, `${empty.slice(0, -4)}xxxx`]) {
      const outcome = await session.send(to, 'Hello').outcome
      assert.ok(outcome.kind === 'rejected' && outcome.error.permanent)
      assert.equal(outcome.error.code, 'group_unusable')
    }
  })
})

describe('what the business writes on its phone', () => {
  const echoes = async () => {
    const seen = await said()
    assert.ok(seen.every((one) => one.kind === 'message-sent-elsewhere'))
    return seen as MessageSentElsewhere[]
  }
  const echo = async (act: object) => (await far.cloud.control('echo', { person: ada.user_id, ...act })).id

  test('may answer, and may be changed and taken back there', async () => {
    const theirs = await far.cloud.act(ada.user_id, { act: 'text', body: 'Are you open?' })
    await said()
    const own = await echo({ body: 'Yes', reply_to: theirs })
    await echo({ edits: own, body: 'No' })
    await echo({ deletes: own })
    assert.deepEqual(
      (await echoes()).map(({ text, sender_message_id, relation, unsupported }) => [
        text,
        sender_message_id === own,
        relation,
        unsupported,
      ]),
      [
        ['Yes', true, { type: 'reply', message: theirs }, undefined],
        ['No', false, { type: 'correction', message: own }, undefined],
        [null, false, { type: 'retraction', message: own }, undefined],
      ],
    )
  })

  test('is also the new caption of a file', async () => {
    const edit = { original_message_id: 'wamid.one', message: { type: 'image', image: { caption: 'Look!' } } }
    const { text, file, relation, unsupported } = (await receive('smb_message_echoes', {
      message_echoes: [{ id: 'wamid.two', to: ada.address.slice(1), type: 'edit', edit }],
    })) as MessageSentElsewhere
    assert.deepEqual(
      [text, file, relation, unsupported],
      ['Look!', null, { type: 'correction', message: 'wamid.one' }, undefined],
    )
  })
})

/** Receives one change that the far end never sends by itself. */
async function receive(field: string, about: object): Promise<Observation | undefined> {
  const value = { metadata: { phone_number_id: far.cloud.number }, ...about }
  const body = JSON.stringify({ entry: [{ id: far.cloud.waba, changes: [{ field, value }] }] })
  const before = session.observations.length
  await session.connection.receive?.({ id: 'cb_own', received_at: Date.now(), body: Buffer.from(body) })
  return session.observations.slice(before).at(-1)
}

test('a file with an id that leads nowhere keeps its caption', async () => {
  const image = { id: '../me', mime_type: 'image/jpeg', caption: 'Look' }
  const from = ada.address.slice(1)
  const seen = await receive('messages', { messages: [{ id: 'wamid.one', from, type: 'image', image }] })
  const { text, file, unsupported } = seen as MessageReceived
  assert.deepEqual([text, file, unsupported], ['Look', null, { type: 'unknown', name: 'image' }])
})
