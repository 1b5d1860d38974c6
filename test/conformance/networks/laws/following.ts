import assert from 'node:assert/strict'
import type { TargetMessage } from '../../../../src/networks/driver/message.ts'
import { newMessageId } from '../../../kit/networks/new-message-id.ts'
import { type LawFixture, law, type Recipient } from '../fixture.ts'
import type { ArrivedAbout, Harness } from '../harness.ts'
import { newText, type Session } from '../session.ts'

/** Laws of messages that change another one, or refer to it: one for each ability that the driver declares. */
export function followingLaws(harness: Harness): void {
  const { sends } = harness.driver.abilities
  if (sends.includes('reply')) replies(harness)
  if (sends.includes('reaction')) reactions(harness)
  if (sends.includes('edit')) edits(harness)
  if (sends.includes('retract')) retractions(harness)
}

function replies(harness: Harness): void {
  law(
    harness,
    'a reply names the message that it replies to, and arrives with its own text',
    async (fixture) => {
      const { session, recipient, target } = await begin(fixture)
      const [own, text] = [newMessageId(), newText()]
      const reply = { id: own, to: recipient.address, kind: 'text', text, replyTo: target } as const
      const id = fixture.idOf(own, await session.sendMessage(reply))
      const arrival = await recipient.arrived(id)
      assert.equal(arrival.text, text)
      assert.deepEqual(arrival.about, { as: 'reply', id: target.network_message_id })
    },
  )
}

function reactions(harness: Harness): void {
  law(harness, 'a reaction reaches the message that it is about, and is taken back', async (fixture) => {
    const { session, recipient, target } = await begin(fixture)
    for (const emoji of ['👍', null]) {
      const id = newMessageId()
      const order = { id, to: recipient.address, kind: 'reaction', target, emoji } as const
      const reaction = about(recipient, target, 'reaction', emoji ?? '')
      assert.equal((await session.sendMessage(order)).kind, 'accepted')
      await reaction
    }
  })
}

function edits(harness: Harness): void {
  law(harness, 'an edit gives the message another text', async (fixture) => {
    const { session, recipient, target } = await begin(fixture)
    const [id, text] = [newMessageId(), newText()]
    const edited = about(recipient, target, 'correction', text)
    const order = { id, to: recipient.address, kind: 'correction', target, text } as const
    assert.equal((await session.sendMessage(order)).kind, 'accepted')
    await edited
  })
}

function retractions(harness: Harness): void {
  law(harness, 'a retraction names the message that is taken back', async (fixture) => {
    const { session, recipient, target } = await begin(fixture)
    const id = newMessageId()
    const retracted = about(recipient, target, 'retraction', '')
    const order = { id, to: recipient.address, kind: 'retraction', target } as const
    assert.equal((await session.sendMessage(order)).kind, 'accepted')
    await retracted
  })
}

interface Begun {
  readonly session: Session
  readonly recipient: Recipient
  /** A text that the recipient has. */
  readonly target: TargetMessage
}

async function begin(fixture: LawFixture): Promise<Begun> {
  const session = await fixture.open()
  const recipient = await fixture.recipient()
  const text = newText()
  const network_message_id = await fixture.deliver(session, recipient, text)
  const target = { network_message_id, sender_message_id: null, from: null, topic: null }
  return { session, recipient, target: { ...target, kind: 'text', text } }
}

/** Resolves once the recipient has this, about the target. A network may give it no id of its own. */
function about(recipient: Recipient, target: TargetMessage, as: ArrivedAbout['as'], text: string) {
  const { network_message_id } = target
  return recipient.arrivals.first(
    `a ${as} of ${network_message_id}`,
    (arrival) => arrival.about?.as === as && arrival.about.id === network_message_id && arrival.text === text,
  )
}
