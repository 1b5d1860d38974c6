import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TranscriptLine } from '../../src/networks/sandbox/far-end.ts'
import { check } from './check.ts'

const said = ['ana 1', 'ana 2', 'ana 3'].map((text) => ({ text, networkMessageId: `id ${text}` }))

const line = (text: string, epoch = 1, id = `id ${text}`): TranscriptLine => ({
  ...{ id, to: 'ana@accepts.sandbox', text, at: 0, instance: 'shop', epoch, repeat: false },
})

const well = { lost: [], doubled: [], renamed: [], overtaking: [], outdated: [] }

test('a story in which nothing is wrong, with a repetition and a take-over', () => {
  assert.deepEqual(check(said, [line('ana 1'), line('ana 2'), line('ana 2', 2), line('ana 3', 2)]), well)
})

const wrong: readonly [what: string, TranscriptLine[], Partial<ReturnType<typeof check>>][] = [
  ['a text that never arrived', [line('ana 1'), line('ana 2')], { lost: ['ana 3'] }],
  [
    'a text under two ids',
    [line('ana 1'), line('ana 2'), line('ana 2', 1, 'other'), line('ana 3')],
    { doubled: ['ana 2'] },
  ],
  [
    'a text under another id than was said',
    [line('ana 1', 1, 'other'), line('ana 2'), line('ana 3')],
    { renamed: ['ana 1'] },
  ],
  ['a text before an earlier one', [line('ana 2'), line('ana 1'), line('ana 3')], { overtaking: ['ana 1'] }],
  [
    'a text of a node that had lost the instance',
    [line('ana 1'), line('ana 2', 2), line('ana 3', 1)],
    { outdated: ['shop: ana 3 in epoch 1'] },
  ],
]
for (const [what, arrived, found] of wrong)
  test(`${what} is found`, () => assert.deepEqual(check(said, arrived), { ...well, ...found }))
