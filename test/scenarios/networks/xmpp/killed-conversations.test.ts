import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { xml } from '@xmpp/client'
import { joinGroup } from '../../../../src/contract/operations/conversations/group-operations.ts'
import { getInstance } from '../../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../../src/contract/operations/message-operations.ts'
import { countConversations, type SeenAbout } from '../../../kit/crash/count-conversations.ts'
import { KilledServer } from '../../../kit/crash/killed-server.ts'
import { type Said, TalkativeSender } from '../../../kit/crash/talkative-sender.ts'
import { type Arrival, XmppPerson } from '../../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../../kit/networks/xmpp/prosody.ts'
import { eventually } from '../../../kit/play.ts'

/*
 * The server is killed at random moments while it has conversations with people and in a room, over a real XMPP server. What the clients of
 * these people see is counted: nothing is lost, nothing comes under two ids, and nothing before the message that it is about.
 */

const configuration = `modules_enabled = { "pep" }
Component "rooms.posthorn.test" "muc"
modules_enabled = { "muc_mam" }
muc_log_by_default = true`
const room = 'team@rooms.posthorn.test'
const names = ['ana', 'ben']

describe('over kills, conversations stay whole on XMPP', needsProsody, () => {
  let prosody: Prosody
  let server: KilledServer
  const people: XmppPerson[] = []

  before(async () => {
    prosody = await startProsody({ starttls: 'off', archive: true, configuration })
    for (const name of names) people.push(await XmppPerson.join(prosody, name))
    const [ana] = people as [XmppPerson]
    await ana.enters(room, 'ana')
    await ana.asks('set', room, persistent())
    await prosody.createUser('support', 'a password')
    server = new KilledServer({})
    await server.start()
    const settings = {
      address: prosody.address('support'),
      service: `xmpp://127.0.0.1:${prosody.port}`,
      allow_plaintext: true,
      pacing: { messages: 10_000, seconds: 1 },
    }
    const credentials = { password: 'a password' }
    await server.create({ name: 'support', network: 'xmpp', settings, credentials })
    const invitation = { invitation: `xmpp:${room}?join` }
    await server.running.admin.call(joinGroup, { params: { name: 'support' }, body: invitation })
  })
  after(async () => {
    await server?.remove()
    await Promise.all(people.map((person) => person.leave()))
    await prosody?.remove()
  })

  test('replies, reactions, corrections and retractions come once, in order, and each finds its message', async (context) => {
    const recipients = [...people.map(({ address }) => address), `${room}?join`]
    const sender = new TalkativeSender(server.running, 'support', recipients, { retracts: true })
    await server.killRepeatedly(async (running) => {
      const { length } = sender.said
      sender.moveTo(running)
      const accepted = async () => sender.said.length
      await eventually('a message to be accepted', accepted, (count) => count > length)
    })
    await sender.finish()
    const { admin } = server.running
    const depth = async () =>
      (await admin.call(getInstance, { params: { name: 'support' } })).body.queue.depth
    await eventually('an empty queue', depth, (left) => left === 0, 60_000)
    for (const person of people) await witnessed(person)

    const seen = people.flatMap(({ arrivals }) => seenIn(arrivals))
    const said: Said[] = []
    for (const one of sender.said) if (!(await isInPlace(one, seen))) said.push(one)
    const { repeats, ...faults } = countConversations(said, seen)
    assert.deepEqual(faults, { lost: [], doubled: [], early: [], overtaking: [], strayed: [] })
    const inRoom = seenIn((people[0] as XmppPerson).arrivals.filter(({ type }) => type === 'groupchat'))
    const repeatsInRoom = inRoom.length - new Set(inRoom.map(({ id }) => id)).size
    assert.equal(repeatsInRoom, 0, 'what the archive of the room has is not sent again')
    context.diagnostic(
      `seed ${server.seed}: ${server.kills} kills, ${sender.said.length} accepted, ${seen.length} arrived, ${inRoom.length} of them in the room, ${repeats} repeats with the same id`,
    )
  })

  /** Resolves when everything that was written before has come to a person: what is written to one comes in order. */
  async function witnessed(person: XmppPerson): Promise<void> {
    await person.says(person.address, 'the end', `end of ${person.address}`)
    await person.receives(({ id }) => id === `end of ${person.address}`)
  }

  /** True for an edit of a message that still waited: that message came with the new text. */
  async function isInPlace(one: Said, seen: readonly SeenAbout[]): Promise<boolean> {
    const { networkMessageId, about, edits } = one
    if (edits === undefined || seen.some(({ id }) => id === networkMessageId)) return false
    const params = { id: `msg_${networkMessageId}` }
    const { body } = await server.running.admin.call(getMessage, { params })
    return body.status === 'sent' && seen.some(({ id, text }) => id === about && text === edits)
  }
})

/**
 * Messages as a client saw them, with our ids. People in a room know a message by the id that the room gave it (XEP-0359), but one that is
 * corrected by that of its writer (XEP-0308).
 */
function seenIn(arrivals: readonly Arrival[]): SeenAbout[] {
  const ours = arrivals.filter(({ id }) => !id.startsWith('end of'))
  const named = new Map(ours.map(({ id, stanzaId }) => [stanzaId, id]))
  return ours.map(({ id, about, text, type }) => {
    const isShared = type === 'groupchat' && about?.as !== 'correction'
    const target = about && isShared ? (named.get(about.id) ?? 'none in the room') : about?.id
    return { id, text, ...(target !== undefined && { about: target }) }
  })
}

/** A room that stays while all are away. */
function persistent() {
  const form = xml('x', { xmlns: 'jabber:x:data', type: 'submit' })
  for (const [name, value] of [
    ['FORM_TYPE', 'http://jabber.org/protocol/muc#roomconfig'],
    ['muc#roomconfig_persistentroom', '1'],
  ] as const)
    form.append(xml('field', { var: name }, xml('value', {}, value)))
  return xml('query', { xmlns: 'http://jabber.org/protocol/muc#owner' }, form)
}
