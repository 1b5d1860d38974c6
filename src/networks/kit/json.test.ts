import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isWithin } from './json.ts'

/** The same, counted in what the text says. */
function structureOf(value: unknown): { structure: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { structure: 0, depth: 0 }
  const parts = Object.values(value)
  const inner = parts.map(structureOf)
  const separators = Math.max(0, parts.length - 1) + (Array.isArray(value) ? 0 : parts.length)
  return {
    structure: 1 + separators + inner.reduce((sum, { structure }) => sum + structure, 0),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  }
}

test('JSON is within its limits exactly if it has no more structure and no more levels, whatever its texts are', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.constantFrom('"', '\\', '\\"', '{[:,]}', 'x'.repeat(40_000))),
  )
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 2), (given, space) => {
      const exact = structureOf(given)
      const bytes = Buffer.from(JSON.stringify(given, null, space))
      assert.ok(isWithin(bytes, exact))
      if (exact.structure === 0) return
      assert.ok(!isWithin(bytes, { ...exact, structure: exact.structure - 1 }))
      assert.ok(!isWithin(bytes, { ...exact, depth: exact.depth - 1 }))
    }),
    { numRuns: 300 },
  )
})
