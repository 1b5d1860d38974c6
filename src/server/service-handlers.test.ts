import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getOpenapi } from '../contract/operations/service-operations.ts'
import type { WrittenContract } from './docs/print-contract.ts'
import { serviceHandlers } from './service-handlers.ts'

/** Returns how a caller asks for the contract, which is written by this. */
function askFor(openapi: () => Promise<WrittenContract>): () => Promise<unknown> {
  const handlers = serviceHandlers({ openapi } as unknown as Parameters<typeof serviceHandlers>[0])
  const found = handlers.find(({ operation }) => operation === getOpenapi)
  assert.ok(found)
  return () => found.handle({} as never)
}

test('the contract is written once for a hundred callers at once, and for those that follow', async () => {
  const contract = { bytes: Buffer.from('{}'), gzipped: Buffer.from('small') }
  const writing = Promise.withResolvers<WrittenContract>()
  let times = 0
  const ask = askFor(() => {
    times++
    return writing.promise
  })
  const asked = Promise.all(Array.from({ length: 100 }, ask))
  writing.resolve(contract)
  for (const response of [...(await asked), await ask()])
    assert.deepEqual(response, { status: 200, mediaType: 'application/json; charset=utf-8', ...contract })
  assert.equal(times, 1)
})

test('a failure to write the contract is told to all who wait, and is tried again by the next caller', async () => {
  let times = 0
  const ask = askFor(() => Promise.reject(new Error(`failure ${++times}`)))
  const failed = await Promise.allSettled(Array.from({ length: 100 }, ask))
  for (const result of failed)
    assert.match(String(result.status === 'rejected' && result.reason), /failure 1$/)
  await assert.rejects(ask(), /failure 2$/)
})
