import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { operations } from '../../src/contract/operations.ts'
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
