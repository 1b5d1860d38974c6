import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Parser } from '@xmpp/xml'
import { Value } from 'typebox/value'
import { contentFields } from '../../../../src/contract/resources/content.ts'
import Type from '../../../../src/contract/type.ts'
import { incomingMessage } from '../../../../src/messages/inbox/incoming-message.ts'
import type { MessageReceived, Observation } from '../../../../src/networks/driver/observation.ts'
import {
  longestReceivedBytes,
  longestReceivedSubject,
  longestReceivedText,
} from '../../../../src/networks/kit/received-text.ts'
import { copyIn } from '../../../../src/networks/xmpp/incoming/carbons.ts'
import { isComposing } from '../../../../src/networks/xmpp/incoming/chat-states.ts'
import { delayIn } from '../../../../src/networks/xmpp/incoming/forwarded.ts'
import { observationsIn } from '../../../../src/networks/xmpp/incoming/incoming-message.ts'
import { roomMessageIn } from '../../../../src/networks/xmpp/rooms/room-message.ts'
import { RoomState } from '../../../../src/networks/xmpp/session/room-state.ts'
import { element, type Xml } from '../../../../src/networks/xmpp/stanzas/xml.ts'
import { kills, seed } from '../../../kit/crash/kills.ts'
import { randomOf } from '../../../kit/random.ts'

/* Messages of people with something else in their stanzas: they are read, or they are not, and what is told always fits the contract. */

/** Ten thousand in each run, and more by `npm run test:long`, which kills more often. */
const mutations = 2_000 * kills

const account = 'gateway@far.test'
const schema = Type.Object(contentFields)

const reply = `<reply xmlns='urn:xmpp:reply:0' to='${account}' id='one'/>`
const quote = `<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='8'/></fallback>`
const place = `<geoloc xmlns='http://jabber.org/protocol/geoloc'><lat>52.5</lat><lon>13.4</lon><description>Here</description><street>Main 1</street></geoloc>`
const inside: readonly string[] = [
  `<body>Hello</body><nick xmlns='http://jabber.org/protocol/nick'>Ana</nick>`,
  `<body>&gt; 😀 hm?\nYes</body>${reply}${quote}`,
  `<body>I meant this</body><replace xmlns='urn:xmpp:message-correct:0' id='one'/>`,
  `<reactions xmlns='urn:xmpp:reactions:0' id='one'><reaction>👍🏽</reaction><reaction>🎉</reaction></reactions>`,
  `<body>took it back</body><retract xmlns='urn:xmpp:message-retract:1' id='one'/>`,
  `<apply-to xmlns='urn:xmpp:fasten:0' id='one'><retract xmlns='urn:xmpp:message-retract:0'/></apply-to>`,
  `<body>geo:52.5,13.4;u=35?z=17</body>${place}`,
  `<body>@bob, look</body><reference xmlns='urn:xmpp:reference:0' type='mention' begin='0' end='4' uri='xmpp:bob@far.test'/>`,
  `<body>https://far.test/a.webp</body><x xmlns='jabber:x:oob'><url>https://far.test/a.webp</url><desc>A view</desc></x><sticker xmlns='urn:xmpp:stickers:0' pack='x'/>`,
  `<subject>Order 7</subject><x xmlns='jabber:x:conference' jid='team@rooms.far.test'/>`,
  `<body>Sealed</body><encrypted xmlns='urn:xmpp:omemo:2'><header/><payload>x</payload></encrypted><encryption xmlns='urn:xmpp:eme:0' namespace='urn:xmpp:omemo:2' name='OMEMO'/>`,
  `<body>got it</body><received xmlns='urn:xmpp:receipts' id='one'/><displayed xmlns='urn:xmpp:chat-markers:0' id='one'/><delay xmlns='urn:xmpp:delay' from='far.test' stamp='2026-11-28T10:00:00Z'/>`,
  `<composing xmlns='http://jabber.org/protocol/chatstates'/>`,
]

const strange: readonly string[] = [
  ...['', ' ', '@', 'far.test', account, `${account}/phone`, 'bob@far.test', 'team@rooms.far.test/Ana'],
  ...[
    '-1',
    '0',
    '8',
    '1e309',
    '99999999999999999999',
    '91',
    'NaN',
    'geo:1,2',
    'xmpp:%',
    'xmpp:a@b/c',
    'http://127.0.0.1:1/',
  ],
  ...[
    '__proto__',
    'constructor',
    'error',
    'groupchat',
    '\u{202e}\u{feff}',
    '\n\t',
    'urn:xmpp:reply:0',
    'jabber:x:oob',
  ],
  ...[
    'x'.repeat(70_000),
    '🙂'.repeat(5_000),
    `geo:${'1;a='.repeat(60)}`,
    `xmpp:${'%F0%9F%98%80'.repeat(2_000)}@far.test`,
  ],
]
const names = [
  'body',
  'reply',
  'reactions',
  'reaction',
  'replace',
  'retract',
  'geoloc',
  'lat',
  'x',
  'url',
  'subject',
  'delay',
]

/** The stanza with some of its parts replaced, left out or multiplied. */
function altered(stanza: Xml, random: () => number): Xml {
  const one = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const isHit = () => random() < 0.12
  const attributes = Object.entries(stanza.attrs as Record<string, string>).flatMap(([name, value]) =>
    isHit() ? one([[], [[name, one(strange)]], [[one(names), value]]]) : [[name, value]],
  )
  const children = stanza.children.flatMap((child): (Xml | string)[] => {
    const next = typeof child === 'string' ? child : altered(child, random)
    if (!isHit()) return [next]
    return one([[], [next, next], [one(strange)], Array.from({ length: 200 }, () => next)])
  })
  return element(isHit() ? one(names) : stanza.name, Object.fromEntries(attributes), ...children)
}

function stanzasOf(wrapped: (content: string) => string): readonly Xml[] {
  const parser = new Parser()
  const found: Xml[] = []
  parser.on('element', (stanza: Xml) => found.push(stanza))
  parser.write(`<stream xmlns='jabber:client'>${inside.map(wrapped).join('')}`)
  return found
}

const said = (content: string) =>
  `<message from='ana@far.test/phone' to='${account}' type='chat' id='two'>${content}</message>`
const forwarded = (content: string) =>
  `<message from='${account}'><received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>${said(content)}</forwarded></received></message>`
const inRoom = (content: string) =>
  said(content).replace('ana@far.test/phone', 'team@rooms.far.test/Ana').replace("'chat'", "'groupchat'")

/** Everything that is told of a message, in whichever way it came. */
function toldOf(stanza: Xml, room: RoomState): readonly Observation[] {
  const message = copyIn(stanza, account)?.message ?? stanza
  const at = delayIn(message, account) ?? Date.now()
  isComposing(message)
  const written = roomMessageIn(room, message, { account, at, archivedId: null })
  const known = { account, stanzaId: null, at, isKnownRoom: () => false }
  return [...observationsIn(message, known), ...(written ? [written] : [])]
}

function assertFits(received: MessageReceived, sentence: string): void {
  const message = incomingMessage(received, Date.now())
  if (!message) return
  const { text, subject, content, reference, sender_message_id, sent_at, received_at } = message
  assert.deepEqual([...Value.Errors(schema, content)].slice(0, 1), [], sentence)
  assert.ok((text ?? '').length <= longestReceivedText && (text ?? '').isWellFormed(), sentence)
  assert.ok(Buffer.byteLength(text ?? '') <= longestReceivedBytes, sentence)
  assert.ok((subject ?? '').length <= longestReceivedSubject && sent_at <= received_at, sentence)
  assert.ok((reference?.message ?? '').length <= 255 && (sender_message_id ?? '').length <= 255, sentence)
}

test('messages with anything in their stanzas fit what callers are told, and take no time', (context) => {
  const genuine = [said, forwarded, inRoom].flatMap(stanzasOf)
  const random = randomOf(seed)
  const room = new RoomState('team@rooms.far.test', 'gateway')
  let [read, slowest] = [0, 0]
  for (let number = 0; number < mutations; number++) {
    const original = genuine[number % genuine.length] ?? assert.fail()
    const stanza = number < genuine.length ? original : altered(original, random)
    const before = process.threadCpuUsage()
    const told = toldOf(stanza, room)
    const { user, system } = process.threadCpuUsage(before)
    slowest = Math.max(slowest, (user + system) / 1_000)
    for (const observation of told)
      if (observation.kind === 'message-received') {
        read += 1
        assertFits(observation, `seed ${seed}, number ${number}`)
      }
  }
  assert.ok(read >= genuine.length - 6, `${read} were read`)
  assert.ok(slowest < 1_000, `one took ${slowest} ms`)
  context.diagnostic(
    `seed ${seed}: ${mutations} mutations, ${read} of them messages, the slowest in ${slowest.toFixed(1)} ms`,
  )
})
