import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsOf, changesIn as stepsIn } from './notifications.ts'

const ofNumber = (number: string, text: string) => ({
  field: 'messages',
  value: { messaging_product: 'whatsapp', metadata: { phone_number_id: number }, messages: [{ text }] },
})
const ofAccount = (event: string) => ({ field: 'account_update', value: { event } })
const callback = (...entry: object[]) =>
  Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry }))
const entry = (id: string, time: number, ...changes: object[]) => ({ id, time, changes })

const changesIn = (body: Buffer, now: number) => [...stepsIn(body, now)].filter((change) => change !== null)

test('a callback is taken apart by number and account, and each part says what it said, in its order', () => {
  const whole = callback(
    entry('20', 1_700_000_000, ofNumber('10', 'one'), ofAccount('BAN'), ofNumber('11', 'two')),
    entry('21', 1_700_000_060, ofNumber('12', 'three'), ofAccount('UNBAN')),
    entry('20', 1_700_000_120, ofNumber('10', 'four')),
  )
  const parts = partsOf(whole)
  assert.deepEqual(
    parts.map(({ about, name }) => `${about} ${name}`),
    ['account 10', 'group 20', 'account 11', 'account 12', 'group 21'],
  )
  const now = 2_000_000_000_000
  const all = changesIn(whole, now)
  for (const { about, name, body } of parts) {
    const own = all.filter(
      ({ number, account }) => (about === 'account' ? number : (number ?? account)) === name,
    )
    assert.deepEqual(changesIn(body, now), own, `what ${about} ${name} gets`)
  }
  assert.equal(parts.flatMap(({ body }) => changesIn(body, now)).length, all.length)
})

test('texts arrive unchanged in parts, however they were written', () => {
  const text = 'Grüße 👋 \u0000 \ud800 "quoted" \\ /'
  const body = callback(entry('20', 1, ofNumber('10', text)))
    .toString()
    .replaceAll('/', '\\/')
  const [part] = partsOf(Buffer.from(body))
  const [change] = changesIn(part?.body ?? Buffer.alloc(0), 0)
  assert.deepEqual(change?.value.messages, [{ text }])
})

test('what names neither a number nor an account is for nobody, and what is no callback is refused', () => {
  const nameless = { changes: [ofAccount('BAN'), { field: 'messages', value: 7 }, 'odd', null] }
  assert.deepEqual(partsOf(callback(nameless, { id: 'x'.repeat(65), changes: [ofAccount('BAN')] })), [])
  assert.deepEqual(partsOf(callback()), [])
  for (const body of ['', '[]', '{}', '{"entry":7}', 'no JSON'])
    assert.throws(() => partsOf(Buffer.from(body)), /not one of the Cloud API/)
})
