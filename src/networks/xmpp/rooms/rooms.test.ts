import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { xml } from '@xmpp/client'
import { startTcpProxy, type TcpProxy } from '../../../../test/kit/far-ends/tcp-proxy.ts'
import { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { XmppPerson } from '../../../../test/kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../../../test/kit/networks/xmpp/prosody.ts'
import type { CaughtUp } from '../../driver/abilities/catching-up.ts'
import type { GroupAnswer } from '../../driver/abilities/groups.ts'
import type { Resumption } from '../../driver/abilities/resumption.ts'
import type { MessageReceived, Observation } from '../../driver/observation.ts'
import { xmpp } from '../driver.ts'

/*
 * Ana makes a room at a real server, and the gateway comes in.
 */

const configuration = `modules_enabled = { "pep" }
Component "rooms.posthorn.test" "muc"
modules_enabled = { "muc_mam" }
muc_log_by_default = true`

const never = () => AbortSignal.timeout(30_000)

function resultOf<T>(answer: GroupAnswer<T> | undefined): T {
  assert.ok(answer?.kind === 'done', JSON.stringify(answer))
  return answer.value
}

describe('rooms at a real server', needsProsody, () => {
  let prosody: Prosody
  let line: TcpProxy
  let ana: XmppPerson
  let gateway: ObservedConnection
  let name: string
  let room: string
  let count = 0

  before(async () => {
    prosody = await startProsody({ starttls: 'off', archive: true, configuration })
    line = await startTcpProxy(prosody)
    ana = await XmppPerson.join(prosody, 'ana')
  })
  after(async () => {
    await ana?.leave()
    await line?.stop()
    await prosody?.remove()
  })
  beforeEach(async () => {
    count += 1
    name = `gateway-${count}`
    room = `room-${count}@rooms.${prosody.domain}`
    await prosody.createUser(name, 'a password')
    gateway = await open()
    await ana.enters(room, 'Ana')
    await configures({ 'muc#roomconfig_whois': 'anyone', 'muc#roomconfig_persistentroom': '1' })
  })
  afterEach(() => gateway.close())

  const address = () => `${room}?join`
  function open(before: { caughtUp?: CaughtUp; resumption?: Resumption } = {}): Promise<ObservedConnection> {
    const { caughtUp, resumption } = before
    return ObservedConnection.open(xmpp({ ca: prosody.certificate }), {
      settings: {
        address: prosody.address(name),
        service: `xmpp://127.0.0.1:${line.port}`,
        allow_plaintext: true,
      },
      credentials: { password: 'a password' },
      ...(caughtUp && { caughtUp: async () => caughtUp }),
      ...(resumption && { resumption }),
    })
  }
  async function configures(fields: Record<string, string>): Promise<void> {
    const form = xml('x', { xmlns: 'jabber:x:data', type: 'submit' })
    const all = { FORM_TYPE: 'http://jabber.org/protocol/muc#roomconfig', ...fields }
    for (const [key, value] of Object.entries(all))
      form.append(xml('field', { var: key }, xml('value', {}, value)))
    await ana.asks('set', room, xml('query', { xmlns: 'http://jabber.org/protocol/muc#owner' }, form))
  }
  async function affiliates(who: string, affiliation: string): Promise<void> {
    const item = xml('item', { jid: prosody.address(who), affiliation })
    await ana.asks('set', room, xml('query', { xmlns: 'http://jabber.org/protocol/muc#admin' }, item))
  }
  const groups = () => gateway.connection.groups ?? assert.fail()
  const join = async () => resultOf(await groups().join?.(address(), never()))
  const received = (text: string): Promise<MessageReceived> =>
    gateway.sees('message-received', (seen) => seen.text === text)
  const changes = (observations: readonly Observation[]) =>
    observations.flatMap((seen) => (seen.kind === 'group-changed' ? [[seen.change, seen.members ?? []]] : []))

  test('the account joins, hears from then on what is written there, and who wrote it', async () => {
    await ana.saysIn(room, 'before', 'm0')
    const group = await join()
    assert.equal(group.address, address())
    assert.deepEqual(group.members?.map((member) => [member.address, member.role]).sort(), [
      [ana.address, 'owner'],
      [prosody.address(name), 'member'],
    ])
    await ana.saysIn(room, 'Hello', 'm1')
    const seen = await received('Hello')
    const { network_message_id, at, sender_message_id, ...rest } = seen
    assert.deepEqual(rest, {
      kind: 'message-received',
      from: ana.address,
      conversation: address(),
      text: 'Hello',
      file: null,
      content: { sender: { address: ana.address, name: 'Ana', username: null } },
    })
    assert.match(network_message_id, /^sha256-/)
    assert.equal(sender_message_id, (await ana.receives(({ body }) => body === 'Hello')).stanzaId)
    assert.ok(
      !gateway.observations.some((each) => each.kind === 'message-received' && each.text === 'before'),
    )
  })

  test('a message to the room comes back, under the id by which the others know it', async () => {
    await join()
    const sending = gateway.send(address(), 'Hi')
    assert.equal((await sending.outcome).kind, 'accepted')
    const arrival = await ana.receives(({ id }) => id === sending.id)
    assert.deepEqual([arrival.from, arrival.type, arrival.body], [room, 'groupchat', 'Hi'])
    assert.deepEqual([arrival.wantsReceipt, arrival.markable], [false, false])
    const shown = await gateway.sees('message-acknowledged', (seen) => seen.network_message_id === sending.id)
    assert.equal(shown.shared_id, arrival.stanzaId)
    assert.ok(!gateway.kinds().includes('message-received'))
  })

  test('replies, reactions, edits and retractions name messages as rooms do', async () => {
    await join()
    await ana.saysIn(room, 'When?', 'm1')
    const question = await received('When?')
    const theirs = {
      network_message_id: question.network_message_id,
      sender_message_id: question.sender_message_id ?? null,
      from: ana.address,
      kind: 'text',
      text: 'When?',
      topic: null,
    } as const
    const to = address()
    const reply = gateway.sendMessage({ kind: 'text', to, text: 'At nine', replyTo: theirs })
    await reply.outcome
    const atNine = await ana.receives(({ id }) => id === reply.id)
    assert.deepEqual(atNine.about, { as: 'reply', id: question.sender_message_id })
    await gateway.sees('message-acknowledged', (seen) => seen.network_message_id === reply.id)
    const ours = { ...theirs, network_message_id: reply.id, sender_message_id: null, from: null }
    for (const [message, id] of [
      [{ kind: 'reaction', to, target: theirs, emoji: '👍' }, theirs.sender_message_id],
      [{ kind: 'reaction', to, target: ours, emoji: '👍' }, atNine.stanzaId],
      [{ kind: 'correction', to, target: ours, text: 'At ten' }, reply.id],
      [{ kind: 'retraction', to, target: ours }, atNine.stanzaId],
    ] as const) {
      const sent = gateway.sendMessage(message)
      await sent.outcome
      const { about } = await ana.receives((arrival) => arrival.id === sent.id)
      assert.deepEqual(about, { as: message.kind, id })
    }
    // Ana's answers are about the same messages.
    const reactions = xml('reactions', { xmlns: 'urn:xmpp:reactions:0', id: atNine.stanzaId })
    reactions.append(xml('reaction', {}, '🎉'))
    await ana.sends({ to: room, type: 'groupchat', id: 'r1' }, reactions)
    assert.deepEqual((await received('🎉')).relation, { type: 'reaction', message: reply.id })
    const replace = xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id: 'm1' })
    await ana.saysIn(room, 'When exactly?', 'm2', replace)
    const corrected = (await received('When exactly?')).relation
    assert.deepEqual(corrected, { type: 'correction', message: question.sender_message_id })
  })

  test('mentions have the names of the room, and are read', async () => {
    await join()
    const mentions = [ana.address]
    const sent = gateway.sendMessage({
      kind: 'text',
      to: address(),
      text: `😀 @${ana.address}, hello`,
      mentions,
    })
    await sent.outcome
    const { body } = await ana.receives(({ id }) => id === sent.id)
    assert.equal(body, '😀 @Ana, hello')
    const uri = `xmpp:${room}/${name}`
    const mention = xml('reference', {
      xmlns: 'urn:xmpp:reference:0',
      type: 'mention',
      uri,
      begin: '0',
      end: '2',
    })
    await ana.saysIn(room, 'you!', 'm1', mention)
    assert.deepEqual((await received('you!')).content?.mentions, [prosody.address(name)])
  })

  test('in a room that hides addresses, people have their places, and their private messages go back', async () => {
    await configures({ 'muc#roomconfig_whois': 'moderators' })
    await join()
    await ana.saysIn(room, 'Hello', 'm1')
    assert.equal((await received('Hello')).from, `${room}/Ana`)
    await ana.says(`${room}/${name}`, 'psst', 'private-1')
    await ana.saysIn(room, 'after', 'm2')
    await received('after')
    assert.ok(!gateway.observations.some((seen) => seen.kind === 'message-received' && seen.text === 'psst'))
    assert.equal(await ana.receivesReturn('private-1'), 'not-acceptable')
  })

  test('it is back in its rooms on the next connection, and gets what it missed, once', async () => {
    await join()
    await ana.saysIn(room, 'one', 'm1')
    const one = await received('one')
    const at = Date.now()
    await gateway.close()
    await ana.saysIn(room, 'two', 'm2')
    await ana.saysIn(room, 'three', 'm3')
    gateway = await open({ caughtUp: { mark: null, at } })
    assert.equal((await received('one')).network_message_id, one.network_message_id)
    await received('two')
    await received('three')
    await gateway.sees('caught-up')
    const texts = gateway.observations.flatMap((seen) =>
      seen.kind === 'message-received' ? [seen.text] : [],
    )
    assert.deepEqual(texts, ['one', 'two', 'three'])
    assert.ok(!gateway.kinds().includes('group-changed'), 'to come back is no news')
    assert.equal((await gateway.send(address(), 'Hi').outcome).kind, 'accepted')
  })

  test('an attempt whose answer was lost is not repeated if the room shows it', async () => {
    await join()
    const at = Date.now()
    const sending = gateway.send(address(), 'Once')
    await sending.outcome
    await ana.receives(({ id }) => id === sending.id)
    await gateway.close()
    gateway = await open({ caughtUp: { mark: null, at } })
    const again = await gateway.connection.send(sending.message, 2)
    assert.equal(again.kind, 'accepted')
    await gateway.sees('message-acknowledged', (seen) => seen.network_message_id === sending.id)
    await gateway.send(address(), 'And on').outcome
    await ana.receives(({ body }) => body === 'And on')
    assert.equal(ana.arrivals.filter(({ id }) => id === sending.id).length, 1)
  })

  test('a session that is resumed is still in its rooms', async () => {
    await join()
    line.cut()
    const { resumption } = await gateway.sees('connection-lost').catch(() => {
      const lost = gateway.observations.find((seen) => seen.kind === 'connection-lost')
      return lost ?? assert.fail()
    })
    assert.ok(resumption)
    await ana.saysIn(room, 'meanwhile', 'm1')
    gateway = await open({ resumption })
    await received('meanwhile')
    assert.equal((await gateway.send(address(), 'Hi').outcome).kind, 'accepted')
    await ana.receives(({ body }) => body === 'Hi')
  })

  test('a group is made, named, joined by others, and left', async () => {
    const made = resultOf(await groups().create?.({ subject: 'Team & co', members: [ana.address] }, never()))
    assert.deepEqual([made.subject, made.role], ['Team & co', 'owner'])
    assert.match(made.address, /^[0-9a-f]{24}@rooms\.posthorn\.test\?join$/)
    const invitation = await ana.receives(({ from }) => from === prosody.address(name))
    assert.match(invitation.body, /^xmpp:.*\?join$/)
    const bare = made.address.replace('?join', '')
    await ana.enters(bare, 'Ana')
    const before = resultOf(await groups().get?.(made.address, never()))
    assert.deepEqual(before.members?.find((member) => member.address === ana.address)?.role, 'member')
    resultOf(await groups().rename?.(made.address, 'The team', never()))
    const renamed = await gateway.sees('group-changed', (seen) => seen.change === 'renamed')
    assert.equal(renamed.subject, 'The team')
    for (const words of ['What we <do> & when', '']) {
      resultOf(await groups().describe?.(made.address, words, never()))
      const { description } = resultOf(await groups().get?.(made.address, never()))
      assert.equal(description ?? '', words)
    }
    const change = async (action: 'add' | 'remove' | 'promote' | 'demote', who = ana.address) =>
      resultOf(await groups().changeMembers?.(made.address, { action, members: [who] }, never()))
    assert.deepEqual(await change('promote'), [{ address: ana.address, error: null }])
    assert.deepEqual(await change('demote'), [{ address: ana.address, error: null }])
    assert.deepEqual(await change('remove'), [{ address: ana.address, error: null }])
    await ana.receivesPresence(`${bare}/Ana`, (presence) => presence.attrs.type === 'unavailable')
    await gateway.sees('group-changed', (seen) => seen.change === 'members_removed')
    const mine = changes(gateway.observations).map(([change]) => change)
    assert.deepEqual(mine, [
      'created',
      'members_added',
      'renamed',
      'changed',
      'changed',
      'members_promoted',
      'members_demoted',
      'members_removed',
    ])
    const link = resultOf(await groups().inviteLink?.(made.address, false, never()))
    assert.equal(link.url, `xmpp:${bare}?join`)
    assert.deepEqual(
      resultOf(await groups().list?.({ limit: 10, after: null }, never())).groups.map(
        ({ address }) => address,
      ),
      [made.address],
    )
    resultOf(await groups().leave?.(made.address, never()))
    assert.deepEqual(resultOf(await groups().list?.({ limit: 10, after: null }, never())), {
      groups: [],
      next: null,
    })
    const outcome = await gateway.send(made.address, 'gone').outcome
    assert.ok(outcome.kind === 'rejected' && outcome.error.code === 'not_in_room')
  })

  test('what cannot be joined says why, and the address of a person is no room', async () => {
    const refused = async (invitation: string) => {
      const answer = await groups().join?.(invitation, never())
      return answer?.kind === 'rejected' ? answer.error.code : JSON.stringify(answer)
    }
    assert.equal(await refused(`${ana.address}?join`), 'room_not_found')
    assert.equal(await refused('nonsense'), 'room_not_found')
    await configures({ 'muc#roomconfig_membersonly': '1' })
    assert.equal(await refused(address()), 'room_members_only')
    await configures({ 'muc#roomconfig_membersonly': '0' })
    await affiliates(name, 'outcast')
    assert.equal(await refused(address()), 'room_forbidden')
    await affiliates(name, 'none')
    // A name that is taken is no reason to stay outside.
    const other = await XmppPerson.join(prosody, `other-${count}`)
    await other.enters(room, name)
    await join()
    await ana.receivesPresence(`${room}/${name}_`)
    const outcome = await gateway.send(room, 'as to a person').outcome
    assert.ok(outcome.kind === 'rejected' && outcome.error.code === 'recipient_is_room')
    await other.leave()
  })

  test('a removal is news, and the account does not come back by itself', async () => {
    await join()
    await affiliates(name, 'member')
    await affiliates(name, 'outcast')
    await gateway.sees('group-changed', (seen) => seen.change === 'account_left')
    const outcome = await gateway.send(address(), 'still?').outcome
    assert.ok(outcome.kind === 'rejected' && outcome.error.code === 'not_in_room')
    await gateway.close()
    gateway = await open({ caughtUp: { mark: null, at: Date.now() } })
    await gateway.sees('caught-up')
    assert.deepEqual(resultOf(await groups().list?.({ limit: 10, after: null }, never())).groups, [])
  })

  test('who is writing in the room is seen, and the account shows it there', async () => {
    await join()
    const states = 'http://jabber.org/protocol/chatstates'
    await ana.sends({ to: room, type: 'groupchat' }, xml('composing', { xmlns: states }))
    const seen = await gateway.sees('typing-seen')
    assert.deepEqual([seen.conversation, seen.from, seen.state], [address(), ana.address, 'typing'])
    await gateway.connection.showTyping?.(address(), 60)
    await ana.receivesSign('composing', states, (sign) => sign.attrs.from === `${room}/${name}`)
  })
})
