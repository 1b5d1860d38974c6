import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenBucket, TokenBuckets } from './token-bucket.ts'

test('a bucket is full at first, owes what is taken beyond it, and refills evenly', () => {
  const bucket = new TokenBucket({ count: 10, seconds: 1 }, 0)
  bucket.take(10)
  assert.equal(bucket.wait(0), 0)
  assert.equal(bucket.take(5), 500)
  assert.equal(bucket.available(0), -5)
  assert.equal(bucket.wait(0), 500)
  assert.equal(bucket.wait(400), 100)
  assert.equal(bucket.wait(500), 0)
  bucket.take(10)
  assert.equal(bucket.wait(60_000), 0)
  bucket.take(11)
  assert.equal(bucket.wait(60_000), 100, 'no more is saved than a burst')
})

test('of several buckets, the one that is owed most decides, and what has no rate is not limited', () => {
  const buckets = new TokenBuckets({
    bytes: { count: 10, seconds: 10 },
    stanzas: { count: 1, seconds: 60 },
    messages: undefined,
  })
  assert.equal(buckets.take('messages', 1_000), 0)
  assert.deepEqual(buckets.owed(), { wait: 0, name: undefined })
  buckets.take('bytes', 12)
  assert.equal(buckets.owed().name, 'bytes')
  buckets.take('stanzas', 2)
  const { wait, name } = buckets.owed()
  assert.equal(name, 'stanzas')
  assert.ok(wait > 59_000 && wait <= 60_000, `${wait} ms`)
})
