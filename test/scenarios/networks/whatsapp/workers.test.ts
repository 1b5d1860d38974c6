import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createInstance, getInstanceStatus } from '../../../../src/contract/operations/instance-operations.ts'
import { readMetrics } from '../../../kit/http/metrics.ts'
import {
  becomes,
  hastyDriver,
  linkByPicture,
  onlyWhatsApp,
  unpaced,
} from '../../../kit/networks/whatsapp/stage.ts'
import { workersOf } from '../../../kit/networks/whatsapp/workers.ts'
import { eventually, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

const [shop, desk, neighbour, ana] = [
  '4915100000001',
  '4915100000002',
  '4915100000003',
  '4915100000004',
] as const

const megabyte = 2 ** 20
const token = 'metrics-token-of-this-very-test-0'

/* The cost of a worker for others: the accounts that it holds, and their fate when it falls. */

describe('workers', { timeout: 300_000 }, () => {
  let whatsapp: WhatsAppProcess

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    await whatsapp.control.createPerson({ phone: ana })
  })
  beforeEach(async () => {
    for (const phone of [shop, desk, neighbour])
      await whatsapp.control.createPerson({ phone }).catch(() => undefined)
  })
  after(async () => {
    await whatsapp?.stop()
  })

  /** A server with two organizations and so many workers. */
  async function begin(
    t: { after(end: () => Promise<void>): void },
    haste: Parameters<typeof hastyDriver>[1] & { workers?: number },
  ) {
    const posthorn = await startPosthorn({
      drivers: [hastyDriver(whatsapp, haste)],
      environment: { ...onlyWhatsApp, POSTHORN_METRICS_TOKEN: token },
    })
    t.after(() => posthorn.stop())
    await posthorn.createOrganization('other')
    const other = posthorn.client((await posthorn.createKey('other', 'admin')).key)
    // Workers of the plays before end when they have not been used for a while.
    const before = new Set(workersOf(process.pid))
    const workers = () => workersOf(process.pid).filter((worker) => !before.has(worker))
    return { posthorn, other: { admin: other }, workers }
  }
  const ends = async (posthorn: Posthorn, reason: string) => {
    const metrics = await readMetrics(posthorn.url, token)
    const line = new RegExp(`^posthorn_whatsapp_worker_ends_total\\{reason="${reason}"\\} (\\d+)$`, 'm')
    return Number(line.exec(metrics)?.[1] ?? 0)
  }
  const says = async ({ admin }: Pick<Posthorn, 'admin'>, instance: string, words: string) => {
    const { id } = await text(admin, { instance, to: `+${ana}`, text: words })
    await reaches(admin, id, 'delivered')
  }
  const loginsOf = async (person: string) =>
    (await whatsapp.control.devices({ person, connected: 1 }))[0]?.logins
  const statusOf = async ({ admin }: Pick<Posthorn, 'admin'>, name: string) =>
    (await admin.call(getInstanceStatus, { params: { name } })).body

  test('the accounts of one organization share a worker, and those of another have another one', async (t) => {
    const { posthorn, other, workers } = await begin(t, { workers: 2 })
    await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
    const [first = 0] = workers()
    await linkByPicture({ whatsapp, posthorn }, { name: 'desk', phone: desk })
    assert.deepEqual(workers(), [first])
    await linkByPicture({ whatsapp, posthorn: other }, { name: 'neighbour', phone: neighbour })
    assert.equal(workers().length, 2)
    const before = await loginsOf(neighbour)
    process.kill(first, 'SIGKILL')
    const both = ['shop', 'desk']
    await Promise.all(both.map((name) => becomes(posthorn, name, 'reconnecting')))
    for (const name of both) await becomes(posthorn, name, 'connected')
    assert.equal(await loginsOf(neighbour), before)
    await says(other, 'neighbour', 'Nothing happened here')
  })

  test('a worker that needs more memory than it may have is ended, and its instances say so', async (t) => {
    const { posthorn } = await begin(t, { memory: 48 * megabyte })
    const body = { name: 'large', network: 'whatsapp', settings: unpaced }
    await posthorn.admin.call(createInstance, { body })
    const lost = await becomes(posthorn, 'large', 'reconnecting')
    assert.equal(lost.reason?.code, 'worker_out_of_memory')
    assert.ok((await ends(posthorn, 'worker_out_of_memory')) > 0)
  })

  test('an account whose stanzas make its worker fall is put apart the second time, and from then on falls alone', async (t) => {
    const { posthorn, other, workers } = await begin(t, { memory: 256 * megabyte })
    await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
    await linkByPicture({ whatsapp, posthorn: other }, { name: 'neighbour', phone: neighbour })
    const [shared] = workers()
    /** WhatsApp sends the shop a stanza that cannot be checked before it is read, and its worker falls. */
    const fall = async (falls: number) => {
      await whatsapp.control.throwStanza({ person: shop, bytes: 7 * megabyte, asItIs: true })
      await eventually(
        `fall ${falls}`,
        () => ends(posthorn, 'worker_out_of_memory'),
        (count) => count === falls,
      )
    }
    await fall(1)
    assert.equal((await becomes(other, 'neighbour', 'reconnecting')).reason?.code, 'worker_out_of_memory')
    for (const [stage, name] of [
      [posthorn, 'shop'],
      [other, 'neighbour'],
    ] as const)
      await becomes(stage, name, 'connected')
    const again = workers()
    assert.equal(again.length, 1)
    assert.notEqual(again[0], shared)
    await fall(2)
    await eventually(
      'its quarantine',
      () => statusOf(posthorn, 'shop'),
      ({ status, reason }) => status === 'reconnecting' && reason?.code === 'quarantined',
    )
    for (const [stage, name] of [
      [posthorn, 'shop'],
      [other, 'neighbour'],
    ] as const)
      await becomes(stage, name, 'connected')
    assert.equal(workers().length, 2)
    const before = await loginsOf(neighbour)
    await fall(3)
    await says(other, 'neighbour', 'While the shop has fallen')
    const returns = () => becomes(posthorn, 'shop', 'connected')
    // On a busy machine its worker may be ended once more, and the next pause is twice as long.
    await returns().catch(returns)
    await says(posthorn, 'shop', 'Alone, but here')
    assert.equal(await loginsOf(neighbour), before)
  })
})
