import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { momentOf } from '../runtime/clock.ts'
import { Cursor, callerMoment, InstanceName, Metadata, record } from './scalars.ts'
import Type from './type.ts'
import { fieldsThatFit, validator } from './validate.ts'

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

  const fields = record('Fields', {
    name: Type.Optional(InstanceName),
    cursor: Type.Optional(Cursor),
    at: Type.Optional(callerMoment('')),
    url: Type.Optional(Type.String({ format: 'uri' })),
    code: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', examples: ['EUR'] })),
    secret: Type.Optional(Type.String({ pattern: '^x' })),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    word: Type.Optional(Type.String({ enum: ['one', 'two'] })),
    always: Type.Optional(Type.Literal('yes')),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    flag: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(Metadata),
    names: Type.Optional(Type.Array(InstanceName, { minItems: 1, maxItems: 2, uniqueItems: true })),
  })
  const details: readonly (readonly [value: object, detail: string])[] = [
    [
      { name: 'A' },
      'The value must be 1 to 63 characters: lower-case letters, digits, `-` and `_`, starting with a letter or digit, such as `support`.',
    ],
    [{ cursor: '!' }, 'The value must be the `next_cursor` of a page.'],
    [
      { at: 'tomorrow' },
      'The value must be an RFC 3339 time with its offset from UTC, such as `2026-11-20T09:30:00Z`.',
    ],
    [{ url: 'x' }, 'The value must be a URL.'],
    [{ code: 'x' }, 'The value must have the documented form, such as `EUR`.'],
    [{ secret: 'y' }, 'The value must have the documented form.'],
    [{ text: '' }, 'The text must have at least 1 character.'],
    [{ text: 'x'.repeat(4097) }, 'The text may have at most 4096 characters.'],
    [{ text: 1 }, 'The value must be a string.'],
    [{ word: 'three' }, 'The value must be one of `one`, `two`.'],
    [{ always: 'no' }, 'The value must be `yes`.'],
    [{ limit: 0 }, 'The number must be at least 1.'],
    [{ limit: 201 }, 'The number may be at most 200.'],
    [{ limit: 'x' }, 'The value must be a whole number.'],
    [{ flag: 1 }, 'The value must be `true` or `false`.'],
    [{ metadata: [] }, 'The value must be an object.'],
    [
      { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`${index}`, ''])) },
      'There may be at most 20 entries.',
    ],
    [{ names: [] }, 'The list must have at least 1 entry.'],
    [{ names: ['a', 'b', 'c'] }, 'The list may have at most 2 entries.'],
    [{ names: ['a', 'a'] }, 'The list may not contain an entry twice.'],
    [{ names: 'a' }, 'The value must be an array.'],
  ]
  for (const [value, detail] of details) {
    test(`tells what is wanted in place of ${JSON.stringify(value).slice(0, 40)}`, () => {
      assert.deepEqual(
        validator(fields)(value).map((fault) => fault.detail),
        [detail],
      )
    })
  }

  test('takes no time for one that is no moment', () => {
    const two = (most: number) =>
      fc.integer({ min: 0, max: most }).map((number) => `${number}`.padStart(2, '0'))
    const parts = [two(13), two(32), two(25), two(60), two(61)] as const
    const offset = fc.constantFrom('Z', 'z', '.5Z', '+00:00', '-23:59', '+24:00', '')
    const when = validator(record('When', { at: callerMoment('When.') }))
    let taken = 0
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 9_999 }),
        ...parts,
        offset,
        (year, month, day, hour, ...rest) => {
          const [minute, second, from] = rest
          const written = `${year}-${month}-${day}T${hour}:${minute}:${second}${from}`
          if (when({ at: written }).length > 0) return
          taken++
          assert.ok(!Number.isNaN(momentOf(written)), written)
        },
      ),
      { numRuns: 1_000, examples: [[2016, '12', '31', '23', '59', '60', 'Z']] },
    )
    assert.ok(taken > 300, `only ${taken} were times`)
  })

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

  test('tells only what is wrong with the branch of a union that was meant', () => {
    const words = Type.Array(Type.String({ maxLength: 3 }), { maxItems: 2 })
    const either = validator(
      record('Either', {
        words: Type.Optional(Type.Union([words, Type.Null()])),
        inner: Type.Optional(Type.Union([Inner, Type.Null()])),
        lists: Type.Optional(Type.Array(Type.Union([words, Type.Null()]))),
        named: Type.Optional(
          Type.Unsafe<object>({ type: 'object', additionalProperties: Type.Union([Inner, Type.Null()]) }),
        ),
        deep: Type.Optional(Type.Union([Type.Union([words, Type.Integer()]), Type.Null()])),
        anyOf: Type.Optional(Type.Union([Type.Integer({ maximum: 1 }), Type.Null()])),
        forms: Type.Optional(
          Type.Union([record('A', { a: Type.String() }), record('B', { b: Type.String() })]),
        ),
      }),
    )
    const faults = (value: object) => pointersOf(value, either)
    assert.deepEqual(faults({ words: ['long'] }), ['/words/0 too_long'])
    assert.deepEqual(faults({ words: ['a', 'b', 'long'] }).sort(), ['/words too_many', '/words/2 too_long'])
    assert.deepEqual(faults({ words: 3 }), ['/words wrong_type'])
    assert.deepEqual(faults({ inner: { depth: 11 } }), ['/inner/depth out_of_range'])
    assert.deepEqual(faults({ inner: {} }), ['/inner/depth missing'])
    assert.deepEqual(faults({ inner: { depth: 1, x: 1 } }), ['/inner/x unknown_field'])
    assert.deepEqual(faults({ lists: [['a'], null, ['long'], 7] }).sort(), [
      '/lists/2/0 too_long',
      '/lists/3 wrong_type',
    ])
    assert.deepEqual(faults({ named: { 'a/b': { depth: -1 }, c: null } }), ['/named/a~1b/depth out_of_range'])
    assert.deepEqual(faults({ deep: ['long'] }), ['/deep/0 too_long'])
    assert.deepEqual(faults({ anyOf: 2 }), ['/anyOf out_of_range'])
    // Both could be meant, so both are told.
    assert.deepEqual(faults({ forms: {} }).sort(), [
      '/forms not_allowed',
      '/forms/a missing',
      '/forms/b missing',
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

describe('the fields that fit on their own', () => {
  const fitting = fieldsThatFit(schema)

  test('are picked whatever is wrong with the others, and unknown ones are not', () => {
    assert.deepEqual(fitting({ name: 'abc', kind: 'c', inner: { depth: 11 }, either: null, x: 1 }), {
      name: 'abc',
      either: null,
    })
  })

  test('are none where there is no object', () => {
    for (const value of [undefined, null, 1, 'text', []]) assert.deepEqual(fitting(value), {})
  })
})
