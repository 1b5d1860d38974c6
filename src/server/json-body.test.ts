import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../contract/problem.ts'
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

  test('is refused where one of its names stands twice, however it is written', () => {
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

  test('is nothing where there are no bytes', () => {
    assert.equal(parse(''), undefined)
  })

  test('of the largest size takes milliseconds, whatever is in it', () => {
    const size = 256 * 1024
    const slow = [
      `"${'\\\\'.repeat(size / 2 - 1)}"`,
      `"${'\\"'.repeat(size / 2 - 1)}"`,
      `[${'"",'.repeat(size / 3 - 1)}""]`,
      `{${Array.from({ length: 20_000 }, (_, index) => `"${index}":{}`).join(',')}}`,
      `["\\u0000",${'"",'.repeat(size / 3 - 10)}""]`,
    ]
    for (const text of slow) {
      const begun = performance.now()
      try {
        parse(text)
      } catch (error) {
        assert.ok(error instanceof Problem)
      }
      assert.ok(performance.now() - begun < 500, text.slice(0, 20))
    }
  })
})
