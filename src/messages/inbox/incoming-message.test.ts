import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longestReference, type MessageReceived } from '../../networks/driver/observation.ts'
import { longestReceivedBytes } from '../../networks/kit/received-text.ts'
import { type IncomingMessage, incomingMessage } from './incoming-message.ts'

const now = 1_700_000_000_000

/** A message as a network brings it, as far as the test is about it, and what is kept of it. */
function kept(received: Partial<MessageReceived>): IncomingMessage {
  const plain = { network_message_id: 'n-1', from: 'ana', conversation: 'ana', at: now, text: '', file: null }
  const message = incomingMessage({ kind: 'message-received', ...plain, ...received }, now)
  return message ?? assert.fail('nothing is kept')
}

const file = (said: Partial<NonNullable<MessageReceived['file']>>) =>
  kept({ file: { url: 'https://example.org/f', filename: null, mime_type: null, ...said } }).file

test('what no store or reader can carry is replaced, and the rest stays', () => {
  const { text } = kept({ text: 'a\u0000b\ud800c 😀 \u202e\u0007' })
  assert.equal(text, 'a\ufffdb\ufffdc 😀 \u202e\u0007')
})

test('a text is cut between characters if it is too long, whatever it is made of', () => {
  for (const character of ['a', 'é', '€', '😀', '\ud800', '\ufeff']) {
    const text = kept({ text: character.repeat(longestReceivedBytes) }).text ?? ''
    const bytes = Buffer.byteLength(text)
    assert.ok(bytes <= longestReceivedBytes && bytes > longestReceivedBytes - 4, `${bytes} of ${character}`)
    assert.match(text, /^(.)\1*$/u, 'no half of a character is left')
    assert.equal(kept({ text: text.slice(-2) }).text, text.slice(-2))
  }
  const whole = 'a'.repeat(longestReceivedBytes)
  assert.equal(kept({ text: whole }).text, whole)
})

test('a message was sent at the time that the network tells, as far as that can be', () => {
  const times = [now - 5, now + 5, -5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  assert.deepEqual(
    times.map((at) => kept({ at }).sent_at),
    [now - 5, now, 0, 2, now, now, now],
  )
})

test('an address that nobody can be answered under is not kept', () => {
  for (const name of ['from', 'conversation'] as const) {
    const message = {
      network_message_id: 'n-1',
      from: 'ana',
      conversation: 'ana',
      at: now,
      text: '',
      file: null,
    }
    const long = { ...message, kind: 'message-received' as const, [name]: 'é'.repeat(600) }
    assert.equal(incomingMessage(long, now), null)
  }
})

test('what is said of a file has bounds, and its name no path', () => {
  assert.deepEqual(file({ filename: '../../etc/pass\u0000wd', mime_type: 'image/png' }), {
    url: 'https://example.org/f',
    reference: null,
    filename: 'passwd',
    declared_type: 'image/png',
    isSticker: false,
  })
  assert.equal(file({ url: `https://example.org/${'a'.repeat(10_000)}` })?.url, null)
  assert.equal(file({ mime_type: 'x'.repeat(10_000) })?.declared_type?.length, 255)
})

test('a reference to a file is kept as it is, or not at all', () => {
  const referring = (reference: string) =>
    kept({ file: { reference, filename: null, mime_type: null } }).file?.reference
  const longest = 'é'.repeat(longestReference / 2)
  assert.equal(referring(longest), longest)
  for (const reference of [`${longest}a`, 'a\u0000b', '\ud800']) assert.equal(referring(reference), null)
})
