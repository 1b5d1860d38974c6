import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SourceAccount } from './gateway.ts'
import { instanceNameFor, type Plan, type Present, planFor } from './plan.ts'

const label = 'evolution_name'
const nothing: Present = { instances: [], webhooks: [] }
const webhook = { url: 'https://example.org/hook', events: ['message.received' as const] }

const account = (name: string, more: Partial<SourceAccount> = {}): SourceAccount => ({
  ...{ name, network: 'sandbox', status: 'open', metadata: {}, webhooks: [], gaps: [], ...more },
})

/** All that there is once a plan was carried out. */
function after({ instances, webhooks }: Plan): Present {
  return {
    instances: instances.map(({ name, account: { name: there, network } }) => ({
      ...{ name, network, metadata: { [label]: there } },
    })),
    webhooks: webhooks.map(({ url, events, instances: of }) => ({
      ...{ url, events: events && [...events], instances: [...of] },
    })),
  }
}

const steps = ({ instances, webhooks }: Plan) => new Set([...instances, ...webhooks].map(({ step }) => step))
const names = ({ instances }: Plan) => instances.map(({ name }) => name)

test('names are those that instances can have', () => {
  const cases = {
    'Support Berlin': 'support-berlin',
    'São_Paulo!': 'sao_paulo',
    '--x--': 'x',
    密: 'instance',
    'A & B': 'a-b',
    ['x'.repeat(80)]: 'x'.repeat(63),
  }
  for (const [name, here] of Object.entries(cases)) assert.equal(instanceNameFor(name), here)
})

test('accounts whose names fall together get numbers, and the one that has the name keeps it', () => {
  const accounts = [account('Shop'), account('shop'), account('SHOP'), account(`${'x'.repeat(62)}ÄB`)]
  const plan = planFor([...accounts, account(`${'x'.repeat(62)}äc`)], label, nothing)
  assert.deepEqual(names(plan), ['shop-3', 'shop', 'shop-2', `${'x'.repeat(62)}a`, `${'x'.repeat(61)}-2`])
})

test('a plan that was carried out has nothing left to do, in any order of the list', () => {
  const accounts = ['Shop', 'shop', 'Büro', 'buro'].map((name) => account(name, { webhooks: [webhook] }))
  const plan = planFor(accounts, label, nothing)
  assert.deepEqual(steps(plan), new Set(['create']))
  const again = planFor(accounts.toReversed(), label, after(plan))
  assert.deepEqual(steps(again), new Set(['exists']))
  assert.deepEqual(names(again), names(plan).toReversed())
  const added = planFor([...accounts, account('new', { webhooks: [webhook] })], label, after(plan))
  assert.deepEqual(
    added.webhooks.filter(({ step }) => step === 'create').map(({ instances }) => instances),
    [['new']],
  )
})

test('an instance that a person created for an account is its, and one of another network is not', () => {
  const instances = [
    { name: 'shop', network: 'sandbox', metadata: {} },
    { name: 'sales', network: 'other', metadata: {} },
    { name: 'desk', network: 'sandbox', metadata: { [label]: 'Another desk' } },
  ]
  const accounts = [account('Shop'), account('Sales'), account('Desk')]
  const plan = planFor(accounts, label, { instances, webhooks: [] })
  assert.deepEqual(
    plan.instances.map(({ name, step }) => [name, step]),
    [
      ['shop', 'exists'],
      ['sales-2', 'create'],
      ['desk-2', 'create'],
    ],
  )
})

test('a webhook has at most 200 instances, and none for an account that a person has to create', () => {
  const accounts = Array.from({ length: 450 }, (_, at) => account(`a${at}`, { webhooks: [webhook] }))
  const byHand = account('hand', { byHand: 'it needs credentials', webhooks: [webhook] })
  const silent = account('silent', { webhooks: [{ ...webhook, events: [] }] })
  const { webhooks } = planFor([...accounts, byHand, silent], label, nothing)
  assert.deepEqual(
    webhooks.map(({ instances }) => instances.length),
    [200, 200, 50],
  )
})
