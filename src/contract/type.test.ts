import assert from 'node:assert/strict'
import { test } from 'node:test'
import TypeBox from 'typebox'
import Type from './type.ts'

/** Builds one schema of every kind. */
function schemaOf(builders: typeof Type) {
  const text = builders.String({ maxLength: 5, description: 'a text' })
  return builders.Object(
    {
      text,
      may: builders.Optional(text),
      again: { ...builders.Optional(text), description: 'with other options, and so no longer optional' },
      list: builders.Array(builders.Integer({ minimum: 1 }), { maxItems: 2 }),
      is: builders.Boolean(),
      word: builders.Enum(['one', 'two'], { default: 'one' }),
      always: builders.Literal('yes', { title: 'Yes' }),
      seven: builders.Literal(7),
      either: builders.Optional(builders.Union([builders.Number(), builders.Null()], { title: 'Either' })),
      other: builders.Unsafe<string>({ type: 'string', enum: ['a'] }),
      none: builders.Object({}),
    },
    { additionalProperties: false, title: 'All' },
  )
}

test('the builders of the contract make what those of TypeBox make', () => {
  const ours = schemaOf(Type)
  const theirs = schemaOf(TypeBox)
  assert.equal(JSON.stringify(ours), JSON.stringify(theirs))
  assert.deepEqual(ours.required, ['text', 'again', 'list', 'is', 'word', 'always', 'seven', 'other', 'none'])
})
