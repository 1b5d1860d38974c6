import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DelivererGround, type DelivererStage, failure, ok } from '../../../test/kit/deliverer-stage.ts'

const ground = new DelivererGround()

describe('receivers that are slow', () => {
  test('one that hangs has one connection, and holds up no other', async () => {
    await ground.webhook('wh_2')
    const stage = await ground.staged()
    stage.reception = ({ webhookId }) => (webhookId === 'wh_2' ? ok : null)
    await stage.append(40)
    await stage.until('all came to the other', () => stage.of('wh_2').length === 40)
    assert.equal(stage.of('wh_1').length, 1)
    await stage.deliverer.end(AbortSignal.abort())
  })

  test('however many hang, those that are well are served, and the others take turns, whoever has many of them', async () => {
    const stage = await ground.staged()
    const count = 139
    for (let index = 1; index < count; index++) await ground.webhook(`wh_${1_000 + index}`)
    await ground.webhook('wh_other', 'org_b')
    stage.deliverer.deliver('org_b')
    stage.reception = () => failure
    await stage.append()
    await stage.kept(count)
    stage.time.pass(1)
    await stage.append(1, 'org_b')
    await stage.kept(count + 1)
    await ground.webhook('wh_well')
    stage.reception = ({ webhookId }) => (webhookId === 'wh_well' ? ok : null)
    stage.time.pass(4_999)
    await stage.posted(count + 1 + 128)
    stage.time.pass(1)
    await stage.append(20)
    await stage.until('all came to the one that is well', () => stage.of('wh_well').length === 20)
    const before = count + 1 + 128 + 20
    assert.equal(stage.posts.length, before)
    for (let ended = 1; ended <= 12; ended++) {
      stage.posts[count + ended]?.answer(failure)
      await stage.posted(before + ended)
      if (ended === 2) assert.equal(stage.of('wh_other').length, 2, 'it had its turn')
    }
    await stage.deliverer.end(AbortSignal.abort())
  })

  test('one that is well gets more and more at a time, and one at a time after a failure', async () => {
    const stage = await grown(300, 150)
    assert.deepEqual([stage.posts.length, stage.open, stage.most], [214, 64, 64])
    for (const post of stage.posts.slice(150)) post.answer(failure)
    await stage.kept(214)
    await stage.posted(215)
    stage.posts[214]?.answer(ok)
    await stage.kept(215)
    await stage.posted(217)
    await stage.deliverer.end(AbortSignal.abort())
  })

  test('one failure among many halves what is under way, and from there on it grows slowly', async () => {
    const stage = await grown(300, 150)
    stage.posts[150]?.answer(failure)
    await stage.kept(151)
    for (const post of stage.posts.slice(151, 182)) post.answer(ok)
    await stage.kept(182)
    assert.deepEqual([stage.posts.length, stage.open], [214, 32], 'half of 64, and no other begins')
    stage.posts[182]?.answer(ok)
    await stage.kept(183)
    await stage.posted(215)
    stage.posts[183]?.answer(ok)
    await stage.kept(184)
    await stage.posted(217)
    assert.equal(stage.open, 33, 'one more, when as many arrived as were under way')
    await stage.deliverer.end(AbortSignal.abort())
  })
})

/** A stage with so many events, and so many answers that it grew by. */
async function grown(events: number, answers: number): Promise<DelivererStage> {
  const stage = await ground.staged()
  await stage.append(events)
  for (let answered = 0; answered < answers; answered++) {
    await stage.until('the next', () => stage.posts.length > answered)
    stage.posts[answered]?.answer(ok)
    await new Promise(setImmediate)
  }
  await stage.until('as many as may be', () => stage.open === 64)
  await stage.kept(answers)
  return stage
}

test('all webhooks of an organization together have no more at a time than it may have', async () => {
  const stage = await ground.staged()
  const ids = ['wh_1']
  for (let index = 2; index <= 12; index++) ids.push(`wh_${index}`)
  for (const id of ids.slice(1)) await ground.webhook(id)
  stage.reception = ({ webhookId }) => (stage.of(webhookId).length <= 30 ? ok : null)
  await stage.append(60)
  await stage.until('as many as may be', () => stage.open === 192 + 12)
  await stage.kept(30 * ids.length)
  stage.reception = () => ok
  for (const post of stage.posts) post.answer(ok)
  await stage.kept(60 * ids.length)
  assert.equal(stage.most, 192 + 12)
  assert.equal(stage.posts.length, 60 * ids.length)
  await stage.deliverer.end(AbortSignal.abort())
})

test('however many organizations have receivers that were well and hang now, whoever comes finds a place', async () => {
  const crowd = ['org_a', 'org_b', 'org_c', 'org_d']
  await ground.reset([...crowd, 'org_new'])
  const stage = ground.stage()
  for (const owner of crowd)
    for (let index = 0; index < 4; index++) await ground.webhook(`wh_${owner}_${index}`, owner)
  await ground.webhook('wh_new', 'org_new')
  for (const owner of [...crowd, 'org_new']) stage.deliverer.deliver(owner)
  stage.reception = ({ webhookId }) => (stage.of(webhookId).length <= 64 ? ok : null)
  for (const owner of crowd) {
    await stage.append(200, owner)
    const before = stage.open
    await stage.until('some hang', () => stage.open > before)
    await stage.kept(stage.posts.length - stage.open)
  }
  assert.ok(stage.open > 400, `${stage.open} hang`)
  assert.ok(stage.open < 512)
  stage.reception = ({ webhookId }) => (webhookId === 'wh_new' ? ok : null)
  await stage.append(40, 'org_new')
  await stage.until('all came', () => stage.of('wh_new').length === 40)
  await stage.deliverer.end(AbortSignal.abort())
})
