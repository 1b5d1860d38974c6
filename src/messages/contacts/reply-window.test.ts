import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sentKinds } from '../../contract/statuses.ts'
import { needsWindow } from './reply-window.ts'

test('everything but a template is sent only while its recipient may be answered freely', () => {
  const free = sentKinds.filter((kind) => !needsWindow(kind))
  assert.deepEqual(free, ['template'])
})
