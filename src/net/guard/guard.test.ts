import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { allowedAddresses } from '../dial/dial.ts'
import { NetFailure } from '../failure.ts'
import { NameResolver } from '../resolve/names.ts'
import { guardBeside, type OutboundGuard, outboundGuard } from './guard.ts'

test('what is public is allowed, and what the operator lists, and nothing beside it', () => {
  const guard = outboundGuard(['10.0.0.0/8', 'fd00::/8'])
  for (const address of ['9.9.9.9', '2606:4700::1111', '10.255.0.1', 'fd12::1']) {
    assert.equal(guard.allows(address), true, address)
  }
  for (const address of ['192.168.0.1', '127.0.0.1', '::1', 'fc00::1', '::ffff:10.0.0.1', 'localhost', '']) {
    assert.equal(guard.allows(address), false, address)
  }
})

test('it tells what the operator listed from what is public', () => {
  const guard = outboundGuard(['10.0.0.0/8'])
  assert.equal(guard.lists('10.0.0.1'), true)
  assert.equal(guard.lists('9.9.9.9'), false)
  assert.equal(guard.lists('192.168.0.1'), false)
})

/** Returns the reason why a name that leads to this machine is refused, if it is. */
async function refusalOf(guard: OutboundGuard): Promise<string | undefined> {
  const { signal } = new AbortController()
  return await allowedAddresses('localhost', guard, new NameResolver().of('org'), { signal }).then(
    () => undefined,
    (error: Error) => (error instanceof NetFailure ? error.reason : error.name),
  )
}

test('a name that leads to an address inside is refused', async () => {
  assert.equal(await refusalOf(outboundGuard([])), 'refused')
})

test('the addresses of this machine are not public, unless they are listed', () => {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address)
  assert.ok(own.length > 0)
  const [none, all] = [outboundGuard([]), outboundGuard(['0.0.0.0/0', '::/0'])]
  for (const address of own) {
    assert.equal(none.allows(address), false, address)
    assert.equal(all.allows(address), true, address)
  }
})

test('what a server names is public, or at the place of the server', () => {
  const all = outboundGuard(['0.0.0.0/0', '::/0'])
  const allowed = (peer: string | undefined, addresses: readonly string[]) =>
    addresses.filter((address) => guardBeside(all, peer).allows(address))
  const addresses = ['9.9.9.9', '127.0.0.1', '127.9.9.9', '::1', '10.0.0.1', '10.0.0.2', 'fd00::1']
  assert.deepEqual(allowed('10.0.0.1', addresses), ['9.9.9.9', '10.0.0.1'])
  assert.deepEqual(allowed('127.0.0.1', addresses), ['9.9.9.9', '127.0.0.1', '127.9.9.9', '::1'])
  assert.deepEqual(allowed('::1', addresses), ['9.9.9.9', '127.0.0.1', '127.9.9.9', '::1'])
  assert.deepEqual(allowed('1.1.1.1', addresses), ['9.9.9.9'])
  assert.deepEqual(allowed(undefined, addresses), ['9.9.9.9'])
  assert.equal(guardBeside(outboundGuard([]), '10.0.0.1').allows('10.0.0.1'), false)
})

test('a name that a server names is judged by both', async () => {
  const here = outboundGuard(['127.0.0.0/8', '::1/128'])
  assert.equal(await refusalOf(guardBeside(here, '127.0.0.1')), undefined)
  assert.equal(await refusalOf(guardBeside(here, '9.9.9.9')), 'refused')
  assert.equal(await refusalOf(guardBeside(outboundGuard([]), '127.0.0.1')), 'refused')
})
