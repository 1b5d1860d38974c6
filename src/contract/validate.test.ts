import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import Type from 'typebox'
import { record } from './scalars.ts'
import { validator } from './validate.ts'

const Inner = record('Inner', { depth: Type.Integer({ minimum: 0, maximum: 10 }) })
const schema = record('Outer', {
  name: Type.String({ pattern: '^[a-z]+$', maxLength: 5 }),
  kind: Type.Optional(Type.String({ enum: ['a', 'b'] })),
  inner: Type.Optional(Inner),
  either: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
const validate = validator(schema)
const pointersOf = (value: unknown, check = validate) =>
  check(value).map(({ pointer, code }) => `${pointer} ${code}`)

describe('validation', () => {
  test('says nothing about what fits', () => {
    assert.deepEqual(validate({ name: 'abc', kind: 'a', inner: { depth: 3 }, either: null }), [])
  })

  const wrong: readonly (readonly [value: unknown, faults: readonly string[]])[] = [
    [{}, ['/name missing']],
    [{ name: 'ABC' }, ['/name wrong_form']],
    [{ name: 1 }, ['/name wrong_type']],
    [{ name: 'a', kind: 'c' }, ['/kind not_allowed']],
    [{ name: 'a', inner: { depth: 11 } }, ['/inner/depth out_of_range']],
    [{ name: 'a', inner: { depth: 1.5 } }, ['/inner/depth wrong_type']],
    [{ name: 'a', inner: {} }, ['/inner/depth missing']],
    [{ name: 'a', inner: { depth: 1, 'x/y~z': 1 } }, ['/inner/x~1y~0z unknown_field']],
    [{ name: 'a', either: 1 }, ['/either wrong_type']],
    [[], [' wrong_type']],
    [null, [' wrong_type']],
  ]
  for (const [value, faults] of wrong) {
    test(`${JSON.stringify(value)}: ${faults.join(', ')}`, () => assert.deepEqual(pointersOf(value), faults))
  }

  test('names several faults at once, each place once', () => {
    const faults = pointersOf({ name: 'TOO LONG', kind: 1, inner: { depth: -1 }, x: 1 })
    const places = faults.map((fault) => fault.split(' ')[0])
    assert.deepEqual([...places].sort(), ['/inner/depth', '/kind', '/name', '/x'])
  })

  test('puts its prefix before every pointer', () => {
    assert.deepEqual(pointersOf({ x: 1 }, validator(schema, 'query')).sort(), [
      'query/name missing',
      'query/x unknown_field',
    ])
  })

  test('never passes what has unknown fields, however many they are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (count) => {
        const unknown = Object.fromEntries(Array.from({ length: count }, (_, index) => [`u${index}`, 1]))
        assert.ok(validate({ name: 'a', ...unknown }).length > 0)
        assert.ok(validate({ name: 'a', inner: { depth: 1, ...unknown } }).length > 0)
      }),
    )
  })

  test('names a fault for every value that does not fit', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (inner, extra) => {
        for (const value of [inner, { name: 'a', inner }, { name: 'a', either: inner, extra }]) {
          for (const { pointer, code, detail } of validate(value)) {
            assert.ok(pointer.length <= 200 && pointer.isWellFormed() && code && detail)
          }
        }
        assert.ok(validate({ name: 'a', extra }).length > 0)
      }),
    )
  })

  test('cuts a long name, and not into half a character', () => {
    const name = `${'a'.repeat(198)}😀`
    assert.equal(validate({ name: 'a', [name]: 1 })[0]?.pointer, `/${'a'.repeat(198)}\ufffd`)
  })
})
