import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { newFile } from '../../../test/conformance/networks/files.ts'
import { type Media, Session } from '../../../test/conformance/networks/session.ts'
import { newMessageId } from '../../../test/kit/networks/new-message-id.ts'
import type { Observation } from '../driver/observation.ts'
import { addressOf } from './address.ts'
import { type SandboxOptions, sandbox } from './driver.ts'
import type { TranscriptLine } from './people/far-end.ts'
import { recipientScripts } from './script.ts'

/**
 * Behaviour of each address, written down a second time by hand: outcomes by attempt, and the receipts after the last one.
 */
const expected: Readonly<Record<string, readonly [outcomes: string, followUps: string, arrivals: number]>> = {
  delivers: ['accepted', 'delivered', 1],
  reads: ['accepted', 'delivered read', 1],
  accepts: ['accepted', '', 1],
  'reads-all': ['accepted', 'delivered', 1],
  'receipt-first': ['accepted', 'delivered', 1],
  vouched: ['accepted', 'delivered-by-network', 1],
  notices: ['accepted with sent_silently', 'delivered', 1],
  replies: ['accepted', 'delivered message-received', 1],
  'replies-twice': ['accepted', 'delivered message-received message-received', 1],
  chooses: ['accepted', 'delivered', 1],
  reacts: ['accepted', 'delivered message-received', 1],
  quotes: ['accepted', 'delivered message-received', 1],
  types: ['accepted', 'delivered read typing-seen', 1],
  'read-elsewhere': ['accepted', 'delivered message-received read-elsewhere', 1],
  'also-elsewhere': ['accepted', 'message-sent-elsewhere', 1],
  shares: ['accepted', 'delivered message-received', 1],
  'shares-by-reference': ['accepted', 'delivered message-received', 1],
  'two-addresses': ['accepted', 'contact-known delivered message-received', 1],
  'other-address': ['accepted', 'contact-known delivered message-received', 1],
  'window-closed': ['outside_reply_window! outside_reply_window!', '', 0],
  slow: ['accepted after 2000', 'delivered', 1],
  'slow-500ms': ['accepted after 500', 'delivered', 1],
  unknown: ['recipient_unknown! recipient_unknown!', '', 0],
  refuses: ['message_refused! message_refused!', '', 0],
  'refuses-twice': ['recipient_busy recipient_busy accepted', 'delivered', 1],
  busy: ['recipient_busy recipient_busy recipient_busy recipient_busy', '', 0],
  defers: ['deferred by 5000 for recipient accepted', 'delivered', 1],
  'limits-account': ['deferred by 5000 for instance accepted', 'delivered', 1],
  uncertain: ['uncertain accepted', 'delivered', 2],
  loses: ['uncertain accepted', 'delivered', 1],
  'never-certain': ['uncertain uncertain uncertain', '', 3],
  drops: ['uncertain', 'connection-lost', 1],
  stuck: ['silence', '', 0],
  group: ['accepted', 'delivered-by-network', 1],
  'group-refuses': ['accepted', 'delivered-by-network', 1],
  'group-loses': ['accepted', 'delivered-by-network', 1],
  'group-silent': ['accepted', 'delivered-by-network', 1],
  'group-gone': ['recipient_unknown! recipient_unknown!', '', 0],
  returns: ['accepted', 'message-returned', 1],
}

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 })
})

afterEach(() => {
  mock.timers.reset()
  rmSync(folder, { recursive: true })
})

async function open(options: SandboxOptions = { transcript: join(folder, 'transcript') }): Promise<Session> {
  const driver = sandbox(options)
  const account = { settings: { account: 'shop' }, credentials: {}, secrets: [] }
  const session = new Session({
    driver,
    account,
    timeout_ms: 60_000,
    saved: new Map(),
    sent: new Set(),
  })
  await session.seen('account-known')
  return session
}

function transcript(): TranscriptLine[] {
  const lines = readFileSync(join(folder, 'transcript'), { encoding: 'utf8', flag: 'a+' }).split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line) as TranscriptLine)
}

/** One attempt to send a text, or a file, in the words of the table above. Time passes only if nothing else happens. */
async function attempt(
  session: Session,
  to: string,
  id: string,
  count: number,
  media?: Media,
): Promise<string> {
  const began = Date.now()
  let said = ''
  const numbered = { id, attempt: count }
  const sent = media ? session.sendFile(to, media, numbered) : session.send(to, 'hello', numbered)
  const sending = sent.then((outcome) => {
    if (outcome.kind === 'rejected') said = `${outcome.error.code}${outcome.error.permanent ? '!' : ''}`
    else if (outcome.kind === 'deferred') said = `deferred by ${outcome.until - began} for ${outcome.scope}`
    else if (outcome.kind === 'accepted' && outcome.notices)
      said = `accepted with ${outcome.notices.map(({ code }) => code).join(' ')}`
    else said = Date.now() > began ? `${outcome.kind} after ${Date.now() - began}` : outcome.kind
  })
  // A file takes some turns of the event loop to be read.
  for (let turn = 0; said === '' && turn < (media ? 100 : 1); turn++) await setImmediate()
  for (let waited = 0; said === '' && waited < 5000; waited += 100) {
    mock.timers.tick(100)
    await setImmediate()
  }
  if (said === '') return 'silence'
  await sending
  return said
}

function words(observation: Observation): string {
  if (observation.kind !== 'receipt') return observation.kind
  return observation.from === null ? `${observation.state}-by-network` : observation.state
}

test('every documented address is expected to do something', () => {
  assert.deepEqual(
    recipientScripts.map((script) => script.behaviour),
    Object.keys(expected),
  )
})

for (const [behaviour, [outcomes, followUps, arrivals]] of Object.entries(expected)) {
  test(`${addressOf('ana', behaviour)} does what is written about it`, async () => {
    const session = await open()
    const known = session.observations.all.length
    const to = addressOf('ana', behaviour)
    const id = newMessageId()
    let said = ''
    for (let count = 1; said.length < outcomes.length; count++) {
      said = `${said} ${await attempt(session, to, id, count)}`.trim()
    }
    await setImmediate()
    assert.equal(said, outcomes)
    assert.equal(session.observations.all.slice(known).map(words).join(' '), followUps)
    const line = { id, to, text: 'hello', instance: 'shop', epoch: 1 }
    assert.deepEqual(
      transcript().map(({ at: _, ...rest }) => rest),
      Array.from({ length: arrivals }, (_, index) => ({ ...line, repeat: index > 0 })),
    )
    await session.close()
    assert.deepEqual(session.faults, [])
  })
}

for (const [behaviour, [outcomes, followUps]] of Object.entries(expected)) {
  test(`${addressOf('ana', behaviour)} does the same with a file`, async () => {
    const session = await open({})
    const known = session.observations.all.length
    const [to, id] = [addressOf('ana', behaviour), newMessageId()]
    const media = { kind: 'image', file: newFile(200_000), caption: 'hello' } as const
    let said = ''
    for (let count = 1; said.length < outcomes.length; count++) {
      said = `${said} ${await attempt(session, to, id, count, media)}`.trim()
    }
    await setImmediate()
    assert.equal(said, outcomes)
    const reported = session.observations.all.slice(known)
    assert.equal(reported.map(words).join(' '), followUps)
    const reply = reported.find((seen) => seen.kind === 'message-received')
    if (reply && !reply.file) assert.equal(reply.text, behaviour === 'reacts' ? '👍' : 'hello')
    await session.close()
    assert.deepEqual(session.faults, [])
  })
}

test('a message that broke its connection is accepted by the next one', async () => {
  const session = await open()
  const [to, id] = [addressOf('ana', 'drops'), newMessageId()]
  assert.equal(await attempt(session, to, id, 1), 'uncertain')
  assert.equal(await attempt(session, to, id, 2), 'uncertain', 'the old connection is gone')
  const next = await open()
  assert.equal(await attempt(next, to, id, 2), 'accepted')
  await next.close()
})

test('a receipt may be there before the answer', async () => {
  const session = await open()
  let receipts = 0
  const sending = session.send(addressOf('ana', 'receipt-first'), 'hello').then(() => {
    receipts = session.observations.all.filter(({ kind }) => kind === 'receipt').length
  })
  await sending
  assert.equal(receipts, 1)
  await session.close()
})

test('one receipt says that several messages were read, a second after the last of them', async () => {
  const session = await open()
  const readOnes = () =>
    session.observations.all.flatMap((seen) =>
      seen.kind === 'receipt' && seen.state === 'read' ? [seen] : [],
    )
  const ids = [newMessageId(), newMessageId(), newMessageId()]
  const [to, bert] = [addressOf('ana', 'reads-all'), addressOf('bert', 'reads-all')]
  for (const [index, id] of ids.entries()) {
    assert.equal(await attempt(session, index === 1 ? bert : to, id, 1), 'accepted')
    mock.timers.tick(400)
  }
  const read = (id: string | undefined, from: string) => ({
    kind: 'receipt',
    network_message_id: id,
    from,
    state: 'read',
    and_before: true,
  })
  assert.deepEqual(readOnes(), [])
  mock.timers.tick(200)
  assert.deepEqual(readOnes(), [read(ids[1], bert)])
  mock.timers.tick(400)
  assert.deepEqual(readOnes(), [read(ids[1], bert), read(ids[2], to)])
  mock.timers.tick(10_000)
  assert.equal(readOnes().length, 2)
  await session.close()
})

test('a reply carries the text back once, however often the message came', async () => {
  const session = await open()
  const [to, id] = [addressOf('ana', 'replies'), newMessageId()]
  for (const count of [1, 2]) assert.equal(await attempt(session, to, id, count), 'accepted')
  const replies = session.observations.all.filter((seen) => seen.kind === 'message-received')
  const expectedReply = {
    kind: 'message-received',
    network_message_id: `reply-${id}`,
    from: to,
    conversation: to,
    at: Date.now(),
    text: 'hello',
    file: null,
    content: { sender: { address: to, name: 'Ana', username: null } },
  }
  assert.deepEqual(replies, [expectedReply])
  await session.close()
})

test('a reply that comes again is the same in every way', async () => {
  const session = await open()
  await attempt(session, addressOf('ana', 'replies-twice'), newMessageId(), 1)
  const replies = session.observations.all.filter((seen) => seen.kind === 'message-received')
  assert.equal(replies.length, 2)
  assert.deepEqual(replies[0], replies[1])
  await session.close()
})

for (const [text, shared] of [
  ['https://example.org/a/view.png', { url: 'https://example.org/a/view.png', filename: 'view.png' }],
  [' HTTP://127.0.0.1:8080/?x=1\n', { url: 'http://127.0.0.1:8080/?x=1', filename: null }],
  ['see https://example.org/view.png', null],
  ['ftp://example.org/view.png', null],
  ['view.png', null],
] as const) {
  test(`a recipient who shares answers ${JSON.stringify(text)} with ${shared ? 'a file' : 'the text'}`, async () => {
    const session = await open()
    const outcome = await session.send(addressOf('ana', 'shares'), text)
    assert.equal(outcome.kind, 'accepted')
    const received = await session.seen('message-received')
    const expectedFile = shared && { ...shared, mime_type: null }
    assert.deepEqual([received.text, received.file], [shared ? null : text, expectedFile])
    await session.close()
  })
}

test('what stays without an answer is uncertain when the connection ends', async () => {
  for (const behaviour of ['stuck', 'slow']) {
    const session = await open()
    const sending = session.send(addressOf('ana', behaviour), 'hello')
    await session.close()
    assert.equal((await sending).kind, 'uncertain')
  }
  mock.timers.tick(10_000)
  assert.deepEqual(transcript(), [])
})
