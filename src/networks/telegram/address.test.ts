import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from './address.ts'

for (const [written, address] of [
  ['7000000001', '7000000001'],
  ['-0001002000000001', '-1002000000001'],
  ['4503599627370495', '4503599627370495'],
  ['@Some_Channel', '@some_channel'],
] as const) {
  test(`${written} is ${address}`, () => {
    assert.deepEqual(parseAddress(written), { ok: true, address })
    assert.deepEqual(parseAddress(address), { ok: true, address })
  })
}

for (const written of [
  '',
  '0',
  '-0',
  '4503599627370496',
  '1.5',
  '1e9',
  ' 7',
  '7\n',
  '@abc',
  '@1channel',
  '@some-channel',
  'https://t.me/some_channel',
  '@'.padEnd(34, 'x'),
]) {
  test(`${JSON.stringify(written)} is no address`, () => {
    assert.equal(parseAddress(written).ok, false)
  })
}

test('a phone number is refused with what to do instead', () => {
  const parsed = parseAddress('+44 20 7946 0000')
  assert.ok(!parsed.ok && /write to the bot first/.test(parsed.detail))
})
