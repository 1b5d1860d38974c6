import assert from 'node:assert/strict'
import { newMessageId } from '../../../kit/networks/new-message-id.ts'
import { type LawFixture, law, names, present, type Recipient } from '../fixture.ts'
import type { Harness } from '../harness.ts'
import { newText } from '../session.ts'

/** Laws of messages and of the receipts for them. */
export function sendingLaws(harness: Harness): void {
  arriving(harness)
  keepingOrder(harness)
  answering(harness)
}

function arriving(harness: Harness): void {
  const { driver } = harness
  law(harness, 'an accepted message arrives with the id that it was given, once', async (fixture) => {
    const session = await fixture.open()
    const recipient = await fixture.recipient()
    await fixture.deliver(session, recipient)
    await fixture.settle()
    assert.equal(recipient.arrivals.all.length, 1)
  })
  law(
    harness,
    'recipients do not wait for each other, and none gets what is for another',
    async (fixture) => {
      const session = await fixture.open()
      const width = Math.min(3, driver.limits.in_flight)
      const recipients: Recipient[] = []
      while (recipients.length < width) recipients.push(await fixture.recipient())
      const lane = async (recipient: Recipient): Promise<string[]> => {
        const ids: string[] = []
        while (ids.length < 10) ids.push(await fixture.deliver(session, recipient))
        return ids
      }
      const sent = await Promise.all(recipients.map(lane))
      const got = recipients.map((recipient) => recipient.arrivals.all.map((arrival) => arrival.id))
      assert.deepEqual(got, sent)
    },
  )
  if (driver.abilities.message_ids === 'ours')
    law(harness, 'a message that is sent again keeps its id', async (fixture) => {
      const session = await fixture.open()
      const recipient = await fixture.recipient()
      const [id, text] = [newMessageId(), newText()]
      for (const attempt of [1, 2, 3]) {
        const outcome = await session.send(recipient.address, text, { id, attempt })
        assert.equal(outcome.kind, 'accepted')
      }
      const last = await fixture.deliver(session, recipient)
      const ids = new Set(recipient.arrivals.all.map((arrival) => arrival.id))
      assert.deepEqual([...ids], [id, last], 'no arrival carries another id')
      assert.ok(recipient.arrivals.all.every((arrival) => arrival.id !== id || arrival.text === text))
    })
}

function keepingOrder(harness: Harness): void {
  const { driver } = harness
  law(harness, 'messages to one recipient arrive in the order in which they were sent', async (fixture) => {
    const session = await fixture.open()
    const recipient = await fixture.recipient()
    const ids: string[] = []
    for (let index = 0; index < 20; index++) {
      const id = newMessageId()
      ids.push(fixture.idOf(id, await session.send(recipient.address, newText(), { id })))
    }
    await recipient.arrived(ids.at(-1) ?? '')
    assert.deepEqual(
      recipient.arrivals.all.map((arrival) => arrival.id),
      ids,
    )
  })
  if (driver.limits.in_flight_per_recipient > 1) {
    law(harness, 'texts to one recipient that are under way together keep their order', async (fixture) => {
      const session = await fixture.open()
      const recipient = await fixture.recipient()
      const [ids, answered]: [string[], string[]] = [[], []]
      for (let round = 0; round < 5; round++) {
        const some = Array.from({ length: driver.limits.in_flight_per_recipient }, () => newMessageId())
        ids.push(...some)
        const sending = some.map(async (id) => {
          assert.equal((await session.send(recipient.address, newText(), { id })).kind, 'accepted')
          answered.push(id)
        })
        await Promise.all(sending)
      }
      await recipient.arrived(ids.at(-1) ?? '')
      assert.deepEqual(
        recipient.arrivals.all.map((arrival) => arrival.id),
        ids,
      )
      assert.deepEqual(answered, ids, 'the answers come in this order, too')
    })
  }
}

function answering(harness: Harness): void {
  law(harness, 'what recipients confirm is reported with the id and their address', async (fixture) => {
    const session = await fixture.open()
    const recipient = await fixture.recipient()
    const id = await fixture.deliver(session, recipient)
    for (const state of harness.confirms) await confirmed(session, id, recipient.address, state)
    const order = session.observations.all.flatMap((seen) => (seen.kind === 'receipt' ? [seen.state] : []))
    assert.deepEqual(order, [...harness.confirms], 'every confirmation is reported once, in order')
  })
  law(
    harness,
    'a recipient unknown to the network is a permanent error, now or when the message comes back',
    async (fixture) => {
      const session = await fixture.open()
      const address = await present(harness.unknownRecipient).call(harness)
      const id = newMessageId()
      const outcome = await session.send(address, newText(), { id })
      if (outcome.kind === 'accepted') {
        const returned = await session.seen('message-returned', (seen) => names(seen, id))
        assert.ok(returned.from === address || returned.from === null)
        assert.equal(returned.error.permanent, true)
      } else {
        assert.ok(outcome.kind === 'rejected' && outcome.error.permanent, `it was ${outcome.kind}`)
      }
      await fixture.deliver(session, await fixture.recipient())
    },
    'unknownRecipient',
  )
}

async function confirmed(
  session: Awaited<ReturnType<LawFixture['open']>>,
  id: string,
  address: string,
  state: 'delivered' | 'read',
): Promise<void> {
  const { from } = await session.seen('receipt', (seen) => names(seen, id) && seen.state === state)
  assert.ok(from === null || session.areOne(from, address), 'or the network vouches for it')
}
