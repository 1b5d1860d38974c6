import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type ClientRequest, get } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { listInstances } from '../../../src/contract/operations/instance-operations.ts'
import { getMe } from '../../../src/contract/operations/key-operations.ts'
import { startTcpProxy, type TcpProxy } from '../../kit/far-ends/tcp-proxy.ts'
import { readMetrics } from '../../kit/http/metrics.ts'
import { eventually } from '../../kit/play.ts'
import { type PostgresForTests, startPostgres } from '../../kit/postgres.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/*
 * An organization asks for more than its share of reads, all of which are slow, and its callers leave. What of it is performed
 * is counted on the way to the database.
 */

/** Reads of one organization that may be under way, and the callers who ask. */
const [concurrency, callers] = [2, 12]
/** Milliseconds after which the store gives a read up, and begins one that waits instead. */
const givenUpAfter = 3_000
/** The small query of each caller, so that all have room for the response, and wait for nothing but the store. */
const look = /from "api_keys" inner join "organizations" on \S+ = \S+ where "api_keys"\."id" = \$1/

describe('reads of those who have gone', () => {
  let postgres: PostgresForTests
  let proxy: TcpProxy
  let posthorn: Posthorn

  before(async () => {
    postgres = await startPostgres()
    if (!postgres.available) return
    const url = new URL(await postgres.server.createDatabase())
    proxy = await startTcpProxy({ port: Number(url.port) })
    url.port = String(proxy.port)
    const environment = {
      POSTHORN_DATABASE_URL: url.href,
      POSTHORN_READ_CONCURRENCY: String(concurrency),
    }
    posthorn = await startPosthorn({ environment })
  })
  after(async () => {
    await posthorn?.stop()
    await proxy?.stop()
    if (postgres.available) await postgres.server.stop()
  })

  /** The number of a metric with this name and label. */
  async function metric(name: string): Promise<number> {
    const token = readFileSync(join(posthorn.data, 'metrics.token'), 'utf8').trim()
    const line = (await readMetrics(posthorn.url, token)).split('\n').find((one) => one.startsWith(name))
    return Number(line?.split(' ').at(-1))
  }
  const waiting = () => metric('posthorn_store_calls_waiting{kind="read"}')
  const connected = () => metric('posthorn_http_connections{state="with_key"}')
  const looks = () => proxy.arrived('to-server').split(look).length - 1

  function ask(): ClientRequest {
    const headers = { authorization: `Bearer ${posthorn.adminKey}` }
    return get(`${posthorn.url}/v1/me`, { agent: false, headers }).on('error', () => {})
  }

  test('a few are under way, others are served meanwhile, and the rest is not performed', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    await posthorn.createOrganization('other')
    const other = posthorn.client((await posthorn.createKey('other', 'admin')).key)
    await other.call(listInstances)
    const present = await connected()
    const before = looks()
    const begun = () => looks() - before

    proxy.holdFrom(look)
    const heldAt = performance.now()
    const leaving = Array.from({ length: callers }, ask)
    await eventually(
      'its share to be under way',
      async () => begun(),
      (count) => count >= concurrency,
    )
    await eventually(
      'the others to wait',
      async () => (await waiting()) + begun(),
      (count) => count >= callers,
    )
    assert.equal((await other.call(listInstances)).status, 200)
    const few = begun()
    const givenUp = Math.floor((performance.now() - heldAt) / givenUpAfter) * concurrency
    assert.ok(few <= concurrency + givenUp, `${few} were begun`)

    for (const caller of leaving) caller.destroy()
    await eventually('the callers to be gone', connected, (count) => count <= present)
    const ofThose = begun()
    proxy.release()
    assert.equal((await posthorn.admin.call(getMe)).status, 200)
    assert.equal(begun(), ofThose + 1, 'those that were under way, and that of the one who stayed')
    assert.equal(await waiting(), 0)
  })
})
