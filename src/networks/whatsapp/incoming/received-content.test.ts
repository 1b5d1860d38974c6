import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxFlowResponse } from '../../../contract/resources/content.ts'
import { observationOf } from './incoming-message.ts'

const fromAna = {
  id: '3A01',
  chat: '123456789012345@lid',
  chat_alt: '4915112345678@s.whatsapp.net',
  sender: null,
  sender_alt: null,
  from_me: false,
  timestamp: 1_700_000_000,
}

function received(message: object, more: object = {}) {
  const observation = observationOf(message, { ...fromAna, ...more })
  assert.ok(observation?.kind === 'message-received', JSON.stringify(observation))
  return observation
}

test('a place comes as one, and one outside the earth as nothing that can be read', () => {
  const place = { degreesLatitude: 48.1, degreesLongitude: 11.5, name: 'Here', comment: 'Come!' }
  const { text, content, unsupported } = received({ locationMessage: place })
  assert.deepEqual(content?.location, { latitude: 48.1, longitude: 11.5, name: 'Here', address: null })
  assert.deepEqual([text, unsupported], ['Come!', undefined])
  for (const degreesLatitude of [91, Number.NaN, Number.POSITIVE_INFINITY, '48', null]) {
    const odd = received({ locationMessage: { ...place, degreesLatitude } })
    assert.deepEqual([odd.content, odd.unsupported?.type, odd.text], [undefined, 'location', 'Here'])
  }
  const live = { degreesLatitude: 1, degreesLongitude: 2, caption: 'On my way' }
  assert.equal(received({ liveLocationMessage: live }).text, 'On my way')
})

test('people come as cards, however many are shared', () => {
  const card = { displayName: 'Ben', vcard: 'BEGIN:VCARD\nTEL:+49 151\nEND:VCARD' }
  const ben = { name: 'Ben', phones: ['+49 151'], emails: [], company: null }
  assert.deepEqual(received({ contactMessage: card }).content?.contacts, [ben])
  const contacts = Array(100_000).fill(card)
  assert.deepEqual(received({ contactsArrayMessage: { contacts } }).content?.contacts, Array(20).fill(ben))
})

test('what was tapped comes with its id', () => {
  const buttons = { selectedButtonId: 'yes', selectedDisplayText: 'Yes' }
  const chosen = { id: 'yes', title: 'Yes', payload: null }
  const tapped = received({ buttonsResponseMessage: { ...buttons, contextInfo: { stanzaId: '3A99' } } })
  assert.deepEqual([tapped.text, tapped.content?.button_reply], ['Yes', chosen])
  assert.deepEqual(tapped.relation, { type: 'reply', message: '3A99' })
  const template = { selectedId: 'yes', selectedDisplayText: 'Yes' }
  assert.deepEqual(received({ templateButtonReplyMessage: template }).content?.button_reply, chosen)
  const list = { title: 'Yes', singleSelectReply: { selectedRowId: 'yes' } }
  assert.deepEqual(received({ listResponseMessage: list }).content?.list_reply, chosen)
})

test('a form comes with its answers, unless they are too long, too deep, or none', () => {
  const filled = (paramsJson: unknown) =>
    received({
      interactiveResponseMessage: {
        body: { text: 'Sent' },
        nativeFlowResponseMessage: { name: 'flow', paramsJson },
      },
    })
  assert.deepEqual(filled('{"day":"Monday"}').content?.flow_reply, {
    name: 'flow',
    response: { day: 'Monday' },
  })
  assert.equal(filled('{}').text, 'Sent')
  const deep = `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`
  for (const odd of ['', 'no', '[1]', 'null', deep, `{"a":"${'x'.repeat(maxFlowResponse)}"}`, 7, null])
    assert.deepEqual(filled(odd).content?.flow_reply?.response, {}, String(odd).slice(0, 20))
})

test('an order says how many products it has', () => {
  const { text, content } = received({
    orderMessage: { itemCount: 3, message: 'Please', orderTitle: 'Shop' },
  })
  assert.deepEqual([text, content?.order], ['Please', { catalog_id: null, items: [], items_left_out: 3 }])
  for (const itemCount of [-1, Number.NaN, 1e300, 'x'])
    assert.equal(received({ orderMessage: { itemCount } }).content?.order?.items_left_out, 0)
})

test('an advertisement that led to a message comes with it, and a preview of a link does not', () => {
  const externalAdReply = {
    title: 'Shoes',
    body: 'Half the price',
    sourceType: 'ad',
    sourceId: '123',
    sourceUrl: 'https://fb.me/1',
    ctwaClid: 'click',
  }
  const about = (shown: object) =>
    received({ extendedTextMessage: { text: 'Hi', contextInfo: { externalAdReply: shown } } }).content
  assert.deepEqual(about(externalAdReply)?.referral, {
    type: 'ad',
    id: '123',
    url: 'https://fb.me/1',
    title: 'Shoes',
    text: 'Half the price',
    click_id: 'click',
    product_id: null,
  })
  assert.equal(about({ title: 'A page', sourceUrl: 'https://example.org/' }), undefined)
})

test('people who are mentioned are addresses, each once, and few', () => {
  const mentioned = (mentionedJid: unknown) =>
    received({ extendedTextMessage: { text: '@1', contextInfo: { mentionedJid } } }).content?.mentions
  const jids = ['4915112345678@s.whatsapp.net', '123456789012345@lid', '4915112345678@s.whatsapp.net', 'x', 7]
  assert.deepEqual(mentioned(jids), ['+4915112345678', '123456789012345@lid'])
  assert.equal(mentioned('4915112345678@s.whatsapp.net'), undefined)
  const many = Array.from({ length: 100_000 }, (_, number) => `${10_000_000_000 + number}@lid`)
  assert.equal(mentioned(many)?.length, 50)
})

test('the writer has the name that WhatsApp tells, cut if it is long', () => {
  const { content } = received({ conversation: 'Hi' }, { name: 'Ana', username: 'ana.s' })
  assert.deepEqual(content, { sender: { address: '+4915112345678', name: 'Ana', username: 'ana.s' } })
  const long = received({ conversation: 'Hi' }, { name: 'x'.repeat(100_000) })
  assert.equal(long.content?.sender?.name?.length, 256)
  assert.equal(received({ conversation: 'Hi' }, { name: '' }).content, undefined)
})

test('a vote that can be read names its poll, and one that cannot says so', () => {
  const message = { pollUpdateMessage: { pollCreationMessageKey: { id: '3A77' }, vote: {} } }
  const vote = observationOf(message, fromAna, { vote: ['Today'] })
  assert.ok(vote?.kind === 'message-received')
  assert.deepEqual(vote.content, { poll_vote: { options: ['Today'] } })
  assert.deepEqual([vote.relation, vote.unsupported], [{ type: 'reply', message: '3A77' }, undefined])
  const closed = received(message)
  assert.deepEqual([closed.unsupported?.type, closed.relation?.message], ['poll_vote', '3A77'])
})

test('what a business wrote around its buttons is kept', () => {
  const { unsupported, text } = received({ buttonsMessage: { contentText: 'Which size?', buttons: [] } })
  assert.deepEqual([unsupported?.name, text], ['buttons', 'Which size?'])
  assert.equal(received({ interactiveMessage: { body: { text: 'Look' } } }).text, 'Look')
  assert.equal(received({ futureMessage: { title: 'New' } }).text, 'New')
})

test('an edited caption may come without its file', () => {
  const edited = received({
    protocolMessage: { type: 14, key: { id: '3A77' }, editedMessage: { imageMessage: { caption: 'Blue' } } },
  })
  assert.deepEqual([edited.text, edited.unsupported], ['Blue', undefined])
  assert.deepEqual(edited.relation, { type: 'correction', message: '3A77' })
})
