import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Story } from './story.ts'
import { percentile, silencesOf } from './times.ts'

/** Arrivals of one instance at these times, of which a fault hit the node. */
function story(kind: string, times: readonly number[], hit: readonly string[] = ['shop']): Story {
  return {
    ...{ acknowledged: [], fates: [], delivered: [], ends: [], complaints: [], forgetful: new Set<string>() },
    arrived: times.map((at) => ({ id: `${at}`, text: `shop ana ${at}`, instance: 'shop', at })),
    faults: [{ kind, node: 'one', from: 10_000, until: 12_000, hit }],
  }
}

const lease = 3_000

test('an instance whose node was killed is silent until another one sends what it has', () => {
  const times = [9_000, 9_900, 10_005, 14_200, 14_300, 15_000]
  assert.deepEqual([...silencesOf(story('kill', times), lease)], [['kill', [4_200]]])
})

test('an instance that was handed over is silent for as long as that takes', () => {
  const times = [9_000, 9_900, 10_400, 11_000, 11_700, 12_100]
  assert.deepEqual([...silencesOf(story('drain', times), lease)], [['drain', [700]]])
})

test('a silence before the fault, and one that begins long after it, are none of it', () => {
  const times = [1_000, 9_000, 10_100, 10_300, 15_000, 15_500, 40_000]
  assert.deepEqual([...silencesOf(story('kill', times), lease)], [['kill', [5_000]]])
})

test('an instance that lived on another node, or never sent, was not silenced', () => {
  assert.deepEqual([...silencesOf(story('kill', [9_000, 15_000], []), lease)], [])
  assert.deepEqual([...silencesOf(story('kill', [], ['shop']), lease)], [])
})

test('percentiles', () => {
  const values = [5, 1, 4, 2, 3]
  assert.deepEqual([percentile(values, 0.5), percentile(values, 0.99), percentile([], 0.5)], [3, 5, 0])
})
