import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bareAddressOf, bareOf, isRoom, parseAddress, roomAt } from './address.ts'

const spellings: readonly (readonly [written: string, address: string, why: string])[] = [
  ['ana@example.org', 'ana@example.org', 'as it is'],
  ['Ana@Example.ORG', 'ana@example.org', 'in lower case'],
  ['ana@example.org.', 'ana@example.org', 'without the final dot of the domain'],
  ['ＡＮＡ@example.org', 'ana@example.org', 'with narrow letters'],
  ['joa\u0303o@example.org', 'joão@example.org', 'composed'],
  ['ana@BÜCHER.example', 'ana@bücher.example', 'an international domain in Unicode'],
  ['ana@xn--bcher-kva.example', 'ana@bücher.example', 'an international domain in ASCII'],
  ['straße@example.org', 'straße@example.org', 'with letters that have no other case'],
  ['d\\27artagnan@example.org', 'd\\27artagnan@example.org', 'escaped as XEP-0106 has it'],
  ['a+b.c-d_e=f!#$%*@example.org', 'a+b.c-d_e=f!#$%*@example.org', 'with the ASCII that is allowed'],
  ['ana@127.0.0.1', 'ana@127.0.0.1', 'at an IPv4 address'],
  ['ana@[::1]', 'ana@[::1]', 'at an IPv6 address'],
  [`${'a'.repeat(1023)}@example.org`, `${'a'.repeat(1023)}@example.org`, 'with the longest local part'],
]
for (const [written, address, why] of spellings) {
  test(`an address is normalised: ${why}`, () => {
    assert.deepEqual(parseAddress(written), { ok: true, address })
    assert.deepEqual(parseAddress(address), { ok: true, address })
  })
}

test('a room has the end of its URI, and is told from a person by it alone', () => {
  for (const written of [
    'Team@Rooms.far.test?join',
    'xmpp:team@rooms.far.test?join',
    'XMPP:te%61m@rooms.far.test?join',
  ])
    assert.deepEqual(parseAddress(written), { ok: true, address: 'team@rooms.far.test?join' })
  assert.deepEqual(parseAddress('xmpp:ana@far.test'), { ok: true, address: 'ana@far.test' })
  assert.deepEqual([isRoom('team@rooms.far.test?join'), isRoom('team@rooms.far.test')], [true, false])
  assert.equal(bareOf(roomAt('team@rooms.far.test')), 'team@rooms.far.test')
  for (const written of [
    'team@rooms.far.test?leave',
    '?join',
    'xmpp:%ff@far.test',
    'team@rooms.far.test/ana?join',
  ])
    assert.equal(parseAddress(written).ok, false, written)
  // No sender is taken for a room because of what it writes as its name.
  assert.equal(bareAddressOf('team@rooms.far.test?join'), null)
})

const refusals: readonly (readonly [written: string, detail: RegExp])[] = [
  ['', /local@domain/],
  ['example.org', /local@domain/],
  ['@example.org', /local part before/],
  ['ana@', /domain after/],
  ['ana@example.org/phone', /bare address/],
  ['example.org/ana@phone', /bare address/],
  ['ana maria@example.org', /does not allow/],
  ['ana"@example.org', /does not allow/],
  ['ana@bob@example.org', /no domain has/],
  ['😀@example.org', /letter/],
  ['a\u200dna@example.org', /letter/],
  ['a\u0000na@example.org', /letter/],
  ['ana\ud83d@example.org', /well-formed/],
  ['ana@exam ple.org', /no domain has/],
  ['ana@exam\tple.org', /no domain has/],
  ['ana@example..org', /neither a name/],
  ['ana@.org', /neither a name/],
  ['ana@example.org:5222', /neither a name/],
  ['ana@user:secret@example.org', /no domain has/],
  ['ana@[::1', /neither a name/],
  [`${'a'.repeat(1024)}@example.org`, /1023 bytes/],
  [`${'ä'.repeat(512)}@example.org`, /1023 bytes/],
  [`ana@${'a'.repeat(64)}.org`, /neither a name/],
  [`ana@${'a.'.repeat(200)}org`, /neither a name/],
]
for (const [written, detail] of refusals) {
  test(`is not the address of a person: ${JSON.stringify(written.slice(0, 30))}`, () => {
    const parsed = parseAddress(written)
    assert.ok(!parsed.ok)
    assert.match(parsed.detail, detail)
  })
}

test('a stanza comes from a person by their bare address, from a server by none', () => {
  assert.equal(bareAddressOf('Ana@Example.org/Some/Phone'), 'ana@example.org')
  assert.equal(bareAddressOf('ana@example.org'), 'ana@example.org')
  assert.equal(bareAddressOf('example.org'), null)
  assert.equal(bareAddressOf(undefined), null)
})

test('an address that needs no check beyond its form is the same that all checks make of it', () => {
  const locals = ['a', 'a.b-c_d', '!#$%()*+,.=?[]^_`{|}~\\-', '0', `${'a'.repeat(200)}`]
  const labels = [
    'a',
    'example',
    'a1',
    'a-b',
    'a--b',
    '1a',
    '127',
    '0x7f',
    'xn--bcher-kva',
    'xn--a',
    'a-',
    '-a',
    'a_b',
  ]
  const domains = labels.flatMap((label) => [label, `${label}.org`, `www.${label}`, `${label}.${label}`])
  for (const local of locals)
    for (const domain of [...domains, 'a'.repeat(63), 'a'.repeat(64), `${'a.'.repeat(130)}org`]) {
      const address = `${local}@${domain}`
      // A capital letter has every check made.
      assert.deepEqual(
        parseAddress(address),
        parseAddress(`A${address}`).ok ? withA(address) : parseAddress(`A${address}`),
      )
    }
})

function withA(address: string) {
  const parsed = parseAddress(`A${address}`)
  return parsed.ok ? { ok: true, address: parsed.address.slice(1) } : parsed
}
