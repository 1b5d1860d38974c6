import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ByteAccount, ByteBudget } from './byte-budget.ts'

const limits = { connection: 100, organization: 250, server: 400 }

/** An instance whose connection lets go of everything when it is told to end. */
function setUp() {
  const calls: string[] = []
  const exceeded: string[] = []
  const budget = new ByteBudget(limits, (scope) => exceeded.push(scope))
  const open = (name: string, organization: string) => {
    const account: ByteAccount = budget.account(organization)
    const holding = account.holding('incoming')
    account.onExceeded = (scope) => {
      calls.push(`${name} ${scope}`)
      holding.end()
    }
    return { account, holding }
  }
  return { budget, calls, exceeded, open }
}

test('a connection that holds more than it may is ended, and nothing of it is left', () => {
  const { budget, calls, exceeded, open } = setUp()
  const one = open('one', 'a')
  const other = open('other', 'a')
  other.holding.set(90)
  one.holding.set(100)
  assert.deepEqual(calls, [])
  one.holding.add(1)
  assert.deepEqual([calls, exceeded, budget.held], [['one connection'], ['connection'], 90])
})

test('if an organization holds too much, its largest connection is ended, whoever came last', () => {
  const { budget, calls, open } = setUp()
  const sizes = [80, 95, 70]
  for (const [index, size] of sizes.entries()) open(String(index), 'a').holding.set(size)
  open('last', 'a').holding.set(10)
  assert.deepEqual([calls, budget.held], [['1 organization'], 160])
})

test('if all hold too much, the largest of the organization that holds most is ended', () => {
  const { calls, open } = setUp()
  for (const [name, size] of [
    ['p', 90],
    ['q', 85],
    ['r', 60],
  ] as const)
    open(name, 'greedy').holding.set(size)
  open('large', 'modest').holding.set(99)
  open('small', 'tiny').holding.set(60)
  open('last', 'newcomer').holding.set(20)
  assert.deepEqual(calls, ['p server'])
})

test('a connection is asked to end once, and not again while it stays', () => {
  const { budget, calls, open } = setUp()
  const { account, holding } = open('one', 'a')
  let count = 0
  account.onExceeded = () => {
    count += 1
  }
  for (let times = 0; times < 5; times += 1) holding.add(300)
  assert.deepEqual([count, calls, budget.held], [1, [], 1_500])
  holding.end()
  assert.equal(budget.held, 0)
})

test('what waits for the network does not stop that it is read from', () => {
  const account = new ByteBudget(limits).account('a')
  account.holding('outgoing').set(60)
  const holding = account.holding('incoming')
  holding.set(30)
  assert.deepEqual([account.held, account.incoming], [90, 30])
  holding.end()
  assert.deepEqual([account.held, account.incoming], [60, 0])
})
