import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Fixture } from './fixture.ts'
import { patiently } from './patiently.ts'

const ana = 'ana@reads.sandbox'
const fixture = new Fixture({ BRIDGE_MAX_FILE_MB: '1' })
const { chatwoot } = fixture

before(() => fixture.start())
after(() => fixture.stop())

/** Writes as a person, and resolves with their conversation once Chatwoot shows the text. */
async function written(person: string, text: string) {
  await fixture.personWrites(person, text)
  const conversation = await fixture.conversationOf(person)
  await shown(person, (texts) => texts.includes(text))
  return conversation
}

/** Resolves with the contents that Chatwoot shows once they suffice. */
function shown(person: string, enough: (texts: (string | null)[]) => boolean) {
  const read = async () => fixture.shownOf(person).map(({ content }) => content)
  return patiently(`Chatwoot to show ${person}`, read, enough)
}

describe('messages of contacts', () => {
  test('stand in one conversation, in their order, with a name without tricks', async () => {
    for (const text of ['One', 'Two', 'Three']) await fixture.personWrites('bea@reads.sandbox', text)
    assert.deepEqual(await shown('bea@reads.sandbox', ({ length }) => length === 3), ['One', 'Two', 'Three'])
    assert.equal(
      chatwoot.world.conversations.filter(({ sourceId }) => sourceId === 'bea@reads.sandbox').length,
      1,
    )
  })

  test('reopen a conversation that was resolved', async () => {
    const conversation = await written('cleo@reads.sandbox', 'Hello')
    conversation.status = 'resolved'
    await written('cleo@reads.sandbox', 'One more thing')
    assert.equal(conversation.status, 'open')
  })

  test('come with their number, and lose what nobody can see', async () => {
    const conversation = await written('+4915112345678', 'Guten Tag')
    assert.equal(conversation.contact.phoneNumber, '+4915112345678')
    await fixture.personWrites('+4915112345678', 'safe\u202e\u0007 text')
    await shown('+4915112345678', (texts) => texts.includes('safe text'))
  })

  test('come with the name and the picture of the one who writes', async () => {
    const { contact } = await written('gina@reads.sandbox', 'Hello')
    assert.equal(contact.name, 'Gina')
    const picture = await patiently(
      'her picture',
      async () => contact.avatar,
      (one) => one !== undefined,
    )
    assert.equal(picture?.contentType, 'image/png')
    // A PNG begins so (ISO/IEC 15948, 5.2).
    assert.equal(picture?.bytes.subarray(1, 4).toString(), 'PNG')
    const other = await written('+4915100000000', 'Hello')
    assert.equal(other.contact.avatar, undefined)
  })

  test('come with their file', async () => {
    const dan = 'dan@shares-by-reference.sandbox'
    const conversation = await written(dan, 'Do you have it?')
    chatwoot.agentWrites(conversation, { content: 'Please send it' })
    const read = async () => fixture.shownOf(dan).flatMap(({ attachments }) => attachments)
    const [file] = await patiently('the file', read, ({ length }) => length > 0)
    assert.match(file?.bytes.toString() ?? '', /Please send it/)
  })

  test('do not hold up those of others when a contact writes more than Chatwoot takes', async () => {
    chatwoot.world.maxPerMinute = 5
    for (let number = 0; number < 8; number++)
      await fixture.personWrites('eve@reads.sandbox', `Flood ${number}`)
    await written('finn@reads.sandbox', 'Am I heard?')
    assert.ok(fixture.shownOf('eve@reads.sandbox').length <= 5)
    chatwoot.world.maxPerMinute = 1_000_000
    await shown('eve@reads.sandbox', ({ length }) => length === 8)
  })
})

describe('replies of agents', () => {
  test('reach the contact once, with ticks, however often the webhook comes', async () => {
    chatwoot.faults.repeats = 1
    const conversation = await written(ana, 'Hello')
    const reply = chatwoot.agentWrites(conversation, { content: 'Good morning' })
    await patiently(
      'the tick',
      async () => reply.status,
      (status) => status === 'read',
    )
    chatwoot.faults.repeats = 0
    assert.deepEqual(
      fixture.arrivedAt(ana).map(({ text }) => text),
      ['Good morning'],
    )
  })

  test('do not include notes, activities, surveys, deleted messages and the messages of the bridge', async () => {
    const gil = 'gil@also-elsewhere.sandbox'
    const conversation = await written(gil, 'Hello')
    chatwoot.agentWrites(conversation, { content: 'Note', isPrivate: true })
    chatwoot.agentWrites(conversation, { content: 'Assigned', type: 'activity' })
    chatwoot.agentWrites(conversation, { content: 'Rate us', type: 'template', contentType: 'input_csat' })
    chatwoot.agentWrites(conversation, { content: 'Gone', contentAttributes: { deleted: true } })
    chatwoot.agentWrites(conversation, { content: 'We are away', type: 'template' })
    chatwoot.agentWrites(conversation, { content: 'Real' })
    // The account repeats it from another client, which Chatwoot shows as a message of ours.
    await shown(gil, (texts) => texts.filter((text) => text === 'Real').length === 2)
    chatwoot.agentWrites(conversation, { content: 'Last' })
    const read = async () => fixture.arrivedAt(gil).map(({ text }) => text)
    const arrived = await patiently('the last', read, (texts) => texts.includes('Last'))
    assert.deepEqual(arrived, ['We are away', 'Real', 'Last'])
  })

  test('come with all their files, and their text as the caption', async () => {
    const conversation = await written('hal@reads.sandbox', 'Hello')
    const files = ['one.txt', 'two.pdf'].map((name) => ({
      name,
      contentType: 'text/plain',
      bytes: Buffer.from(name),
    }))
    const reply = chatwoot.agentWrites(conversation, { content: 'Both', files })
    await patiently(
      'the tick',
      async () => reply.status,
      (status) => status === 'read',
    )
    const arrived = fixture.arrivedAt('hal@reads.sandbox')
    assert.deepEqual(
      arrived.map(({ text, media }) => [text, media?.filename]),
      [
        ['Both', 'one.txt'],
        ['', 'two.pdf'],
      ],
    )
  })

  test('that are long arrive in parts', async () => {
    const conversation = await written('ida@reads.sandbox', 'Hello')
    const words = 'word '.repeat(2_000).trim()
    const reply = chatwoot.agentWrites(conversation, { content: words })
    await patiently(
      'the tick',
      async () => reply.status,
      (status) => status === 'read',
    )
    const texts = fixture.arrivedAt('ida@reads.sandbox').map(({ text }) => text)
    assert.equal(texts.length, 3)
    assert.equal(texts.join(' '), words)
  })

  test('that cannot be sent are shown as failed, with the reason', async () => {
    const conversation = await written('jon@refuses.sandbox', 'Hello')
    const large = { name: 'large.bin', contentType: 'image/png', bytes: Buffer.alloc(1_000_001) }
    const replies = [
      chatwoot.agentWrites(conversation, { content: 'Refused' }),
      chatwoot.agentWrites(conversation, { files: [large] }),
    ]
    for (const reply of replies)
      await patiently(
        'failure',
        async () => reply.status,
        (status) => status === 'failed',
      )
    assert.match(String(replies[1]?.contentAttributes.external_error), /larger than the 1 MB/)
    assert.deepEqual(fixture.arrivedAt('jon@refuses.sandbox'), [])
  })

  test('may come first, to a contact whom an agent created with a number', async () => {
    const contact = { id: 900, name: 'Kim', phoneNumber: '+4915198765432', identifier: null, inboxes: [] }
    chatwoot.world.contacts.push(contact)
    const conversation = chatwoot.world.converse(900, undefined)
    const reply = chatwoot.agentWrites(conversation, { content: 'We found your bag' })
    await patiently(
      'the tick',
      async () => reply.status,
      (status) => status === 'read',
    )
    await fixture.personWrites('+4915198765432', 'Great')
    await patiently(
      'the answer',
      async () => conversation.messages.map(({ content }) => content),
      (texts) => texts.includes('Great'),
    )
  })
})

describe('webhooks', () => {
  const post = (body: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(fixture.bridge.webhookUrl, { method: 'POST', body, headers })

  test('of others are refused', async () => {
    const body = JSON.stringify({ event: 'message_created', conversation: { id: 1 } })
    assert.equal((await post(body)).status, 401)
    const now = String(Math.floor(Date.now() / 1_000))
    const forged = { 'x-chatwoot-timestamp': now, 'x-chatwoot-signature': `sha256=${'0'.repeat(64)}` }
    assert.equal((await post(body, forged)).status, 401)
  })

  test('that are too large are not read', async () => {
    const response = await post('x'.repeat(5_000_000)).catch(() => undefined)
    assert.ok(response === undefined || response.status === 413)
    assert.equal((await post('{')).status, 401)
  })
})

describe('replies of agents to a message', () => {
  test('quote it, be it of the contact or of an agent, and go without if it is not known', async () => {
    const person = 'mia@reads.sandbox'
    const conversation = await written(person, 'Which day?')
    const [asked] = fixture.shownOf(person)
    const first = chatwoot.agentWrites(conversation, {
      content: 'Monday',
      contentAttributes: { in_reply_to: asked?.id, in_reply_to_external_id: asked?.sourceId },
    })
    const arrived = (count: number) =>
      patiently(
        'the replies',
        async () => fixture.arrivedAt(person),
        ({ length }) => length === count,
      )
    const [monday] = await arrived(1)
    assert.ok(monday?.about, 'it names the message of the contact')
    chatwoot.agentWrites(conversation, {
      content: 'At ten',
      contentAttributes: { in_reply_to: first.id, in_reply_to_external_id: null },
    })
    assert.equal((await arrived(2))[1]?.about, monday?.id)
    chatwoot.agentWrites(conversation, {
      content: 'Bye',
      contentAttributes: {
        in_reply_to: 999_999,
        in_reply_to_external_id: 'posthorn:msg_06fdw2n1k7xg8qs3h5vbtc9m4r',
      },
    })
    const bye = (await arrived(3))[2]
    assert.deepEqual([bye?.text, bye?.about], ['Bye', undefined])
  })

  test('with a film show it as a video', async () => {
    const conversation = await written('max@reads.sandbox', 'Hello')
    const bytes = Buffer.concat([Buffer.from('00000018667479706d70343200000000', 'hex'), Buffer.alloc(64)])
    chatwoot.agentWrites(conversation, { files: [{ name: 'film.mp4', contentType: 'video/mp4', bytes }] })
    const read = async () => fixture.arrivedAt('max@reads.sandbox')
    const [film] = await patiently('the film', read, ({ length }) => length === 1)
    assert.equal(film?.media?.kind, 'video')
  })
})
