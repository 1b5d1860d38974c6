import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type DelivererFixture,
  DelivererSetup,
  failure,
  ok,
} from '../../../../test/kit/stores/deliverer-fixture.ts'

const setup = new DelivererSetup()

describe('receivers that are slow', () => {
  test('one that hangs has one connection, and holds up no other', async () => {
    await setup.webhook('wh_2')
    const fixture = await setup.begunWithWebhook()
    fixture.reception = ({ webhookId }) => (webhookId === 'wh_2' ? ok : null)
    await fixture.append(40)
    await fixture.until('all came to the other', () => fixture.of('wh_2').length === 40)
    assert.equal(fixture.of('wh_1').length, 1)
    await fixture.deliverer.end(AbortSignal.abort())
  })

  test('however many hang, those that are well are served, and the others take turns, whoever has many of them', async () => {
    const fixture = await setup.begunWithWebhook()
    const count = 139
    for (let index = 1; index < count; index++) await setup.webhook(`wh_${1_000 + index}`)
    await setup.webhook('wh_other', 'org_b')
    fixture.deliverer.deliver('org_b')
    fixture.reception = () => failure
    await fixture.append()
    await fixture.kept(count)
    fixture.time.pass(1)
    await fixture.append(1, 'org_b')
    await fixture.kept(count + 1)
    await setup.webhook('wh_well')
    fixture.reception = ({ webhookId }) => (webhookId === 'wh_well' ? ok : null)
    fixture.time.pass(4_999)
    await fixture.posted(count + 1 + 128)
    fixture.time.pass(1)
    await fixture.append(20)
    await fixture.until('all came to the one that is well', () => fixture.of('wh_well').length === 20)
    const before = count + 1 + 128 + 20
    assert.equal(fixture.posts.length, before)
    for (let ended = 1; ended <= 12; ended++) {
      fixture.posts[count + ended]?.answer(failure)
      await fixture.posted(before + ended)
      if (ended === 2) assert.equal(fixture.of('wh_other').length, 2, 'it had its turn')
    }
    await fixture.deliverer.end(AbortSignal.abort())
  })

  test('one that is well gets more and more at a time, and one at a time after a failure', async () => {
    const fixture = await grown(300, 150)
    assert.deepEqual([fixture.posts.length, fixture.open, fixture.most], [214, 64, 64])
    for (const post of fixture.posts.slice(150)) post.answer(failure)
    await fixture.kept(214)
    await fixture.posted(215)
    fixture.posts[214]?.answer(ok)
    await fixture.kept(215)
    await fixture.posted(217)
    await fixture.deliverer.end(AbortSignal.abort())
  })

  test('one failure among many halves what is under way, and from there on it grows slowly', async () => {
    const fixture = await grown(300, 150)
    fixture.posts[150]?.answer(failure)
    await fixture.kept(151)
    for (const post of fixture.posts.slice(151, 182)) post.answer(ok)
    await fixture.kept(182)
    assert.deepEqual([fixture.posts.length, fixture.open], [214, 32], 'half of 64, and no other begins')
    fixture.posts[182]?.answer(ok)
    await fixture.kept(183)
    await fixture.posted(215)
    fixture.posts[183]?.answer(ok)
    await fixture.kept(184)
    await fixture.posted(217)
    assert.equal(fixture.open, 33, 'one more, when as many arrived as were under way')
    await fixture.deliverer.end(AbortSignal.abort())
  })
})

/** A fixture with so many events, and so many responses that its window grew by. */
async function grown(events: number, answers: number): Promise<DelivererFixture> {
  const fixture = await setup.begunWithWebhook()
  await fixture.append(events)
  for (let answered = 0; answered < answers; answered++) {
    await fixture.until('the next', () => fixture.posts.length > answered)
    fixture.posts[answered]?.answer(ok)
    await new Promise(setImmediate)
  }
  await fixture.until('as many as may be', () => fixture.open === 64)
  await fixture.kept(answers)
  return fixture
}

test('all webhooks of an organization together have no more at a time than it may have', async () => {
  const fixture = await setup.begunWithWebhook()
  const ids = ['wh_1']
  for (let index = 2; index <= 12; index++) ids.push(`wh_${index}`)
  for (const id of ids.slice(1)) await setup.webhook(id)
  fixture.reception = ({ webhookId }) => (fixture.of(webhookId).length <= 30 ? ok : null)
  await fixture.append(60)
  await fixture.until('as many as may be', () => fixture.open === 192 + 12)
  await fixture.kept(30 * ids.length)
  fixture.reception = () => ok
  for (const post of fixture.posts) post.answer(ok)
  await fixture.kept(60 * ids.length)
  assert.equal(fixture.most, 192 + 12)
  assert.equal(fixture.posts.length, 60 * ids.length)
  await fixture.deliverer.end(AbortSignal.abort())
})

test('however many organizations have receivers that were well and hang now, whoever comes finds a place', async () => {
  const crowd = ['org_a', 'org_b', 'org_c', 'org_d']
  await setup.reset([...crowd, 'org_new'])
  const fixture = setup.fixture()
  for (const owner of crowd)
    for (let index = 0; index < 4; index++) await setup.webhook(`wh_${owner}_${index}`, owner)
  await setup.webhook('wh_new', 'org_new')
  for (const owner of [...crowd, 'org_new']) fixture.deliverer.deliver(owner)
  fixture.reception = ({ webhookId }) => (fixture.of(webhookId).length <= 64 ? ok : null)
  for (const owner of crowd) {
    await fixture.append(200, owner)
    const before = fixture.open
    await fixture.settled()
    assert.ok(fixture.open > before, 'some hang')
  }
  assert.ok(fixture.open > 400, `${fixture.open} hang`)
  assert.ok(fixture.open < 512)
  fixture.reception = ({ webhookId }) => (webhookId === 'wh_new' ? ok : null)
  await fixture.append(40, 'org_new')
  await fixture.until('all came', () => fixture.of('wh_new').length === 40)
  await fixture.deliverer.end(AbortSignal.abort())
})
