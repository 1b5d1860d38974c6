import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CallbackRequest } from '../../../src/networks/callbacks.ts'
import type { Credentials, Driver, Settings } from '../../../src/networks/driver.ts'

/** What holds for the callbacks of a driver before it ever connects. */
export function callbackLaws(driver: Driver): void {
  const { callbacks, abilities } = driver
  test('it has callbacks if its abilities say so', () => {
    assert.equal(callbacks !== undefined, abilities.callbacks)
  })
  if (!callbacks) return
  test('it accepts callbacks of a limited size, and reads headers by their names in lower case', () => {
    assert.ok(Number.isInteger(callbacks.mostBytes) && callbacks.mostBytes >= 1)
    assert.ok(callbacks.mostBytes <= 4 * 1024 * 1024, 'the memory for bodies that come in is limited')
    assert.deepEqual(
      callbacks.headers,
      callbacks.headers.map((name) => name.toLowerCase()),
    )
  })
  test('it keeps no callback that nobody signed, and throws at none', () => {
    const examples = (which: 'settings' | 'credentials') =>
      (driver[which] as { examples?: readonly (Settings | Credentials)[] }).examples ?? [{}]
    const text = fc.string({ unit: 'binary' })
    const request: fc.Arbitrary<CallbackRequest> = fc.record({
      method: fc.constantFrom('GET', 'POST'),
      query: fc.dictionary(text, text),
      headers: fc.dictionary(fc.constantFrom(...callbacks.headers), fc.oneof(text, signature)),
      rawBody: fc.oneof(fc.uint8Array(), fc.json().map(Buffer.from)).map((bytes) => Buffer.from(bytes)),
    })
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

/** Of the form that signatures have. */
const signature = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `sha256=${Buffer.from(bytes).toString('hex')}`)
