import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outboundGuard } from '../../../net/guard/guard.ts'
import { NameResolver } from '../../../net/resolve/names.ts'
import type { XmppError } from '../errors.ts'
import { accountOf } from '../settings.ts'
import { dialXmpp, inOrder } from './dial.ts'

const record = (name: string, priority: number, weight: number) => ({ name, priority, weight })

test('servers are tried by ascending priority', () => {
  const records = [record('last', 20, 100), record('first', 5, 0), record('second', 10, 1)]
  for (const random of [() => 0, () => 0.5, () => 0.999]) {
    const names = inOrder(records, random).map(({ name }) => name)
    assert.deepEqual(names, ['first', 'second', 'last'])
  }
})

test('within one priority a server comes first in proportion to its weight', () => {
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const records = [record('heavy', 1, 90), record('light', 1, 10)]
  let heavyFirst = 0
  for (let draw = 0; draw < 2_000; draw++) if (inOrder(records, random)[0]?.name === 'heavy') heavyFirst += 1
  assert.ok(heavyFirst > 1_700 && heavyFirst < 1_900, `${heavyFirst} of 2000`)
})

test('a server at an address that the operator does not allow is not dialled', async () => {
  const guard = outboundGuard([])
  const names = new NameResolver().of('org')
  const signal = AbortSignal.timeout(5_000)
  for (const host of ['127.0.0.1', 'localhost', '169.254.169.254', '[::1]']) {
    const account = accountOf({ address: 'ana@example.org', service: `xmpps://${host}:5223` })
    await assert.rejects(
      dialXmpp(account, { ca: undefined, guard, names }, Math.random, signal),
      (error: XmppError) => error.reason.code === 'address_not_allowed',
    )
  }
})
