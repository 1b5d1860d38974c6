import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Story } from './story.ts'
import { percentile, silencesOf } from './times.ts'

/** Texts of one instance, each acknowledged and arrived at these times, of which a fault hit the node from 10,000 to 12,000. */
function story(kind: string, times: readonly (readonly [number, number])[], hit = ['shop']): Story {
  const texts = times.map(([told, at], index) => ({ told, at, text: `shop ana ${index}`, id: `${index}` }))
  return {
    ...{ fates: [], delivered: [], ends: [], complaints: [], forgetful: new Set<string>() },
    acknowledged: texts.map(({ text, id, told }) => ({
      ...{ text, id, networkMessageId: id, instance: 'shop', at: told },
    })),
    arrived: texts.map(({ text, id, at }) => ({ id, text, instance: 'shop', at })),
    faults: [{ kind, node: 'one', from: 10_000, until: 12_000, hit }],
  }
}

const lease = 3_000

const cases: readonly [string, readonly (readonly [number, number])[], number[] | undefined][] = [
  [
    'is silent from the fault until another node sends what waited',
    [
      [8_990, 9_000],
      [9_800, 14_200],
      [14_290, 14_300],
    ],
    [4_200],
  ],
  [
    'is silent only while a text waits',
    [
      [8_990, 9_000],
      [13_000, 14_200],
      [19_990, 20_000],
    ],
    [1_200],
  ],
  [
    'goes on sending while it is handed over, and may be silent later',
    [
      [9_890, 9_900],
      [10_390, 10_400],
      [10_450, 11_000],
      [10_990, 11_100],
    ],
    [550],
  ],
  [
    'is not silent while it sends other texts than the one that waits',
    [
      [9_000, 9_000],
      [9_500, 10_100],
      [10_050, 10_150],
      [9_900, 10_300],
    ],
    [150],
  ],
  [
    'is not blamed for a silence that begins long after the fault',
    [
      [9_000, 9_000],
      [10_000, 10_100],
      [15_490, 15_500],
      [15_600, 40_000],
    ],
    [100],
  ],
  ['may never have sent anything', [], undefined],
]

for (const [what, times, silences] of cases)
  test(`an instance whose node suffered a fault ${what}`, () =>
    assert.deepEqual(silencesOf(story('kill', times), lease).get('kill'), silences))

test('an instance that lived on another node was not silenced', () => {
  const times = [
    [9_000, 9_000],
    [9_500, 15_000],
  ] as const
  assert.deepEqual([...silencesOf(story('kill', times, []), lease)], [])
})

test('percentiles', () => {
  const values = [5, 1, 4, 2, 3]
  assert.deepEqual([percentile(values, 0.5), percentile(values, 0.99), percentile([], 0.5)], [3, 5, 0])
})

test('a node whose clock was set tells wrong times', () => {
  assert.deepEqual(
    [
      ...silencesOf(
        story('clock', [
          [9_000, 9_000],
          [9_500, 42_000],
        ]),
        lease,
      ),
    ],
    [],
  )
})

test('a silence that lasts into the next fault of the node is blamed on that one', () => {
  const { faults, ...told } = story('stop', [
    [8_990, 9_000],
    [10_390, 10_400],
    [12_890, 12_900],
    [13_000, 18_000],
  ])
  const next = { kind: 'kill', node: 'two', from: 13_500, until: 14_000, hit: ['shop'] }
  const silences = silencesOf({ ...told, faults: [...faults, next] }, lease)
  assert.deepEqual(
    [...silences],
    [
      ['stop', [10]],
      ['kill', [4_500]],
    ],
  )
})
