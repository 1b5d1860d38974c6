import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newMessageId } from '../../../../test/kit/networks/new-message-id.ts'
import type { TargetMessage } from '../../driver/message.ts'
import { whatsappIdOf } from '../message-id.ts'
import { buildContent, type ContentOptions, type SendableMessage } from './content.ts'

/* Contents without a file: nothing may be asked for. */

const nothing = new Proxy({} as ContentOptions, {
  get: (_, name) => assert.fail(`nothing is asked for, and ${String(name)} was`),
})

type Wish = SendableMessage extends infer One ? (One extends unknown ? Omit<One, 'id' | 'to'> : never) : never

async function built(wish: Wish, id = newMessageId()) {
  const result = await buildContent({ id, to: '+4915112345678', ...wish } as SendableMessage, nothing)
  assert.ok(result.kind === 'built', JSON.stringify(result))
  return result.content as Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const own = newMessageId()
const target: TargetMessage = {
  network_message_id: own,
  sender_message_id: null,
  from: null,
  kind: 'text',
  text: 'Until six',
  topic: null,
}
const ofAna: TargetMessage = {
  ...target,
  network_message_id: '3A01:123456789012345',
  sender_message_id: '3A01',
  from: '+4915100000002',
}

test('a place has its coordinates, and its name and address if it has any', async () => {
  const location = { latitude: -23.5, longitude: -46.6, name: null, address: null }
  const bare = await built({ kind: 'location', location })
  assert.deepEqual(bare, { locationMessage: { degreesLatitude: -23.5, degreesLongitude: -46.6 } })
  const named = { ...location, name: 'MASP', address: 'Av. Paulista' }
  const { locationMessage } = await built({ kind: 'location', location: named })
  assert.deepEqual([locationMessage?.name, locationMessage?.address], ['MASP', 'Av. Paulista'])
})

test('one person is a card, and several are a list of cards', async () => {
  const card = (name: string) => ({ name, phones: ['+55 11 98765-4321'], emails: [], company: null })
  const { contactMessage } = await built({ kind: 'contacts', contacts: [card('Ana')] })
  assert.equal(contactMessage?.displayName, 'Ana')
  assert.match(String(contactMessage?.vcard), /FN:Ana\n/)
  const { contactsArrayMessage } = await built({ kind: 'contacts', contacts: [card('Ana'), card('Ben')] })
  const { contacts } = contactsArrayMessage as { contacts: { displayName: string }[] }
  assert.deepEqual(
    contacts.map(({ displayName }) => displayName),
    ['Ana', 'Ben'],
  )
})

test('a poll says how many answers a person may choose', async () => {
  const poll = { question: 'When?', options: ['Today', 'Never'], multiple_answers: false }
  const options = [{ optionName: 'Today' }, { optionName: 'Never' }]
  assert.deepEqual(await built({ kind: 'poll', poll }), {
    pollCreationMessageV3: { name: 'When?', options, selectableOptionsCount: 1 },
  })
  assert.deepEqual(await built({ kind: 'poll', poll: { ...poll, multiple_answers: true } }), {
    pollCreationMessage: { name: 'When?', options, selectableOptionsCount: 0 },
  })
})

test('a reply names its message as WhatsApp knows it, and quotes it', async () => {
  const { extendedTextMessage } = await built({ kind: 'text', text: 'And?', replyTo: target })
  assert.deepEqual(extendedTextMessage, {
    text: 'And?',
    contextInfo: { stanzaId: whatsappIdOf(own), quotedMessage: { conversation: 'Until six' } },
  })
  const toAna = await built({ kind: 'text', text: 'Yes', replyTo: { ...ofAna, kind: 'image', text: null } })
  assert.deepEqual(toAna.extendedTextMessage?.contextInfo, {
    stanzaId: '3A01',
    quotedMessage: { imageMessage: {} },
    participant: '4915100000002@s.whatsapp.net',
  })
  const elsewhere = { ...target, network_message_id: '3EB0AAAABBBBCCCCDDDDEEEEFF' }
  const { locationMessage } = await built({
    kind: 'location',
    location: { latitude: 1, longitude: 1, name: null, address: null },
    replyTo: elsewhere,
  })
  const context = locationMessage?.contextInfo as { stanzaId: string } | undefined
  assert.equal(context?.stanzaId, elsewhere.network_message_id)
})

test('mentions are the addresses of people', async () => {
  const mentions = ['+4915100000002', '123456789012345@lid']
  const { extendedTextMessage } = await built({ kind: 'text', text: '@4915100000002 hi', mentions })
  assert.deepEqual(extendedTextMessage?.contextInfo, {
    mentionedJid: ['4915100000002@s.whatsapp.net', '123456789012345@lid'],
  })
})

test('a reaction, an edit and a retraction have the key of their message, and the same time in each attempt', async () => {
  const id = newMessageId()
  const at = Date.now()
  const reaction = await built({ kind: 'reaction', target: ofAna, emoji: '👍' }, id)
  const time = Number(reaction.reactionMessage?.senderTimestampMs)
  assert.ok(Math.abs(time - at) < 5_000, `${time}`)
  const key = { id: '3A01', fromMe: false, participant: '4915100000002@s.whatsapp.net' }
  assert.deepEqual(reaction, { reactionMessage: { key, text: '👍', senderTimestampMs: time } })
  assert.deepEqual(reaction, await built({ kind: 'reaction', target: ofAna, emoji: '👍' }, id))
  const taken = await built({ kind: 'reaction', target, emoji: null })
  assert.equal(taken.reactionMessage?.text, '')
  const { protocolMessage: edit } = await built({ kind: 'correction', target, text: 'Until 7' }, id)
  const ownKey = { id: whatsappIdOf(own), fromMe: true }
  assert.deepEqual(edit, {
    type: 'MESSAGE_EDIT',
    key: ownKey,
    editedMessage: { conversation: 'Until 7' },
    timestampMs: time,
  })
  assert.deepEqual(await built({ kind: 'retraction', target }), {
    protocolMessage: { type: 'REVOKE', key: ownKey },
  })
})
