import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { Template } from '../../../contract/resources/template.ts'
import { silentLog } from '../../../runtime/log.ts'
import { placePattern } from '../../driver/abilities/templates.ts'
import type { Json } from '../../kit/json.ts'
import type { GraphApi } from '../graph/graph-api.ts'
import { listTemplates } from './templates.ts'

const isTemplate = Compile(Template)

/** Returns the driver's reading of any answer. */
function made(json: Json, after: string | null = null) {
  const api = { call: async () => ({ kind: 'ok', json }) } as unknown as GraphApi
  const { signal } = new AbortController()
  return listTemplates({ api, accountId: '1', answerTime: 1, log: silentLog }, { limit: 10, after, signal })
}

test('whatever an answer has in it, only templates come of it', async () => {
  const field = fc.oneof(fc.jsonValue(), fc.string(), fc.constantFrom('APPROVED', 'constructor', '__proto__'))
  const template = fc.record(
    {
      name: field,
      language: fc.oneof(field, fc.constant('en_US')),
      status: field,
      category: field,
      rejected_reason: field,
      components: fc.oneof(field, fc.array(fc.object())),
    },
    { requiredKeys: [] },
  )
  const paging = fc.record({ next: field, cursors: fc.oneof(field, fc.record({ after: field })) })
  const answer = fc.record(
    { data: fc.oneof(field, fc.array(fc.oneof(field, template))), paging: fc.oneof(field, paging) },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(answer, async (json) => {
      const listed = await made(json as Json)
      assert.ok(listed.kind === 'listed')
      for (const one of listed.templates) assert.ok(isTemplate.Check(one), JSON.stringify(one))
      assert.ok(listed.next === null || new RegExp(placePattern).test(listed.next))
    }),
    { numRuns: 2000 },
  )
})

test('what is nested without end is left out', async () => {
  const endless = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
  const components = [
    { type: 'BODY', text: 'Hello' },
    { type: 'CAROUSEL', endless },
  ]
  const listed = await made({ data: [{ name: 'deep', language: 'de', status: 'APPROVED', components }] })
  assert.ok(listed.kind === 'listed')
  assert.deepEqual(listed.templates[0]?.components, components.slice(0, 1))
})

test('what is endless in a template is cut', async () => {
  const words = 'X'.repeat(90_000)
  const template = { name: 'long', language: 'de', status: words, category: words, rejected_reason: words }
  const components = Array.from({ length: 250_000 }, () => ({}))
  const listed = await made({ data: [{ ...template, components }] })
  assert.ok(listed.kind === 'listed' && isTemplate.Check(listed.templates[0]))
  assert.ok(JSON.stringify(listed.templates).length < 2_000)
})

test('of an answer with more than was asked for, the rest follows, and then the next page', async () => {
  const data = Array.from({ length: 25 }, (_, index) => ({ name: `t${index}`, language: 'de' }))
  const paging = { next: 'https://example.org/', cursors: { after: 'page-two' } }
  const names = []
  let place: string | null = null
  for (const next of ['10:', '20:', '0:page-two']) {
    const listed = await made({ data, paging }, place)
    assert.ok(listed.kind === 'listed')
    assert.equal(listed.next, next)
    names.push(...listed.templates.map(({ name }) => name))
    place = listed.next
  }
  assert.deepEqual(
    names,
    data.map(({ name }) => name),
  )
})
