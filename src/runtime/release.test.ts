import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseAll } from './release.ts'

test('each step is taken in its turn, whatever became of the others, and the first error is told', async () => {
  const taken: string[] = []
  const step = (name: string, error?: string) => async () => {
    await new Promise(setImmediate)
    taken.push(name)
    if (error) throw new Error(error)
  }
  const fails = () => {
    throw new Error('at once')
  }
  await assert.rejects(
    releaseAll([step('media'), fails, step('lease', 'later'), () => taken.push('lock')]),
    /^Error: at once$/,
  )
  assert.deepEqual(taken, ['media', 'lease', 'lock'])
  await releaseAll([])
})
