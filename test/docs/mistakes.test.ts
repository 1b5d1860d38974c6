import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { create } from '../kit/play.ts'
import { freshFolder, startPosthorn } from '../kit/posthorn.ts'
import { callingMistakes } from './mistakes/calling.ts'
import type { Stage } from './mistakes/mistake.ts'
import { sendingMistakes } from './mistakes/sending.ts'
import { startingMistakes } from './mistakes/starting.ts'
import { typingMistakes } from './mistakes/typing.ts'

/* Mistakes of newcomers, each made for real: the answer must name what happened, and say what to do next. */

const mistakes = { startingMistakes, callingMistakes, sendingMistakes, typingMistakes }
let stage: Stage

before(async () => {
  stage = { posthorn: await startPosthorn(), folder: freshFolder() }
  await create(stage.posthorn.admin, 'trial')
})

after(async () => {
  await stage.posthorn.stop()
  rmSync(stage.folder, { recursive: true, force: true })
})

test('there are 45 mistakes or more, and no two are the same', () => {
  const all = Object.values(mistakes).flat()
  assert.ok(all.length >= 45, `${all.length}`)
  assert.equal(new Set(all.map(({ does }) => does)).size, all.length)
})

describe('a newcomer', { concurrency: 4 }, () => {
  for (const [when, rows] of Object.entries(mistakes))
    describe(when, () => {
      for (const { does, act, happened, next } of rows)
        test(does, async () => {
          const told = await act(stage)
          assert.match(told, happened, `it does not say what happened: ${told}`)
          assert.match(told, next, `it does not say what to do: ${told}`)
          assert.doesNotMatch(told, /\n {4}at |\[object /, `it is not for people: ${told}`)
        })
    })
})
