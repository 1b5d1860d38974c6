import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { contentFields } from '../../../../src/contract/resources/content.ts'
import Type from '../../../../src/contract/type.ts'
import { incomingMessage } from '../../../../src/messages/inbox/incoming-message.ts'
import { observationOf } from '../../../../src/networks/whatsapp/incoming/incoming-message.ts'
import {
  MessageTooLarge,
  messageIn,
} from '../../../../src/networks/whatsapp/worker/baileys/bounds/messages.ts'
import { kills, seed } from '../../../kit/crash/kills.ts'
import { mutatedBytes } from '../../../kit/networks/callback-mutations.ts'
import { randomOf } from '../../../kit/random.ts'
import { type Content, messageOf } from '../../../simulators/whatsapp/people/contents.ts'
import { messageCodec } from '../../../simulators/whatsapp/proto/message.ts'

/* Contents of people with something else in their bytes: they are read, or they are not, and what is told always fits the contract. */

/** Twenty thousand in each run, and more by `npm run test:long`, which kills more often. */
const mutations = 4_000 * kills

const schema = Type.Object(contentFields)

const vcard = 'BEGIN:VCARD\nVERSION:3.0\nFN:Ben\nTEL;waid=49151:+49 151\nEMAIL:b@example.org\nEND:VCARD'
const reply = { to: '3EB0', from: '1@lid', text: 'Well?' }
const contents: readonly Content[] = [
  { location: { latitude: 48.1, longitude: 11.5, name: 'Here' } },
  { location: { latitude: 48.1, longitude: 11.5, name: 'Here', isLive: true } },
  { contact: { name: 'Ben', vcard } },
  {
    contacts: [
      { name: 'Ben', vcard },
      { name: 'Eve', vcard },
    ],
  },
  { choice: { from: 'buttons', id: 'yes', title: 'Yes' }, reply },
  { choice: { from: 'template', id: 'yes', title: 'Yes' }, reply },
  { choice: { from: 'list', id: 'yes', title: 'Yes' }, reply },
  { form: { name: 'flow', json: '{"day":"Monday","times":[1,2]}', shown: 'Sent' } },
  { order: { count: 3, message: 'Please' } },
  { poll: { question: 'When?', options: ['Now', 'Later'], several: true } },
  { text: '@1', mentions: ['123456789012345'], ad: { title: 'Shoes', sourceType: 'ad', ctwaClid: 'c' } },
  { reaction: { to: '3EB0', emoji: '👍' } },
  { edit: { id: '3EB0', text: 'Edited' } },
]
const vote = {
  pollUpdateMessage: {
    pollCreationMessageKey: { id: '3EB0', remoteJid: '1@lid' },
    vote: { encPayload: randomBytes(60), encIv: randomBytes(12) },
  },
}

const envelope = {
  id: '3A01',
  chat: '123456789012345@lid',
  chat_alt: '4915112345678@s.whatsapp.net',
  sender: null,
  sender_alt: null,
  from_me: false,
  timestamp: 1_700_000_000,
  name: 'Ana',
}

test('contents with anything in them fit what callers are told, and take no time', (context) => {
  const files = undefined as never
  const genuine = [...contents.map((content) => messageOf(content, '1@lid', files)), vote].map((message) =>
    Buffer.from(messageCodec.encode(message)),
  )
  const random = randomOf(seed)
  let [read, slowest] = [0, 0]
  for (let number = 0; number < mutations; number++) {
    const bytes = genuine[number % genuine.length] ?? assert.fail()
    const mutated = number < genuine.length ? bytes : mutatedBytes(bytes, random)
    const before = process.threadCpuUsage()
    const content = contentIn(Buffer.concat([mutated, Buffer.of(1)]))
    const { user, system } = process.threadCpuUsage(before)
    slowest = Math.max(slowest, (user + system) / 1_000)
    if (content === undefined) continue
    read += 1
    const faults = [...Value.Errors(schema, content)].slice(0, 1)
    assert.deepEqual(faults, [], `seed ${seed}, number ${number}: ${mutated.toString('base64')}`)
  }
  assert.ok(read >= genuine.length)
  assert.ok(slowest < 1_000, `one took ${slowest} ms`)
  context.diagnostic(
    `seed ${seed}: ${mutations} mutations, ${read} of them messages, the slowest in ${slowest.toFixed(1)} ms`,
  )
})

function contentIn(padded: Buffer) {
  try {
    const message = messageIn(padded)
    const observation = message && observationOf(message, envelope)
    return observation ? incomingMessage(observation, Date.now())?.content : undefined
  } catch (error) {
    if (error instanceof MessageTooLarge) return undefined
    throw error
  }
}
