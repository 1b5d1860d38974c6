import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instanceReasons } from '../../contract/codes.ts'
import { messageKinds } from '../../contract/resources/message.ts'
import { parseAddress } from './address.ts'
import { errors, notices, reasons, restrictions } from './codes.ts'
import { description } from './reference.ts'
import { settingsSchema } from './settings.ts'

/** Words that are written like a code, and are none. */
const others = new Set<string>(['expires_at', 'items_left_out', ...messageKinds])

test('every code and every setting in the reference is there', () => {
  const codes = { ...reasons, ...errors, ...notices, ...restrictions, ...instanceReasons }
  const known = { ...codes, ...settingsSchema.properties }
  const named = [...description.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, code = '']) => code)
  assert.ok(named.length > 8)
  for (const code of named) assert.ok(code in known || others.has(code), code)
})

test('every address in the reference is one', () => {
  const named = [...description.matchAll(/`(\+[0-9 ]+|[0-9]+@[a-z.]+)`/g)].map(([, address = '']) => address)
  assert.ok(named.length >= 3)
  for (const address of named) assert.ok(parseAddress(address).ok, address)
})
