import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { invalid } from './problem.ts'

describe('the problem of values that do not fit', () => {
  const fault = { pointer: '/to', code: 'missing', detail: 'The value is required.' }

  test('says all of it where it is one', () => {
    assert.equal(invalid(fault).message, '`/to`: The value is required.')
    assert.equal(invalid({ ...fault, pointer: '' }).message, 'The body: The value is required.')
    assert.equal(
      invalid({ ...fault, pointer: 'query/limit' }).message,
      '`query/limit`: The value is required.',
    )
  })

  test('says all of it where they are a few, and how many there are where they are more', () => {
    const other = { ...fault, pointer: '/text' }
    const both = '`/to`: The value is required. `/text`: The value is required.'
    assert.equal(invalid(fault, other).message, both)
    const { message, errors } = invalid(fault, other, fault, other)
    assert.equal(message, `${both} \`/to\`: The value is required. \`errors\` lists all 4 invalid values.`)
    assert.equal(errors?.length, 4)
  })
})
