import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listHash } from '../outgoing/list-hash.ts'
import { DeviceCache } from './device-cache.ts'
import { hasLeft } from './sender-keys.ts'

const device = (user: string, number: number) => ({ user, device: number, server: 'lid' })
const numbers = (shown: Record<string, unknown>, user: string) =>
  (shown[user] as { device: number }[] | undefined)?.map((each) => each.device)

/** A cache that knows two devices of Ana, and three of the account itself, whose third one sends. */
async function known() {
  const cache = new DeviceCache(() => 'shop:2@lid')
  await cache.mset([
    { key: 'ana', value: [device('ana', 0), device('ana', 1)] },
    { key: 'shop', value: [device('shop', 0), device('shop', 1), device('shop', 2)] },
  ])
  return cache
}

test('a device without keys and the one that sends are not shown, and are listed nevertheless', async () => {
  const cache = await known()
  cache.hasNoKeys(device('ana', 1))
  const shown = await cache.mget(['ana', 'shop', 'ben'])
  assert.deepEqual([numbers(shown, 'ana'), numbers(shown, 'shop'), shown.ben], [[0], [0, 1], undefined])
  assert.equal(cache.listed(['ana', 'shop', 'ben']).length, 5)
})

test('when WhatsApp lists devices again, those without keys stay left out; when it tells of a change, they do not', async () => {
  const cache = await known()
  const listed = [device('ana', 0), device('ana', 1)]
  cache.hasNoKeys(device('ana', 1))
  cache.del('ana')
  await cache.mset([{ key: 'ana', value: listed }])
  assert.deepEqual(numbers(await cache.mget(['ana']), 'ana'), [0])
  cache.set('ana', listed)
  assert.deepEqual(numbers(await cache.mget(['ana']), 'ana'), [0, 1])
})

test('who has no devices is not asked for with each message, until somebody writes to them alone', async () => {
  const cache = await known()
  cache.hasNoDevices('ben')
  assert.deepEqual(await cache.mget(['ben']), { ben: [] })
  cache.lookAgain('ben')
  assert.deepEqual(await cache.mget(['ben']), { ben: undefined })
})

test('the key to a group is old when who has it left, or unlinked the device, and not when their devices are not known', () => {
  const holders = new Set(['ana@lid', 'ana:1@lid', 'ben@lid'])
  const listed = [device('ana', 0), device('ana', 1), device('ben', 0)]
  assert.equal(hasLeft(holders, ['ana', 'ben'], listed), false)
  assert.equal(hasLeft(holders, ['ana'], listed), true)
  assert.equal(hasLeft(holders, ['ana', 'ben'], listed.toSpliced(1, 1)), true)
  assert.equal(hasLeft(holders, ['ana', 'ben'], listed.slice(0, 2)), false)
})

test('the hash of a list of devices is the same in any order, and counts each once', () => {
  const listed = [device('ana', 0), device('ben', 3)]
  const hash = listHash(listed)
  assert.match(hash, /^2:[\w+/]{8}$/)
  assert.equal(listHash([...listed.toReversed(), device('ana', 0)]), hash)
  assert.notEqual(listHash(listed.slice(1)), hash)
})
