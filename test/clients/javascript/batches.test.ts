import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { Posthorn } from '../../../clients/javascript/src/index.ts'
import { freePort } from '../../kit/far-ends/free-ports.ts'
import { eventually, everythingListed } from '../../kit/play.ts'
import { freshFolder, spawnPosthorn } from '../../kit/posthorn.ts'

/* Batches by the JavaScript client while the server is killed again and again: each is accepted once, and its answers stay. */

const rounds = 6

test('batches over kills are accepted once, and their repetitions get the same hundred answers', {
  timeout: 240_000,
}, async (t) => {
  const data = freshFolder()
  const port = await freePort()
  const settings = { POSTHORN_LISTEN: `127.0.0.1:${port}` }
  let server = await spawnPosthorn(data, settings)
  t.after(async () => {
    await server.end('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  })
  const posthorn = new Posthorn({ baseUrl: server.url, key: server.adminKey, maxRetries: 50 })
  await posthorn.instances.create({ name: 'trial', network: 'sandbox' }, { waitSeconds: 20 })
  const batchOf = (round: number) => ({
    messages: Array.from({ length: 100 }, (_, at) => ({
      type: 'text' as const,
      ...{ instance: 'trial', to: at === 50 ? 'no address' : `p${at}@accepts.sandbox` },
      ...{ text: `${at}`, client_ref: `round-${round}` },
    })),
  })
  for (let round = 0; round < rounds; round++) {
    const options = { idempotencyKey: `batch-${round}` }
    const sent = posthorn.messages.sendBatch(batchOf(round), options)
    await new Promise((resolve) => setTimeout(resolve, round * 15))
    await server.end('SIGKILL')
    server = await spawnPosthorn(data, settings)
    const answers = await sent
    assert.deepEqual([answers.accepted, answers.refused], [99, 1])
    assert.equal(answers.data[50]?.problem?.code, 'invalid_request')
    assert.deepEqual(await posthorn.messages.sendBatch(batchOf(round), options), answers)
    const listed = await eventually(
      'the batch in the list',
      () => everythingListed(server.admin, { client_ref: `round-${round}`, limit: 200 }),
      ({ length }) => length >= 99,
    )
    const ids = answers.data.flatMap(({ message }) => message?.id ?? [])
    assert.deepEqual(listed.map(({ id }) => id).sort(), ids.sort())
  }
})
