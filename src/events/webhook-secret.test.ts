import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveSecrets, newWebhookSecret, rotated, type WebhookSecrets } from './webhook-secret.ts'

const hour = 3_600_000
const first: WebhookSecrets = { current: 'first', former: [] }

test('a secret is whsec_ and 32 random bytes in base64', () => {
  const secrets = new Set<string>()
  for (let index = 0; index < 1_000; index++) {
    const secret = newWebhookSecret()
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(Buffer.from(secret.slice('whsec_'.length), 'base64').length, 32)
    secrets.add(secret)
  }
  assert.equal(secrets.size, 1_000)
})

test('a secret signs on for 24 hours after another took its place, and the new one goes first', () => {
  assert.deepEqual(liveSecrets(first, 0), ['first'])
  const second = rotated(first, 'second', 5 * hour)
  assert.deepEqual(liveSecrets(second, 5 * hour), ['second', 'first'])
  assert.deepEqual(liveSecrets(second, 29 * hour - 1), ['second', 'first'])
  assert.deepEqual(liveSecrets(second, 29 * hour), ['second'])
})

test('each of several rotations leaves its secret its own 24 hours', () => {
  const third = rotated(rotated(first, 'second', 0), 'third', hour)
  assert.deepEqual(liveSecrets(third, hour), ['third', 'second', 'first'])
  assert.deepEqual(liveSecrets(third, 24 * hour), ['third', 'second'])
  assert.deepEqual(liveSecrets(third, 25 * hour), ['third'])
})

test('a rotation keeps no secret that signs no more, and never more than four in all', () => {
  const later = rotated(rotated(first, 'second', 0), 'third', 24 * hour)
  assert.deepEqual(later, { current: 'third', former: [{ secret: 'second', until: 48 * hour }] })
  let secrets = first
  for (let turn = 1; turn <= 9; turn++) secrets = rotated(secrets, `after ${turn}`, turn)
  assert.deepEqual(liveSecrets(secrets, 10), ['after 9', 'after 8', 'after 7', 'after 6'])
  assert.equal(secrets.former.length, 3)
})
