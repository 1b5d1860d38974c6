import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { conversations, type Unaddressed } from '../../../../test/kit/networks/telegram/conversation.ts'
import { brief } from '../../../../test/kit/networks/telegram/plays.ts'
import type { OutgoingContent } from '../../driver/message.ts'
import { contentFault } from './content-fault.ts'

const at = conversations()
const send = async (message: Unaddressed<OutgoingContent>) => brief(await at().send(message))
const received = () => at().received()

const ana = { name: 'Ana Souza', phones: ['+55 11 1'], emails: [], company: null }
const place = { latitude: 1, longitude: 2, name: null, address: null }

test('a place with half of its words, and people whom Telegram cannot show, are refused before they are sent', async () => {
  const faults = [
    { location: { ...place, name: 'Here' } },
    { location: { ...place, address: 'Street 1' } },
    { contacts: [ana, ana] },
    { contacts: [] },
    { contacts: [{ ...ana, phones: [] }] },
    { contacts: [{ ...ana, emails: Array.from({ length: 10 }, () => 'x'.repeat(250)) }] },
  ]
  for (const content of faults) {
    assert.ok(contentFault(content), JSON.stringify(content))
    const kind = content.location ? 'location' : 'contacts'
    assert.equal(
      await send({ kind, ...content } as Unaddressed<OutgoingContent>),
      'permanent content_not_representable',
    )
  }
  for (const content of [{ location: place }, { contacts: [ana] }]) assert.equal(contentFault(content), null)
  assert.equal((await received()).length, 0)
})

test('what a person has besides a phone number goes along as a vCard', async () => {
  const whole = { ...ana, phones: ['+55 11 1', '+55 11 2'], emails: ['ana@example.org'], company: 'Souza' }
  assert.equal(await send({ kind: 'contacts', contacts: [whole] }), 'accepted')
  const [{ content } = assert.fail()] = await received()
  const { phone_number, first_name, vcard } = content as { [name: string]: string }
  assert.deepEqual([phone_number, first_name], ['+55 11 1', 'Ana Souza'])
  for (const line of ['TEL;TYPE=CELL:+55 11 2', 'EMAIL:ana@example.org', 'ORG:Souza'])
    assert.ok(vcard?.includes(line), line)
})

test('as many buttons as the limits allow, with ids of 64 bytes', async () => {
  const id = (number: number) => `${String(number).padStart(2, '0')}${'é'.repeat(31)}`
  const buttons = Array.from({ length: 30 }, (_, number) => ({ id: id(number), title: 'ü'.repeat(64) }))
  assert.equal(await send({ kind: 'interactive', interactive: { body: 'Well?', buttons } }), 'accepted')
  const [seen] = await received()
  assert.deepEqual(
    seen?.keyboard?.map((row) => row.map(({ callback_data }) => callback_data)),
    buttons.map((button) => [button.id]),
  )
})

test('a URL that Telegram does not take is named', async () => {
  const url_button = { title: 'Open', url: 'http://intranet/orders' }
  const interactive = { body: 'Well?', url_button }
  assert.equal(await send({ kind: 'interactive', interactive }), 'permanent url_not_accepted')
})

const videos: readonly (readonly [string, string, string])[] = [
  ['video/mp4', '....ftypisom with sound', 'video'],
  ['video/mp4', '....ftypisom without sound', 'animation'],
  ['video/mp4', 'no film at all', 'document sent_as_document'],
  // Its apps play no QuickTime.
  ['video/quicktime', '....ftypqt', 'document sent_as_document'],
]
for (const [mime_type, words, expected] of videos)
  test(`a video (${mime_type}, ${words}) is shown as ${expected}`, async () => {
    const bytes = Buffer.from(words)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const open = () => Readable.from([bytes])
    const file = { filename: 'tour.mp4', mime_type, size: bytes.length, sha256, open }
    const outcome = await at().session.sendFile(String(at().chat), { kind: 'video', file }).outcome
    assert.ok(outcome.kind === 'accepted', brief(outcome))
    const [seen] = await received()
    const notices = outcome.notices?.map(({ code }) => code) ?? []
    assert.equal([seen?.kind, ...notices].join(' '), expected)
  })
