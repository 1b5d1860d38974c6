import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type CallbackRequest,
  longestClaim,
  type SharedCallbacks,
  UnreadableCallback,
} from '../../../../src/networks/driver/abilities/callbacks.ts'
import type { SealedCredentials, Settings } from '../../../../src/networks/driver/account.ts'
import type { Driver } from '../../../../src/networks/driver/driver.ts'
import { anyCharacter } from '../../../kit/random.ts'

/** Laws of the callbacks of a driver before it ever connects. */
export function callbackLaws(driver: Driver): void {
  const { callbacks } = driver
  if (!callbacks) return
  test('it accepts callbacks of a limited size, and reads headers by their names in lower case', () => {
    assert.ok(Number.isInteger(callbacks.maxBytes) && callbacks.maxBytes >= 1)
    assert.ok(callbacks.maxBytes <= 4 * 1024 * 1024, 'the memory for bodies that come in is limited')
    assert.deepEqual(
      callbacks.headers,
      callbacks.headers.map((name) => name.toLowerCase()),
    )
  })
  if (callbacks.shared) sharedLaws(driver, callbacks.shared)
  test('it keeps no callback that nobody signed, and throws at none', () => {
    const examples = (which: 'settings' | 'credentials') =>
      (driver[which] as { examples?: readonly (Settings | SealedCredentials)[] }).examples ?? [{}]
    const request = requests(callbacks.headers)
    const given = [
      fc.constantFrom(...examples('settings')),
      fc.constantFrom(...examples('credentials')),
    ] as const
    fc.assert(
      fc.property(request, ...given, (asked, settings, credentials) => {
        const { kind } = callbacks.verify(asked, settings, credentials)
        assert.notEqual(kind, 'keep')
      }),
      { numRuns: 200 },
    )
  })
}

/** Laws of the operator's URL. */
function sharedLaws({ callbacks, credentials }: Driver, shared: SharedCallbacks): void {
  test('it keeps no callback for many accounts that nobody signed, and throws at none', () => {
    fc.assert(
      fc.property(requests(callbacks?.headers ?? []), (asked) => {
        assert.notEqual(shared.verify(asked).kind, 'keep')
      }),
      { numRuns: 200 },
    )
  })
  test('it takes every callback apart in the same way, into parts that nobody shares, or says that it is none', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const split = () => {
          try {
            return shared.split(body)
          } catch (error) {
            assert.ok(error instanceof UnreadableCallback, String(error))
            return []
          }
        }
        const parts = split()
        assert.deepEqual(split(), parts)
        const names = parts.map(({ about, name }) => `${about} ${name}`)
        assert.equal(new Set(names).size, names.length)
        for (const { name } of parts) assert.ok(name.length >= 1 && name.length <= longestClaim)
      }),
      { numRuns: 500 },
    )
  })
  test('an instance that can prove callbacks by itself is never called back there', () => {
    const { examples = [] } = credentials as { examples?: readonly SealedCredentials[] }
    assert.ok(examples.some((example) => !shared.isUsedBy(example)))
    assert.ok(shared.isUsedBy({}))
  })
}

const text = fc.string({ unit: anyCharacter })

/** Anything, and what looks somewhat like a callback. */
const bodies = fc
  .oneof(
    fc.uint8Array(),
    fc.json().map(Buffer.from),
    fc
      .array(fc.record({ id: text, changes: fc.array(fc.record({ value: fc.jsonValue() })) }))
      .map((entry) => Buffer.from(JSON.stringify({ entry }))),
  )
  .map((bytes) => Buffer.from(bytes))

function requests(headers: readonly string[]): fc.Arbitrary<CallbackRequest> {
  return fc.record({
    method: fc.constantFrom('GET', 'POST'),
    query: fc.dictionary(text, text),
    headers: fc.dictionary(fc.constantFrom(...headers), fc.oneof(text, signature)),
    rawBody: bodies,
  })
}

/** Of the form that signatures have. */
const signature = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `sha256=${Buffer.from(bytes).toString('hex')}`)
