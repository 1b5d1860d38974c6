import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from './address.ts'
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
    'Attempt 1: refused temporarily (`recipient_busy`); attempt 2: refused temporarily (`recipient_busy`); ' +
    'attempt 3 and later: accepted, then confirmed as `delivered`.'
  assert.ok(text.includes(twice))
  assert.ok(text.includes('| Accepted after 0.5 s, then confirmed as `delivered`. |'))
})

test('an address with an unknown behaviour is refused, and the known behaviours are listed', () => {
  const parsed = parseAddress('ana@dances.sandbox')
  assert.ok(!parsed.ok && parsed.detail.includes('delivers, reads, accepts'))
})

test('settings for linking need a link', () => {
  assert.deepEqual(
    check({ links_after_seconds: 1, link_step_seconds: 1 }).map((fault) => fault.pointer),
    ['/settings/links_after_seconds', '/settings/link_step_seconds'],
  )
  assert.deepEqual(check({ link: 'qr', links_after_seconds: 1 }), [])
})
