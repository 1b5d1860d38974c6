import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../driver/outcome.ts'
import { element, ns } from '../stanzas/xml.ts'
import { countedSince, XmppSession } from './session.ts'

const enabled = element('enabled', { xmlns: ns.management, id: 'one', resume: 'true' })
const a = (h: string) => element('a', { xmlns: ns.management, h })

function managed(): XmppSession {
  const session = new XmppSession('gateway@example.org')
  session.manage(enabled)
  return session
}

/** Notes a message, and records its outcome for the test. */
function note(session: XmppSession, id: string): { outcome: Outcome | null } {
  const kept: { outcome: Outcome | null } = { outcome: null }
  void session.noteMessage(id, 'ana@example.org', `<message id="${id}"/>`, 1_000).then((outcome) => {
    kept.outcome = outcome
  })
  return kept
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('an acknowledgement settles what it covers and nothing else', async () => {
  const session = managed()
  session.note('<presence/>')
  const [one, two] = [note(session, 'm1'), note(session, 'm2')]
  session.takeAcknowledgement(a('2'))
  await turn()
  assert.deepEqual(one.outcome, { kind: 'accepted' })
  assert.equal(two.outcome, null)
  session.takeAcknowledgement(a('2'))
  await turn()
  assert.equal(two.outcome, null)
  assert.deepEqual(session.unacknowledged(), ['<message id="m2"/>'])
  session.takeAcknowledgement(a('3'))
  await turn()
  assert.deepEqual(two.outcome, { kind: 'accepted' })
})

test('the count wraps at 2^32, and goes no higher and not back', () => {
  assert.equal(countedSince(4_294_967_294, '1'), 3)
  assert.equal(countedSince(4_294_967_295, '0'), 1)
  assert.equal(countedSince(0, '4294967295'), 4_294_967_295)
  assert.equal(countedSince(0, '4294967296'), null)
  const session = managed()
  session.note('<presence/>')
  session.note('<presence/>')
  session.takeAcknowledgement(a('2'))
  assert.throws(() => session.takeAcknowledgement(a('1')), /never sent/)
})

for (const h of ['2', '4294967295', '-1', '1.5', 'x', '']) {
  test(`a count of ${JSON.stringify(h)} after one stanza is not believed`, () => {
    const session = managed()
    session.note('<presence/>')
    assert.throws(() => session.takeAcknowledgement(a(h)), /never sent/)
  })
}

test('a refused message stays counted, for the server did handle it', async () => {
  const session = managed()
  const [one, two] = [note(session, 'm1'), note(session, 'm2')]
  const refusal: Outcome = { kind: 'uncertain', detail: 'for the test' }
  session.settle('m1', refusal)
  session.takeAcknowledgement(a('2'))
  await turn()
  assert.equal(one.outcome, refusal)
  assert.deepEqual(two.outcome, { kind: 'accepted' })
})

test('a count that the server tells of a session it will not resume is a claim, and no acknowledgement', async () => {
  const session = managed()
  const [one, two, three] = [note(session, 'm1'), note(session, 'm2'), note(session, 'm3')]
  session.concede('2')
  await turn()
  assert.deepEqual([one.outcome, two.outcome, three.outcome?.kind], [null, null, 'uncertain'])
  assert.equal(session.resumptionId, null)
  const next = managed()
  next.inheritClaims(session)
  session.abandon()
  next.proveClaim('m1')
  next.dropClaims()
  await turn()
  assert.deepEqual(one.outcome, { kind: 'accepted' })
  assert.ok(two.outcome?.kind === 'uncertain' && two.outcome.counted)
  assert.ok(three.outcome?.kind === 'uncertain' && !three.outcome.counted)
})

test('conceding to a count that cannot be right leaves everything uncertain', async () => {
  const session = managed()
  const one = note(session, 'm1')
  session.concede('9')
  await turn()
  assert.equal(one.outcome?.kind, 'uncertain')
})

test('one request serves a batch of messages, and none is made without one', () => {
  const session = managed()
  assert.equal(session.takeRequest(), '')
  session.note('<presence/>')
  assert.equal(session.takeRequest(), '')
  note(session, 'm1')
  note(session, 'm2')
  assert.equal(session.takeRequest(), '<r xmlns="urn:xmpp:sm:3"/>')
  assert.equal(session.takeRequest(), '')
})

test('a server that will not resume a session is not asked to', () => {
  const session = new XmppSession('gateway@example.org')
  session.manage(element('enabled', { xmlns: ns.management, id: 'one' }))
  assert.equal(session.resumptionId, null)
})

test('without stream management the answer to a ping covers the messages before it', async () => {
  const session = new XmppSession('gateway@example.org')
  session.note('<presence/>')
  const one = note(session, 'm1')
  assert.match(session.takeRequest(), /<iq type="get" id="ack-1"><ping /)
  const two = note(session, 'm2')
  assert.equal(session.takeAcknowledgement(element('iq', { type: 'result', id: 'ack-1' })), true)
  await turn()
  assert.deepEqual(one.outcome, { kind: 'accepted' })
  assert.equal(two.outcome, null)
})
