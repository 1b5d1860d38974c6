import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress, scriptOf } from './address.ts'
import { reference } from './reference.ts'
import { connectionScripts, recipientScripts } from './script.ts'
import { check } from './settings.ts'

test('every row of both tables is in the reference, and its addresses are valid', () => {
  const text = reference()
  const addresses = [...text.matchAll(/^\| `([^`]+@[^`]+)` \|/gm)].map(([, address]) => address ?? '')
  assert.deepEqual(
    addresses,
    recipientScripts.map((script) => `ana@${script.behaviour}.sandbox`),
  )
  assert.ok(addresses.every((address) => parseAddress(address).ok))
  for (const { behaviour } of connectionScripts) assert.ok(text.includes(`| \`${behaviour}\` |`))
})

test('answers by attempt are described', () => {
  const text = reference()
  const twice =
    'Attempt 1: rejected temporarily (`recipient_busy`); attempt 2: rejected temporarily (`recipient_busy`); ' +
    'attempt 3 and later: accepted, then confirmed as `delivered`.'
  assert.ok(text.includes(twice))
  assert.ok(text.includes('| Accepted after 0.5 s, then confirmed as `delivered`. |'))
  assert.ok(text.includes('| Confirmed as `delivered`, then accepted. |'))
  assert.ok(text.includes('| Accepted with the notice `sent_silently`, then confirmed as `delivered`. |'))
  assert.ok(
    text.includes(
      '| Attempt 1: deferred by 5 s, as is every message of the instance (`too_many_messages`); ',
    ),
  )
})

test('an address with an unknown behaviour is refused, and the known behaviours are listed', () => {
  const parsed = parseAddress('ana@dances.sandbox')
  assert.ok(!parsed.ok && parsed.detail.includes('delivers, reads, accepts'))
})

test('a phone number is an address with its country code, however it is separated', () => {
  for (const written of [
    '+4915112345678',
    '4915112345678',
    '+49 151 1234-5678',
    '0049.151.12345678',
    '00 (49) 151 12345678 ',
  ])
    assert.deepEqual(parseAddress(written), { ok: true, address: '+4915112345678' }, written)
  for (const [written, address] of [
    ['+1234567', '+1234567'],
    ['+123456789012345', '+123456789012345'],
  ] as const)
    assert.deepEqual(parseAddress(written), { ok: true, address })
  assert.equal(scriptOf('+4915112345678')?.behaviour, 'reads')
})

test('what is not a whole phone number is refused, with how to write one', () => {
  for (const written of [
    '0151 12345678',
    '+123456',
    '+1234567890123456',
    '+049 151 12345678',
    '00049 151 12345678',
    '+49 (0)151 12345678',
    '+49 151/12345678',
    '++4915112345678',
    '+4915112345678 ext. 3',
    ` +4915112345678`,
    `+49\t15112345678`,
    '+٤٩١٥١١٢٣٤٥٦٧٨',
    `+${' '.repeat(100_000)}4915112345678`,
  ]) {
    const parsed = parseAddress(written)
    assert.ok(!parsed.ok && parsed.detail.includes('+49 151 12345678'), written.slice(0, 30))
  }
})

test('settings for linking need a link', () => {
  assert.deepEqual(
    check({ links_after_seconds: 1, link_step_seconds: 1 }).map((fault) => fault.pointer),
    ['/settings/links_after_seconds', '/settings/link_step_seconds'],
  )
  assert.deepEqual(check({ link: 'qr', links_after_seconds: 1 }), [])
})
