import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createGroup } from '../../../../src/contract/operations/conversations/group-operations.ts'
import { createInstance } from '../../../../src/contract/operations/instance-operations.ts'
import type { GroupEventData } from '../../../../src/contract/resources/event.ts'
import { KilledServer } from '../../../kit/crash/killed-server.ts'
import { freePort } from '../../../kit/far-ends/free-ports.ts'
import type { CheckedClient } from '../../../kit/http/checked-client.ts'
import { allEvents } from '../../../kit/http/feed.ts'
import { longLease, Nodes } from '../../../kit/nodes/nodes.ts'
import { eventually } from '../../../kit/play.ts'
import { startOwnPostgres } from '../../../kit/postgres.ts'
import {
  startWhatsAppCloud,
  type WhatsAppCloud,
} from '../../../simulators/whatsapp-cloud/start-whatsapp-cloud.ts'

/* Meta makes a group and tells of it later: in between, the server is killed, or the callback comes to another node. */

const verify_token = 'a-word-of-our-own'
const shop = ({ number, token, appSecret }: WhatsAppCloud) => ({
  name: 'shop',
  network: 'whatsapp-cloud',
  settings: { phone_number_id: number },
  credentials: { access_token: token, app_secret: appSecret, verify_token },
})
/** Makes a group; resolves with its address, with the code of a problem, or with null if the connection broke. */
const make = (client: CheckedClient, subject: string): Promise<string | null> =>
  client
    .call(createGroup, { params: { name: 'shop' }, body: { subject, members: [] }, idempotencyKey: subject })
    .then(
      ({ body }) => body.address,
      ({ code }: { code?: string }) => code ?? null,
    )
const created = async (client: CheckedClient) =>
  (await allEvents(client)).flatMap(({ type, data }) => {
    const { group, change } = data as GroupEventData
    return type === 'group.changed' && change === 'created' ? [group] : []
  })

describe('a server that is killed between the order and the callback', { timeout: 600_000 }, () => {
  let cloud: WhatsAppCloud
  let server: KilledServer

  before(async () => {
    cloud = await startWhatsAppCloud()
    const listen = `127.0.0.1:${await freePort()}`
    server = new KilledServer({
      POSTHORN_LISTEN: listen,
      POSTHORN_WHATSAPP_CLOUD_API: cloud.url,
      POSTHORN_CALLBACK_RATE: 'off',
    })
    await server.start()
    const { callback_url } = await server.create(shop(cloud))
    await cloud.control('app', { callback: `http://${listen}${callback_url}`, verify_token, subscribe: true })
  })
  after(async () => {
    await server?.remove()
    await cloud?.stop()
  })

  test('makes no second group, says that it does not know, and tells of the group once it hears of it', async () => {
    await cloud.control('settings', { hold_webhooks: true })
    const lost = make(server.running.admin, 'Killed')
    const groups = () => cloud.control('groups', {})
    const [group] = await eventually('the group', groups, ({ length }) => length === 1)
    await server.running.end('SIGKILL')
    assert.equal(await lost, null)
    await server.start()
    assert.equal(await make(server.running.admin, 'Killed'), 'idempotency_in_progress')
    await cloud.control('settings', { hold_webhooks: false })
    await cloud.control('flush', {})
    const [told] = await eventually(
      'the news',
      () => created(server.running.admin),
      ({ length }) => length > 0,
    )
    assert.deepEqual([told?.address, told?.subject], [group?.id, 'Killed'])
    assert.equal((await groups()).length, 1)
  })

  test('at random moments, makes each group at most once, and tells of each that Meta made', async (context) => {
    const subjects: string[] = []
    const answers = new Map<string, number>()
    const count = (answer: string | null) => {
      const word = answer === null ? 'lost' : /^[a-z_]+$/.test(answer) ? answer : 'made'
      answers.set(word, (answers.get(word) ?? 0) + 1)
    }
    /** Asks until it is answered, by the process that runs then. */
    const ask = async (subject: string) => {
      for (let answer: string | null; ; ) {
        answer = await make(running.admin, subject)
        count(answer)
        if (answer !== null || isOver) return
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    let isOver = false
    let running = server.running
    const making = (async () => {
      while (!isOver) {
        const subject = `trip-${subjects.length}`
        subjects.push(subject)
        await ask(subject)
        await ask(subject)
      }
    })()
    await server.killRepeatedly((next) => {
      running = next
    })
    isOver = true
    await making
    assert.ok((answers.get('made') ?? 0) > 0 && (answers.get('lost') ?? 0) > 0)
    const made = (await cloud.control('groups', {})).filter(({ subject }) => subject !== 'Killed')
    const bySubject = Map.groupBy(made, ({ subject }) => subject)
    assert.deepEqual(
      [...bySubject].filter(([, { length }]) => length > 1),
      [],
    )
    await cloud.control('webhooks', {})
    const ids = async () => new Set((await created(server.running.admin)).map(({ address }) => address))
    await eventually('news of each group', ids, (told) => made.every(({ id }) => told.has(id)))
    const words = JSON.stringify(Object.fromEntries(answers))
    context.diagnostic(`seed ${server.seed}: ${server.kills} kills, ${made.length} groups, answers ${words}`)
  })
})

test('on two nodes, the callback comes to the other one, and the group to the caller', {
  timeout: 200_000,
}, async (t) => {
  const postgres = await startOwnPostgres()
  if (!postgres.available) return t.skip(postgres.reason)
  const cloud = await startWhatsAppCloud()
  t.after(() => cloud.stop())
  t.after(() => postgres.server.stop())
  const nodes = await Nodes.on(postgres.server, { ...longLease, POSTHORN_WHATSAPP_CLOUD_API: cloud.url })
  t.after(() => nodes.end())
  const owner = await nodes.start('owner')
  const { body } = await owner.admin.call(createInstance, { body: shop(cloud), waitSeconds: 20 })
  assert.equal(body.status, 'connected')
  const other = await nodes.start('other')
  const callback = `${other.url}${body.callback_url}`
  await cloud.control('app', { callback, verify_token, subscribe: true })
  for (const [at, by] of [owner, other].entries()) {
    const address = await make(by.admin, `trip-${at}`)
    const [group] = (await cloud.control('groups', {})).filter(({ subject }) => subject === `trip-${at}`)
    assert.equal(address, group?.id)
    assert.equal(await make(owner.admin, `trip-${at}`), address)
  }
  const groups = await cloud.control('groups', {})
  assert.equal(groups.length, 2)
  const ids = async () => new Set((await created(owner.admin)).map(({ address }) => address))
  await eventually('news of both', ids, (told) => groups.every(({ id }) => told.has(id)))
})
