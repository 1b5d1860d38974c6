import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitContent } from './received-content.ts'

test('a list that was sent elsewhere keeps the second lines of its rows, each bounded', () => {
  const rows = [
    { id: 'ten', title: 'At ten', description: 'With Dr. Lima' },
    { id: 'eleven', title: 'At eleven' },
    { id: 'twelve', title: 'At twelve', description: '' },
    { id: 'one', title: 'At one', description: 'x'.repeat(10_000) },
  ]
  const { interactive } = fitContent({
    interactive: { body: 'When?', list: { button: 'Times', sections: [{ rows }] } },
  })
  const shown = interactive?.list?.sections[0]?.rows ?? []
  assert.deepEqual(shown.slice(0, 3), [rows[0], rows[1], { id: 'twelve', title: 'At twelve' }])
  assert.equal(shown[3]?.description?.length, 256)
})
