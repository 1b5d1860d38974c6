import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryKeys } from '../../../../test/kit/networks/memory-keys.ts'
import { sharesForTests } from '../../../../test/kit/shares.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { silentLog } from '../../../runtime/log.ts'
import type { Observation } from '../../driver/observation.ts'
import { ChatStates } from '../incoming/chat-states.ts'
import { RoomState } from '../session/room-state.ts'
import { XmppSession } from '../session/session.ts'
import { IqRequests } from '../stanzas/iq-requests.ts'
import { ns, type Xml } from '../stanzas/xml.ts'
import { StanzaParser } from '../stream/parser.ts'
import { Rooms } from './rooms.ts'

const bare = 'team@rooms.far.test'

function parsed(xml: string): Xml | null {
  try {
    const parser = new StanzaParser()
    parser.open(Buffer.from(`<stream:stream xmlns="${ns.client}" xmlns:stream="${ns.streams}">`))
    parser.begin(Buffer.from(xml))
    for (;;) {
      const stanza = parser.step()
      if (stanza) return stanza
    }
  } catch {
    return null
  }
}

/** The rooms of an account that is in one. */
function inside() {
  const over = new AbortController()
  const reports: Observation[] = []
  const report = async (observation: Observation) => reports.push(observation) > 0
  const session = new XmppSession('gateway@far.test')
  const room = new RoomState(bare, 'gateway')
  Object.assign(room, {
    isProven: true,
    isInside: true,
    phase: 'joined',
    support: { ids: true, archive: false },
  })
  session.rooms.set(bare, room)
  const iqRequests = new IqRequests(session.address, () => {})
  const now = () => Date.now()
  const chatStates = new ChatStates({ account: session.address, iqRequests, now, report, over: over.signal })
  const rooms = new Rooms({
    ...{ session, iqRequests, chatStates, report, over: over.signal, keys: memoryKeys() },
    ...{ clock: systemClock, log: silentLog, share: sharesForTests().of('org_1') },
    ...{ write: () => {}, mark: () => undefined, timeouts: { archive: 1_000, room: 1_000 } },
  })
  const take = (xml: string) => {
    const stanza = parsed(xml)
    if (stanza && stanza.name !== 'iq') rooms.take(stanza)
    return stanza !== null
  }
  return { room, reports, take, end: () => over.abort() }
}

const comes = (nick: string, more = '', attributes = '') =>
  `<presence from="${bare}/${nick}"${attributes}><x xmlns="${ns.rooms}">` +
  `<item affiliation="none" role="participant" jid="${nick}@far.test/x"/>${more}</x></presence>`

test('10,000 people who come and go are no news, and who they are is remembered for some', () => {
  const { room, reports, take, end } = inside()
  for (let index = 0; index < 10_000; index += 1) take(comes(`visitor-${index}`))
  assert.ok(room.occupants.size <= 5_000, String(room.occupants.size))
  for (let index = 0; index < 10_000; index += 1) take(comes(`visitor-${index}`, '', ' type="unavailable"'))
  assert.deepEqual([room.occupants.size, reports.length], [0, 0])
  for (let index = 0; index < 1_000; index += 1) {
    take(comes('ana'))
    take(comes('ana').replace('"none"', '"member"'))
  }
  assert.ok(reports.length <= 100, `${reports.length} changes`)
  end()
})

test('a message of a room is known by the room and its id, whoever else gives the same', () => {
  const { reports, take, end } = inside()
  const id = (by: string) => `<stanza-id xmlns="${ns.stanzaIds}" id="7" by="${by}"/>`
  const says = (nick: string, more: string) =>
    take(`<message from="${bare}/${nick}" type="groupchat" id="a"><body>x</body>${more}</message>`)
  says('Ana', id(bare))
  says('Ana', id(bare))
  says('Ana', id('other@rooms.far.test'))
  const ids = reports.map((seen) => seen.kind === 'message-received' && seen.network_message_id)
  assert.equal(ids[0], ids[1])
  assert.notEqual(ids[0], ids[2])
  end()
})

const samples = [
  comes('ana', '<status code="110"/><status code="303"/>', ' type="unavailable"'),
  comes('gateway', '<status code="110"/><status code="104"/>'),
  comes('bert', '<status code="307"/><destroy jid="other@rooms.far.test"/>', ' type="unavailable"'),
  `<message from="${bare}/Ana" type="groupchat" id="m1"><body>Hello</body><composing xmlns="${ns.chatStates}"/>` +
    `<stanza-id xmlns="${ns.stanzaIds}" id="s1" by="${bare}"/><delay xmlns="${ns.delay}" stamp="2026-01-01T00:00:00Z"/></message>`,
  `<message from="${bare}/gateway" type="groupchat" id="0192f0c1a2b37d4e8f90a1b2c3"><body>Hi</body><origin-id xmlns="${ns.stanzaIds}" id="x"/></message>`,
  `<message from="${bare}/Ana" type="groupchat" id="m2"><subject>News</subject></message>`,
  `<message from="${bare}"><x xmlns="${ns.rooms}"><item affiliation="admin" jid="cy@far.test"><actor jid="ana@far.test"/></item></x></message>`,
  `<message from="new@rooms.far.test"><x xmlns="${ns.rooms}"><invite from="ana@far.test/x"><reason>Come</reason></invite></x></message>`,
  `<message from="${bare}/Ana" type="groupchat" id="m3"><reference xmlns="${ns.references}" type="mention" uri="xmpp:${bare}/gateway" begin="0" end="3"/>` +
    `<replace xmlns="${ns.correction}" id="m1"/><reply xmlns="${ns.reply}" id="s1"/><body>you</body></message>`,
]

test('20,000 stanzas of rooms that were damaged on the way end nothing', () => {
  const { reports, take, end } = inside()
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  const pieces = [
    '"',
    "'",
    '<',
    '>',
    '/',
    '&#x0;',
    '&amp;',
    '\u202e',
    'xmlns',
    '110',
    'ana',
    '',
    '=""',
    '<x/>',
    '\ud83d',
  ]
  let wellFormed = 0
  for (let index = 0; index < 20_000; index += 1) {
    let xml = samples[random(samples.length)] ?? ''
    for (let changes = 1 + random(3); changes > 0; changes -= 1) {
      const start = random(xml.length)
      xml = xml.slice(0, start) + (pieces[random(pieces.length)] ?? '') + xml.slice(start + random(8))
    }
    if (take(xml)) wellFormed += 1
  }
  assert.ok(wellFormed > 2_000, `${wellFormed} were well-formed`)
  for (const seen of reports)
    if (seen.kind === 'message-received') assert.match(seen.conversation, /\?join$/, JSON.stringify(seen))
  end()
})
