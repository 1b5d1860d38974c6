import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiUrl, testSettings } from '../../../test/kit/config/setting-cases.ts'
import { examineConfig } from '../config.ts'

const networkSecret = {
  good: { '8letters': '8letters', ['x'.repeat(256)]: 'x'.repeat(256) },
  bad: ['7letter', 'x'.repeat(257), 'with a space', 'Größtes Geheimnis'],
}

testSettings({
  POSTHORN_WHATSAPP_CLOUD_API: apiUrl,
  POSTHORN_WHATSAPP_CLOUD_APP_SECRET: {
    ...networkSecret,
    beside: { POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN: 'a-word-of-our-own' },
  },
  POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN: {
    ...networkSecret,
    beside: { POSTHORN_WHATSAPP_CLOUD_APP_SECRET: 'secret-of-the-app' },
  },
})

test('an app at Meta is set as a whole, and its two secrets differ; neither is repeated', () => {
  const [secret, token] = ['POSTHORN_WHATSAPP_CLOUD_APP_SECRET', 'POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN']
  const faults = (first: string, second: string) =>
    examineConfig({ [secret as string]: first, [token as string]: second }).faults
  assert.deepEqual(faults('hush-hush', 'another-word'), [])
  assert.deepEqual(faults('', ''), [])
  assert.deepEqual(faults('hush-hush', ''), [`${token} must be set if ${secret} is`])
  assert.deepEqual(faults('', 'hush-hush'), [`${secret} must be set if ${token} is`])
  const [alike = ''] = faults('hush-hush', 'hush-hush')
  assert.match(alike, /must be another word than/)
  assert.doesNotMatch(alike, /hush/)
})
