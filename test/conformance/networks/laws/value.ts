import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import type { SealedCredentials, Settings } from '../../../../src/networks/driver/account.ts'
import type { Driver, ParsedAddress } from '../../../../src/networks/driver/driver.ts'
import { anyCharacter } from '../../../kit/random.ts'
import type { Harness } from '../harness.ts'
import { faultOfCode, faultOfDetail } from '../validity.ts'

/** Laws of a driver before it ever connects. */
export function valueLaws(harness: Pick<Harness, 'driver' | 'spellings'>): void {
  const { driver } = harness
  test('introduces itself', () => {
    assert.match(driver.network, /^[a-z][a-z0-9-]{0,31}$/)
    assert.ok(driver.title.trim() !== '' && driver.description.trim() !== '')
  })
  test('its limits are sane', () => limitsAreSane(driver))
  test('its codes are plain, and each says what happened and what to do next', () => {
    const { reasons, errors, notices = {} } = driver
    const meanings = [reasons, errors, notices].flatMap((codes) => Object.entries(codes))
    assert.ok(meanings.length > 0)
    for (const [code, { happened, next }] of meanings) {
      assert.equal(faultOfCode(code) ?? faultOfDetail(happened) ?? faultOfDetail(next), null, code)
    }
  })
  test('it carries ordinary text, and what it says of other text does not repeat it', () => {
    for (const text of ['Good morning', 'ä ☕ 👍🏽', 'two\nlines\tand a tab'])
      assert.equal(driver.textFault(text, 'text'), null)
    const detail = driver.textFault('secret\u0008secret', 'text')
    if (detail !== null) assert.ok(faultOfDetail(detail) === null && !detail.includes('secret'))
  })
  schemaLaws(driver, 'settings')
  schemaLaws(driver, 'credentials')
  addressLaws(harness)
}

function limitsAreSane(driver: Driver): void {
  const {
    text_characters,
    in_flight,
    answer_timeout_seconds,
    pacing,
    pause,
    warm_up,
    dedupes_by_id,
    ...probes
  } = driver.limits
  const { media_bytes, caption_characters } = driver.limits
  assert.ok(Number.isInteger(caption_characters) && caption_characters >= 0)
  assert.ok(Object.values(media_bytes).every((largest) => Number.isInteger(largest) && largest >= 1))
  for (const count of [text_characters, in_flight]) assert.ok(Number.isInteger(count) && count >= 1)
  assert.equal(typeof dedupes_by_id, 'boolean')
  assert.ok(answer_timeout_seconds > 0 && answer_timeout_seconds <= 300, 'nothing waits for ever')
  if (pacing) assert.ok(pacing.messages > 0 && pacing.seconds > 0)
  assert.ok(!pacing || !pause, 'it has one pace by default')
  if (pause) assert.ok(pause.min_seconds >= 0 && pause.max_seconds >= pause.min_seconds)
  assert.deepEqual(
    warm_up,
    warm_up.toSorted((a, b) => a.until_hours - b.until_hours),
  )
  assert.ok(warm_up.every(({ until_hours, factor }) => until_hours > 0 && factor >= 1))
  assert.ok(probes.probe_after_seconds > 0 && probes.probe_timeout_seconds > 0)
  assert.ok(probes.probe_after_seconds <= 300, 'a dead socket is noticed within five minutes')
}

function schemaLaws(driver: Driver, which: 'settings' | 'credentials'): void {
  const schema: TObject & { additionalProperties?: unknown; examples?: unknown } = driver[which]
  test(`its ${which} refuse unknown fields at every depth`, () => {
    assert.equal(schema.type, 'object')
    assert.deepEqual(openObjects(schema, which), [])
  })
  test(`its ${which} come with examples that are valid`, () => {
    const validator = Compile(schema)
    assert.ok(Array.isArray(schema.examples) && schema.examples.length > 0, 'the schema has examples')
    for (const example of schema.examples) {
      assert.ok(validator.Check(example), `${JSON.stringify(example)} is not valid`)
      if (which === 'settings') {
        for (const read of credentialsOf(driver))
          assert.notEqual(typeof driver.removal?.isNeeded(example as Settings, { read }), 'object')
        const account = driver.accountIn(example as Settings)
        assert.notEqual(account, '')
      }
      const unknown = { ...(example as object), no_driver_has_this_field: 1 }
      assert.ok(!validator.Check(unknown), 'an unknown field is refused')
    }
  })
}

/** Every example of credentials. */
function credentialsOf({ credentials }: Driver): (() => SealedCredentials)[] {
  const { examples = [] } = credentials as { examples?: readonly SealedCredentials[] }
  return examples.map((example) => () => example)
}

/** Finds the places at which a schema accepts unknown fields of an object. */
function openObjects(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, additionalProperties, patternProperties } = schema as Record<string, unknown>
  const closed = additionalProperties === false || patternProperties !== undefined
  const open = type === 'object' && !closed ? [path] : []
  const inner = Object.entries(schema)
    .filter(([key]) => key !== 'examples' && key !== 'default')
    .flatMap(([key, value]) => openObjects(value, `${path}/${key}`))
  return [...open, ...inner]
}

function addressLaws({ driver, spellings }: Pick<Harness, 'driver' | 'spellings'>): void {
  test('one recipient has one spelling', () => {
    for (const { written, address } of spellings) {
      assert.deepEqual(driver.parseAddress(written), { ok: true, address })
    }
    assert.ok(spellings.some(({ written, address }) => written !== address))
  })
  test('addresses of any content are parsed without throwing, and stay what they became', () => {
    const written = fc.constantFrom(...spellings.map((spelling) => spelling.written))
    const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes))
    const changed = fc
      .tuple(written, fc.nat(60), fc.string({ unit: anyCharacter, maxLength: 3 }))
      .map(([text, at, added]) => text.slice(0, at) + added + text.slice(at))
    const anything = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), units, changed)
    fc.assert(
      fc.property(anything, (input) => staysWhatItBecame(driver, input)),
      { numRuns: 2000 },
    )
  })
  test('garbage is not an address', () => {
    const refused = (input: string) => !checked(driver.parseAddress(input)).ok
    for (const input of [
      '',
      ' ',
      '   ',
      '\t',
      '\n',
      '\0',
      '@',
      '.',
      'a'.repeat(10_000),
      '😀'.repeat(10_000),
    ]) {
      assert.ok(refused(input), `${JSON.stringify(input.slice(0, 20))} is refused`)
    }
    const emoji = fc.constantFrom('😀', '👨‍👩‍👧', '🏳️‍🌈', '🇧🇷', '\u200d', '✍🏽')
    const soup = fc.array(emoji, { minLength: 1, maxLength: 20 }).map((parts) => parts.join(''))
    fc.assert(fc.property(soup, refused))
  })
  test('an address with a control character in it, or of endless length, is not one', () => {
    const control = fc.constantFrom('\0', '\u0001', '\b', '\t', '\n', '\r', '\u001b', '\u007f')
    const place = fc.tuple(fc.constantFrom(...spellings), control, fc.nat(60))
    const refused = (input: string) => !checked(driver.parseAddress(input)).ok
    fc.assert(
      fc.property(place, ([{ written }, added, at]) =>
        refused(written.slice(0, at) + added + written.slice(at)),
      ),
    )
    for (const { written } of spellings) {
      const first = written.slice(0, 1)
      assert.ok(refused(first.repeat(10_000) + written), 'an address of 10,000 characters is refused')
    }
  })
}

/** The law of normalisation: an address that was accepted is accepted again, unchanged. */
function staysWhatItBecame(driver: Driver, input: string): void {
  const parsed = checked(driver.parseAddress(input))
  if (parsed.ok) assert.deepEqual(driver.parseAddress(parsed.address), parsed)
}

function checked(parsed: ParsedAddress): ParsedAddress {
  const said = parsed.ok ? parsed.address : parsed.detail
  assert.ok(typeof said === 'string' && said !== '', 'a parsed address has an address or a detail')
  return parsed
}
