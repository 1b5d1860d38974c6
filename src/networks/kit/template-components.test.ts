import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import type { MessageTemplate } from '../../contract/resources/template.ts'
import { templates } from './template-components.ts'

const fits = Compile(templates.component)
const faultsOf = (...components: MessageTemplate['components']) =>
  templates
    .faults({ name: 'order_update', language: 'en_US', components })
    .map(({ pointer, code }) => `${pointer} ${code}`)

const media = (what: string, given: object) => ({
  type: 'header',
  parameters: [{ type: what, [what]: given }],
})
const link = 'https://example.org/a'

// From Meta's own pages about template messages.
for (const component of [
  { type: 'body' },
  { type: 'BODY', parameters: [{ type: 'TEXT', text: 'Ana' }] },
  { type: 'body', parameters: [{ type: 'text', parameter_name: 'customer', text: 'Ana' }] },
  {
    type: 'body',
    parameters: [{ type: 'date_time', date_time: { fallback_value: 'May 1', day_of_month: 1 } }],
  },
  media('image', { id: '2762702990552401' }),
  media('document', { link, filename: 'a.pdf' }),
  media('video', { link }),
  { type: 'header', parameters: [{ type: 'location', location: { latitude: '37.4', longitude: -122.1 } }] },
  {
    type: 'button',
    sub_type: 'copy_code',
    index: 0,
    parameters: [{ type: 'coupon_code', coupon_code: '25OFF' }],
  },
  {
    type: 'button',
    sub_type: 'flow',
    index: '0',
    parameters: [{ type: 'action', action: { flow_token: 'x' } }],
  },
  { type: 'button', sub_type: 'CATALOG', index: 0 },
  { type: 'carousel', cards: [{ card_index: 0, components: [media('image', { link })] }] },
  { type: 'limited_time_offer', parameters: [{ type: 'limited_time_offer', limited_time_offer: {} }] },
])
  test(`Meta has ${JSON.stringify(component)}`, () => {
    assert.ok(fits.Check(component))
    assert.deepEqual(faultsOf(component), [])
  })

test('what Meta does not have is named', () => {
  assert.deepEqual(faultsOf(media('image', { id: '1', link }), { type: 'button', index: 0 }), [
    '/components/0/parameters/0/image not_allowed',
    '/components/1/sub_type missing',
  ])
  assert.deepEqual(faultsOf({ type: 'body' }, { type: 'Body' }), ['/components/1 repeated'])
  for (const component of [
    { parameters: [] },
    { type: '' },
    { type: 'body', parameters: {} },
    { type: 'button', sub_type: 'url', index: -1 },
    { type: 'button', sub_type: 'url', index: 'first' },
    media('image', { link: 'javascript:alert(1)' }),
    media('image', 'https://example.org/a' as unknown as object),
  ])
    assert.ok(!fits.Check(component), JSON.stringify(component))
})

test('whatever is given, it is judged and not thrown', () => {
  const components = fc.array(fc.object({ maxDepth: 4 }), { maxLength: 5 })
  fc.assert(
    fc.property(fc.string(), fc.string(), components, (name, language, given) => {
      const template = { name, language, components: given as MessageTemplate['components'] }
      for (const { pointer } of templates.faults(template))
        assert.match(pointer, /^\/(name|language|components)/)
      for (const component of given) assert.equal(typeof fits.Check(component), 'boolean')
    }),
    { numRuns: 1000 },
  )
})
