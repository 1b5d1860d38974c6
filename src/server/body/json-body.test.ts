import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../contract/problem.ts'
import { parseJsonBody } from './json-body.ts'

const parse = (text: string) => parseJsonBody(Buffer.from(text))
const isMalformed = (error: unknown) => error instanceof Problem && error.code === 'malformed_body'

describe('a JSON body', () => {
  test('is what it says, whatever stands in its texts', () => {
    const trickyText = fc.string({
      unit: fc.constantFrom('"', '\\', ':', '{', '}', ',', ' ', '\n', 'a', 'é', '😀'),
    })
    const values = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, trickyText, fc.integer(), fc.boolean(), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 5 }),
      object: fc.dictionary(trickyText, tie('value'), { maxKeys: 5 }),
    })).value
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        assert.deepEqual(parse(JSON.stringify(value, null, space)), JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('is refused if one of its names stands twice, however it is written', () => {
    const name = fc.string({ unit: fc.constantFrom('"', '\\', ':', 'a', '\n') })
    const written = (text: string, escaped: boolean) =>
      escaped
        ? `"${[...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
        : JSON.stringify(text)
    fc.assert(
      fc.property(name, fc.boolean(), fc.boolean(), fc.nat(3), (text, left, right, depth) => {
        const twice = `{${written(text, left)}:"a:b" , ${written(text, right)} : 2}`
        assert.throws(() => parse('['.repeat(depth) + twice + ']'.repeat(depth)), isMalformed)
      }),
    )
  })

  test('may repeat a name in different objects', () => {
    assert.deepEqual(parse('{"a":{"a":[{"a":1},{"a":2}]}}'), { a: { a: [{ a: 1 }, { a: 2 }] } })
  })

  test('may be 64 deep and no deeper', () => {
    const deep = (count: number) => '['.repeat(count) + ']'.repeat(count)
    assert.ok(parse(deep(65)))
    assert.throws(() => parse(deep(66)), isMalformed)
  })

  test('is nothing if there are no bytes', () => {
    assert.equal(parse(''), undefined)
  })

  describe('that is none', () => {
    const secret = 'hunter2'
    const cases: Readonly<Record<string, readonly [line: number, column: number, what: RegExp]>> = {
      '{"text":"hunter2",}': [1, 19, /a name in double quotes is expected, and no comma before `}`/],
      '{"text" "hunter2"}': [1, 9, /a colon is expected/],
      "{'text':'hunter2'}": [1, 2, /names and strings must be in double quotes/],
      '{"text":hunter2}': [1, 9, /not a JSON value/],
      '{\n  "text": "hunter2"\n  "to": 1}': [3, 3, /a comma is expected/],
      '{"a":"😀é", "text": "hunter2" "to": 1}': [1, 30, /a comma is expected/],
      '{"text":"hunter2': [1, 9, /no closing quote/],
      '{"text":"hunter2"': [1, 18, /a comma or `}` is expected/],
      '{"text":"hunter2"}{}': [1, 19, /must end here/],
      '{"text":"hunter2\nhunter2"}': [1, 9, /write a line break in a string/],
      '{/* hunter2 */}': [1, 2, /no comments/],
      '{"text":"hunter2\\x"}': [1, 9, /no such escape/],
      '{"text":"hunter2\\u12G4"}': [1, 9, /four hexadecimal digits/],
      '{"text":"hunter2\u0001"}': [1, 9, /as an escape, such as/],
      '{"a":[1,2': [1, 10, /a comma or `]` is expected/],
    }
    for (const [text, [line, column, what]] of Object.entries(cases)) {
      test(`is told where, and what belongs there: ${JSON.stringify(text)}`, () => {
        assert.throws(
          () => parse(text),
          (error: Problem) => {
            assert.ok(
              error.message.startsWith(`The body is not valid JSON at line ${line}, column ${column}: `),
              error.message,
            )
            assert.match(error.message, what)
            assert.ok(!error.message.includes(secret))
            return isMalformed(error)
          },
        )
      })
    }

    test('is told of as well where it is damaged anywhere', () => {
      const whole = JSON.stringify({ a: [1, { b: 'text', c: null }], d: true, e: -1.5e3 })
      fc.assert(
        fc.property(
          fc.nat(whole.length),
          fc.constantFrom('', '"', ',', 'x', '}', ']', '\\', '\u0000'),
          (at, put) => {
            const text = whole.slice(0, at) + put + whole.slice(at + 1)
            try {
              JSON.parse(text)
            } catch {
              assert.throws(() => parse(text), /^Problem: The body is not valid JSON at line 1, column \d+: /)
            }
          },
        ),
      )
    })
  })

  test('of the largest size takes milliseconds, whatever is in it', () => {
    const size = 256 * 1024
    const slow = [
      `"${'\\\\'.repeat(size / 2 - 1)}"`,
      `"${'\\"'.repeat(size / 2 - 1)}"`,
      `[${'"",'.repeat(size / 3 - 1)}""]`,
      `{${Array.from({ length: 20_000 }, (_, index) => `"${index}":{}`).join(',')}}`,
      `["\\u0000",${'"",'.repeat(size / 3 - 10)}""]`,
      `[${'"",'.repeat(size / 3 - 1)}`,
      '['.repeat(size),
      `${'\n'.repeat(size - 1)}{`,
    ]
    for (const text of slow) {
      const before = process.threadCpuUsage()
      try {
        parse(text)
      } catch (error) {
        assert.ok(error instanceof Problem)
      }
      const { user, system } = process.threadCpuUsage(before)
      assert.ok(user + system < 500_000, text.slice(0, 20))
    }
  })
})
