import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { pigeons } from '../../../test/kit/networks/pigeons.ts'
import type { NetworkDescription } from '../network-description.ts'
import { Network } from '../resources/network.ts'
import { openapi } from './openapi.ts'

function sectionOf(network: NetworkDescription): string {
  const { tags } = openapi({ version: '1.2.3', networks: [network] })
  return String(tags.find(({ name }) => name === network.title)?.description)
}

/** A network that can do what the pigeons cannot, and cannot do what they can. */
const { notices: _, restrictions: __, ...withoutNotices } = pigeons
const other: NetworkDescription = {
  ...withoutNotices,
  abilities: { ...pigeons.abilities, receipts: [], reply_window_seconds: null },
  limits: { ...pigeons.limits, dedupes_by_id: true },
}
const pausing: NetworkDescription = {
  ...pigeons,
  limits: {
    ...pigeons.limits,
    pacing: null,
    pause: { min_seconds: 1, max_seconds: 3 },
    warm_up: [
      { until_hours: 24, factor: 4 },
      { until_hours: 168, factor: 2 },
    ],
  },
}
const section = sectionOf(pigeons)
const otherSection = sectionOf(other)

describe('the networks', () => {
  test('each has a section with its settings, limits and codes', () => {
    assert.ok(section.startsWith('In requests, its name is `pigeon`.'))
    assert.ok(section.includes('| `loft` | string | yes | Where the pigeons live. |'))
    assert.ok(section.includes('| `breed` | `homer`, `tippler` | no | Which \\| pigeons. |'))
    assert.ok(section.includes('It takes no `credentials`.'))
    assert.ok(section.includes('| Pace | 4 messages in 60 s for each instance; '))
    assert.ok(section.includes('| `hawk` | `reconnecting` | A hawk came. | Posthorn sends another pigeon. |'))
    assert.ok(section.includes('| … to one recipient | 1 message in 6 s |'))
    assert.ok(section.includes('| `roof_shut` | The roof is shut. | Have it opened. |'))
    assert.ok(section.includes('| `rolled_up` | The letter was rolled up. | Flatten it. |'))
    assert.ok(section.includes('| `storm` | There is a storm. | Wait until it is over. |'))
  })

  test('the section of a network that pauses says for how long, and how much longer after an account was linked', () => {
    const section = sectionOf(pausing)
    assert.ok(section.includes('and after each a pause of 1 to 3 s at random; '))
    assert.ok(section.includes('| pauses are 4 times as long until 24 h, 2 times as long until 168 h; '))
  })

  test('each says in words what it can do, and what happens to a message after a lost acknowledgement', () => {
    for (const row of [
      '| Receipts | `delivered` |',
      '| Recipients of a first message | only people who have written to the account |',
      '| Time to reply to a conversation | freely for 24 hours after its last incoming message |',
      '| Message ids | assigned by the network when it accepts a message; until then, `network_message_id` is null |',
      '| After a lost acknowledgement | the attempt is not repeated, and the message becomes `unknown` |',
      '| What `connected` proves | A pigeon came back. |',
      '| Messages from approved templates | yes |',
    ])
      assert.ok(section.includes(row), row)
    assert.ok(otherSection.includes('| Receipts | none: `sent` is the last status |'))
    assert.ok(otherSection.includes('| Time to reply to a conversation | at any time |'))
    assert.ok(
      otherSection.includes(
        '| After a lost acknowledgement | the attempt is repeated with the same id, by which the network deduplicates; the description says if that is assumed |',
      ),
    )
    assert.ok(!otherSection.includes('## Notices') && !otherSection.includes('## Restrictions'))
  })

  test('each is there as data', () => {
    const [only] = openapi({ version: '1.2.3', networks: [pigeons] })['x-networks']
    assert.deepEqual(only?.limits, pigeons.limits)
    assert.deepEqual(only?.settings, JSON.parse(JSON.stringify(pigeons.settings)))
    const hawk = { happened: 'A hawk came.', next: 'Posthorn sends another pigeon.' }
    assert.deepEqual(only?.reasons, [{ code: 'hawk', status: 'reconnecting', ...hawk }])
    assert.deepEqual(only?.errors, [{ code: 'roof_shut', ...pigeons.errors.roof_shut }])
    assert.deepEqual(only?.notices, [{ code: 'rolled_up', ...pigeons.notices?.rolled_up }])
    assert.deepEqual(only?.restrictions, [{ code: 'storm', ...pigeons.restrictions?.storm }])
    assert.ok(Compile(Network).Check(only))
  })
})
