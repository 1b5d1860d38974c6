import assert from 'node:assert/strict'
import { chmodSync, readFileSync, renameSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { listAudit } from '../../../src/contract/operations/audit-operations.ts'
import { reactToMessage } from '../../../src/contract/operations/following-operations.ts'
import { deleteInstance } from '../../../src/contract/operations/instance-operations.ts'
import { cancelMessage, sendMediaMessage } from '../../../src/contract/operations/message-operations.ts'
import { listNodes } from '../../../src/contract/operations/node-operations.ts'
import { getServer, listServerAudit } from '../../../src/contract/operations/operator/server-operations.ts'
import { createOrganization } from '../../../src/contract/operations/organization-operations.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { create, eventually, inMs, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The operator sees how the server is, and all audit logs; no key of an organization does. */

let posthorn: Posthorn
let operator: CheckedClient
/** A server for files that never answers. */
let silent: Server

const tokenIn = (file: string) => readFileSync(join(posthorn.data, file), 'utf8').trim()

before(async () => {
  silent = createServer(() => undefined).listen(0, '127.0.0.1')
  posthorn = await startPosthorn({ environment: { POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.1/32' } })
  operator = posthorn.client(tokenIn('operator.token'))
})
after(async () => {
  silent.closeAllConnections()
  silent.close()
  await posthorn?.stop()
})

/** Waits until the health is as it should be: what was found out is shown again for five seconds. */
const health = (wanted: (found: Awaited<ReturnType<typeof read>>) => boolean) =>
  eventually('the health of the server is as it should be', read, wanted)
const read = async () => (await operator.call(getServer)).body

describe('the health of a server', { timeout: 60_000 }, () => {
  test('is what it is, and names the node', async () => {
    await create(posthorn.admin, 'shop')
    await text(posthorn.admin, { instance: 'shop', to: 'ana@accepts.sandbox', send_at: inMs(3_600_000) })
    const shown = await read()
    const [node] = (await operator.call(listNodes)).body.data
    assert.deepEqual([shown.node, shown.status, shown.nodes_running], [node?.id, 'ok', 1])
    assert.deepEqual(shown.instances, { connected: 1 })
    assert.equal(shown.queue?.messages, 1)
    assert.equal(shown.queue?.overdue_seconds, null, 'it is not due')
    assert.deepEqual(
      shown.findings.map(({ code }) => code),
      ['backup_missing'],
    )
    const { store, disk } = shown
    assert.ok(store.bytes !== null && store.bytes > 100_000 && store.write_seconds !== null)
    assert.match(store.schema ?? '', /^\d{4}-/)
    assert.ok(disk && disk.free_bytes > 0 && disk.free_bytes < disk.size_bytes)
    const written = JSON.stringify(shown)
    for (const secret of [posthorn.data, posthorn.adminKey, tokenIn('operator.token')])
      assert.ok(!written.includes(secret), 'it has no path and no secret')
  })

  test('calls a message overdue that its network holds up, and none that waits for its file or for another message', async () => {
    await create(posthorn.admin, 'desk')
    const uncertain = await text(posthorn.admin, {
      instance: 'desk',
      to: 'eva@never-certain.sandbox',
      expires_at: inMs(3_000),
    })
    await reaches(posthorn.admin, uncertain.id, 'unknown')
    await posthorn.admin.call(reactToMessage, { params: { id: uncertain.id }, body: { emoji: '👍' } })
    const { port } = silent.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/file`
    await posthorn.admin.call(sendMediaMessage, {
      body: { instance: 'desk', to: 'dia@delivers.sandbox', kind: 'document', url },
    })
    await health(({ queue }) => queue?.messages === 3 && queue.overdue_seconds === null)
    const deferred = await text(posthorn.admin, { instance: 'desk', to: 'cy@busy.sandbox' })
    const held = await health(({ queue }) => queue?.messages === 4)
    assert.ok(Number(held.queue?.overdue_seconds) > 0, 'its network defers it')
    await posthorn.admin.call(cancelMessage, { params: { id: deferred.id } })
  })

  test('is found out once for all who ask at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, read))
    assert.equal(new Set(all.map(({ checked_at }) => checked_at)).size, 1)
  })

  test('says that other users may enter the data folder', async () => {
    chmodSync(posthorn.data, 0o755)
    const shown = await health(({ findings }) => findings.some(({ code }) => code === 'folder_open'))
    chmodSync(posthorn.data, 0o700)
    const finding = shown?.findings.find(({ code }) => code === 'folder_open')
    assert.deepEqual([finding?.severity, finding?.count], ['warning', 1])
  })

  test('is for the operator alone', async () => {
    await assert.rejects(posthorn.admin.call(getServer), { code: 'forbidden' })
    await assert.rejects(posthorn.admin.call(listServerAudit), { code: 'forbidden' })
    for (const none of [tokenIn('metrics.token'), undefined]) {
      await assert.rejects(posthorn.client(none).call(getServer), { code: 'unauthenticated' })
      await assert.rejects(posthorn.client(none).call(listServerAudit), { code: 'unauthenticated' })
    }
  })
})

describe('the audit logs of all', () => {
  test('have what each organization and the operator did, the newest first, page by page', async () => {
    await operator.call(createOrganization, { body: { name: 'bakery' } })
    const { key } = await posthorn.createKey('bakery', 'admin')
    const bakery = posthorn.client(key)
    await create(bakery, 'counter')
    await bakery.call(deleteInstance, { params: { name: 'counter' } })
    const { body } = await operator.call(listServerAudit, { query: { limit: 200 } })
    assert.deepEqual(
      body.data.slice(0, 4).map(({ organization, action, actor }) => [organization, action, actor.kind]),
      [
        ['bakery', 'deleteInstance', 'key'],
        ['bakery', 'createInstance', 'key'],
        ['bakery', 'createKey', 'operator'],
        ['bakery', 'createOrganization', 'operator'],
      ],
    )
    assert.ok(
      body.data.some(({ organization, action }) => organization === 'default' && action === 'createInstance'),
    )
    const paged = []
    for (let cursor: string | undefined; ; ) {
      const query = { limit: 2, ...(cursor !== undefined && { cursor }) }
      const { data, next_cursor } = (await operator.call(listServerAudit, { query })).body
      paged.push(...data)
      if (next_cursor === null) break
      cursor = next_cursor
    }
    assert.deepEqual(paged, body.data)
    const own = (await bakery.call(listAudit)).body.data
    const { data } = (await operator.call(listServerAudit, { query: { organization: 'bakery' } })).body
    assert.deepEqual(
      data,
      own.map((entry) => ({ ...entry, organization: 'bakery' })),
    )
    const query = { action: 'createInstance', instance: 'shop' }
    const [one, ...others] = (await operator.call(listServerAudit, { query })).body.data
    assert.deepEqual([one?.organization, others], ['default', []])
  })

  test('refuse an organization that is none, and a cursor from elsewhere', async () => {
    const none = operator.call(listServerAudit, { query: { organization: 'nobodys' } })
    await assert.rejects(none, { code: 'organization_not_found' })
    const stray = operator.call(listServerAudit, { query: { cursor: 'abc' } })
    await assert.rejects(stray, { code: 'invalid_request' })
  })
})

// PostgreSQL has no file that could go away.
if (process.env.POSTHORN_TEST_POSTGRES === undefined)
  test('a store that takes no writes is told, and what is not known is null', async () => {
    const file = join(posthorn.data, 'posthorn.db')
    await reaches(
      posthorn.admin,
      (await text(posthorn.admin, { instance: 'shop', to: 'bo@accepts.sandbox' })).id,
      'sent',
    )
    renameSync(file, `${file}.away`)
    const shown = await health(({ status }) => status === 'store_replaced')
    const [first] = shown?.findings ?? []
    assert.deepEqual([first?.code, first?.severity], ['store_replaced', 'critical'])
    renameSync(`${file}.away`, file)
  })
