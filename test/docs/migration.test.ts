import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { evolutionGateway } from '../../src/cli/migration/evolution.ts'
import { wahaGateway } from '../../src/cli/migration/waha.ts'
import { operations } from '../../src/contract/operations.ts'
import { eventTypes } from '../../src/contract/resources/event.ts'
import { validator } from '../../src/contract/validate.ts'
import { inOtherGateway, otherGateways } from '../../src/server/paths/other-gateways.ts'

/** A request as a guide shows it. */
interface Shown {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

const callsIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, call]) => call ?? '')

/** The rows of the table below a heading, as pairs of a call there and one here. */
function tableOf(guide: string): [there: string, here: string][] {
  const table = guide.split('## Calls\n')[1]?.split('\n## ')[0] ?? ''
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  return rows.flatMap((row) => {
    const [, there = '', here = ''] = row.split('|')
    return callsIn(there).map(
      (call) => [call.replaceAll(/\{\w+\}/g, '{}'), callsIn(here)[0] ?? ''] as [string, string],
    )
  })
}

function requestsIn(guide: string): Shown[] {
  return [...guide.matchAll(/```http\n(\w+) (\S+)\n([^`]*)```/g)].map(
    ([, method = '', path = '', body = '']) => ({
      ...{ method, path: path.split('?')[0] ?? '' },
      body: body.trim() === '' ? undefined : JSON.parse(body),
    }),
  )
}

/** Our events for each of theirs, as the table of a guide says. */
function eventsIn(guide: string, theirs: readonly string[]): Record<string, string[]> {
  const table = guide.split('## Events\n')[1]?.split('\n## ')[0] ?? ''
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  const found = new Map<string, string[]>()
  for (const row of rows) {
    const [, there = '', here = ''] = row.split('|')
    const ours = callsIn(here).filter((word) => eventTypes.some((type) => type === word))
    for (const event of callsIn(there).filter((word) => theirs.includes(word)))
      found.set(event, [...(found.get(event) ?? []), ...ours])
  }
  return Object.fromEntries([...found].map(([event, ours]) => [event, ours.toSorted()]))
}

for (const { name, guide: file, events } of [evolutionGateway, wahaGateway])
  test(`posthorn migrate gives webhooks of ${name} the events that its guide says`, () => {
    const guide = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    const carried = Object.entries(events).map(([event, ours]) => [event, ours.toSorted()])
    assert.deepEqual(eventsIn(guide, Object.keys(events)), Object.fromEntries(carried))
  })

for (const { name, guide: file, calls } of otherGateways)
  describe(`the guide for those who come from ${name}`, () => {
    const guide = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

    test('names each call that the server recognizes, and no other', (t) => {
      const known = Object.entries(calls).map(([there, { method, path }]) => [there, `${method} ${path}`])
      assert.deepEqual(tableOf(guide).toSorted(), known.toSorted())
      t.diagnostic(`${known.length} calls of ${name} have a counterpart`)
    })

    test('shows requests that the contract takes, and those of the other gateway that they replace', () => {
      const shown = requestsIn(guide)
      assert.ok(shown.length > 6)
      for (const { method, path, body } of shown) {
        const ours = operations.find((one) => one.method === method && one.path === path)
        if (ours)
          assert.deepEqual(ours.body ? validator(ours.body)(body) : body, ours.body ? [] : undefined, path)
        else assert.ok(inOtherGateway(method, path), `${method} ${path}`)
      }
    })
  })
