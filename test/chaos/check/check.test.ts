import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isGraceful } from '../networks/graceful.ts'
import { type Broken, check } from './check.ts'
import type { Arrival, DeliveredEvent, Fate, Story } from './story.ts'

/*
 * The checker is proved by planted bugs: a sound story is changed as the bug would change it, and the checker must say so.
 * `planted/` plants bugs in the program itself.
 */

const numbers = [1, 2, 3]
const textOf = (number: number) => `shop ana 1${number}`
const idOf = (number: number) => `msg_${number}`

const arrival = (number: number, changed: Partial<Arrival> = {}): Arrival => ({
  ...{ id: `net_${number}`, text: textOf(number), instance: 'shop', at: number, epoch: 1 },
  ...changed,
})

const fate = (number: number, changed: Partial<Fate> = {}): Fate => ({
  ...{ id: idOf(number), instance: 'shop', status: 'sent', networkMessageId: `net_${number}`, attempts: [] },
  ...changed,
})

const event = (sequence: number, changed: Partial<DeliveredEvent> = {}): DeliveredEvent => ({
  ...{ id: `evt_${sequence}`, sequence, instance: 'shop', body: `event ${sequence}`, accepted: true },
  ...{ type: sequence % 2 === 1 ? 'message.queued' : 'message.sent', message: idOf(Math.ceil(sequence / 2)) },
  ...changed,
})

const sound: Story = {
  acknowledged: numbers.map((number) => ({
    ...{
      text: textOf(number),
      id: idOf(number),
      networkMessageId: `net_${number}`,
      instance: 'shop',
      at: 500,
    },
  })),
  arrived: numbers.map((number) => arrival(number)),
  fates: numbers.map((number) => fate(number)),
  delivered: [1, 2, 3, 4, 5, 6].map((sequence) => event(sequence)),
  faults: [{ kind: 'kill', node: 'one', from: 1_000, until: 3_000 }],
  ends: [{ node: 'one', at: 1_001 }],
  complaints: [],
  forgetful: new Set(['bot']),
}

const well: Broken = {
  ...{ lost: [], doubled: [], renamed: [], overtaking: [], outdated: [], forgotten: [] },
  ...{ unexplained: [], ended: [], lostEvents: [], doubledEvents: [], overtakingEvents: [] },
  brokenSessions: [],
}

test('a story in which nothing is wrong, with repetitions and a take-over', () => {
  assert.deepEqual(check(sound), { broken: well, repeats: 0, unknown: 0 })
  const arrived = [arrival(1), arrival(2), arrival(2, { epoch: 2 }), arrival(3, { epoch: 2 })]
  const refused = event(3, { accepted: false })
  const delivered = [event(1), event(2), event(1), refused, ...sound.delivered.slice(2)]
  assert.deepEqual(check({ ...sound, arrived, delivered }), { broken: well, repeats: 1, unknown: 0 })
})

test('a text may be unknown, and need not have arrived, if a fault hit its attempt and repetitions are not recognized', () => {
  const unknown = { instance: 'bot', status: 'unknown', networkMessageId: null } as const
  const fates = [fate(1), fate(2), fate(3, { ...unknown, attempts: [{ from: 900, until: 2_000 }] })]
  const acknowledged = sound.acknowledged.map((told) => ({ ...told, networkMessageId: null }))
  const delivered = sound.delivered.slice(0, 5)
  const story = { ...sound, acknowledged, fates, delivered, arrived: sound.arrived.slice(0, 2) }
  assert.deepEqual(check(story), { broken: well, repeats: 0, unknown: 1 })
})

const changedFate = (changed: Partial<Fate>) => [fate(1), fate(2), fate(3, changed)]
const hit = [{ from: 900, until: 2_000 }]

const bugs: readonly [bug: string, changed: Partial<Story>, found: Partial<Broken>][] = [
  ['sent is what never left', { arrived: [arrival(1), arrival(2)] }, { lost: [textOf(3)] }],
  [
    'acknowledged before the commit, and the process died',
    {
      arrived: [arrival(1), arrival(2)],
      fates: [fate(1), fate(2)],
      delivered: sound.delivered.slice(0, 4),
    },
    { lost: [textOf(3)], forgotten: [textOf(3)], lostEvents: [`message.queued of ${textOf(3)}`] },
  ],
  ['a commit that the database lost in a crash', { fates: [fate(1), fate(2)] }, { forgotten: [textOf(3)] }],
  [
    'a new id on a retry',
    { arrived: [...sound.arrived, arrival(3, { id: 'net_4' })] },
    { doubled: [textOf(3)] },
  ],
  [
    'an id that was not the one acknowledged',
    { arrived: [arrival(1), arrival(2), arrival(3, { id: 'net_4' })] },
    { renamed: [textOf(3)] },
  ],
  [
    'an idempotency key that was not recognized: one request became two messages',
    { arrived: [arrival(1), arrival(2), arrival(3), arrival(3, { id: 'net_9' })] },
    { doubled: [textOf(3)] },
  ],
  ['order lost', { arrived: [arrival(2), arrival(1), arrival(3)] }, { overtaking: [textOf(1)] }],
  [
    'fence left out: a process that was replaced sent again',
    { arrived: [arrival(1), arrival(2, { epoch: 2 }), arrival(3)] },
    { outdated: [`shop: ${textOf(3)} in epoch 1`] },
  ],
  [
    'trust not checked: what had been claimed left again, after the new owner had sent it',
    { arrived: [arrival(1), arrival(2), arrival(3, { epoch: 2 }), arrival(2)] },
    { outdated: [`shop: ${textOf(2)} in epoch 1`] },
  ],
  [
    'attempts that were under way at a crash, and were not taken up',
    { fates: changedFate({ status: 'sending' }) },
    { unexplained: [`${textOf(3)} is sending`] },
  ],
  [
    'unknown on a network that recognizes repetitions',
    { fates: changedFate({ status: 'unknown', attempts: hit }) },
    { unexplained: [`${textOf(3)} is unknown`] },
  ],
  [
    'unknown without a fault',
    { fates: changedFate({ instance: 'bot', status: 'unknown', attempts: [{ from: 3_001, until: 3_100 }] }) },
    { unexplained: [`${textOf(3)} is unknown`] },
  ],
  [
    'lease by wall clock: a process was declared gone though it suffered nothing',
    { ends: [{ node: 'two', at: 2_000 }] },
    { ended: ['two at 2000'] },
  ],
  [
    'an event that no attempt was made for',
    { delivered: sound.delivered.filter(({ sequence }) => sequence !== 4) },
    { lostEvents: ['number 4', `message.sent of ${textOf(2)}`] },
  ],
  [
    'an event written twice',
    { delivered: [...sound.delivered, event(7, { type: 'message.sent', message: idOf(3) })] },
    { doubledEvents: ['message.sent of msg_3'] },
  ],
  [
    'a number given twice',
    { delivered: [...sound.delivered, event(6, { id: 'evt_7', type: 'message.delivered' })] },
    { doubledEvents: ['number 6'] },
  ],
  [
    'an event that changed between two attempts',
    { delivered: [...sound.delivered, event(6, { body: 'otherwise' })] },
    { doubledEvents: ['two versions of evt_6'] },
  ],
  [
    'events of an instance out of order',
    { delivered: [1, 2, 4, 3, 5, 6].map((sequence) => event(sequence)) },
    { overtakingEvents: ['number 3 of shop'] },
  ],
  [
    'an event that came while an earlier one of its instance was refused',
    { delivered: [event(1), event(2, { accepted: false }), ...sound.delivered.slice(2), event(2)] },
    { overtakingEvents: ['number 2 of shop'] },
  ],
  [
    'an event that was refused and given up',
    { delivered: sound.delivered.map((one) => (one.sequence === 4 ? { ...one, accepted: false } : one)) },
    { lostEvents: ['number 4', `message.sent of ${textOf(2)}`] },
  ],
]
for (const [bug, changed, found] of bugs)
  test(`found: ${bug}`, () => assert.deepEqual(check({ ...sound, ...changed }).broken, { ...well, ...found }))

test('found: a session with a network that was broken, as nodes tell it and as a far end does', () => {
  const told = event(7, { type: 'instance.status_changed', reason: 'replaced' })
  const harmless = event(8, { type: 'instance.status_changed', reason: 'connection_reset' })
  const delivered = [...sound.delivered, told, told, harmless]
  const { brokenSessions } = check({ ...sound, delivered, complaints: ['two at once'] }).broken
  assert.deepEqual(brokenSessions, ['two at once', 'shop: replaced in number 7'])
})

test('a network that sees two connections of an account complains, unless a fault kept the first from being closed', () => {
  const span = { node: 'one', from: 1_000, until: 2_000 }
  const after = (kind: string) => isGraceful(2_500, [{ kind, ...span }])
  assert.deepEqual(
    [isGraceful(500, [{ kind: 'freeze', ...span }]), after('stop'), after('drain')],
    [true, true, true],
  )
  assert.deepEqual([after('freeze'), after('database'), after('kill')], [false, false, false])
})
