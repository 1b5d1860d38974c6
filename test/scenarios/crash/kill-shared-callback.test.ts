import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import { KilledServer } from '../../kit/crash/killed-server.ts'
import { freePort } from '../../kit/far-ends/free-ports.ts'
import { journalOf } from '../../kit/journal.ts'
import { CloudApp, type CloudNumber } from '../../kit/networks/whatsapp-cloud/app.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { rowsIn } from '../../kit/rows.ts'

/* Meta posts what people write to three numbers in one callback each time, and the server is killed at random moments. */

const names = ['bakery', 'florist', 'butcher'] as const
/** One of them does not handle what comes until the end. */
const stopped = 'butcher'

let app: CloudApp
let server: KilledServer
let numbers: CloudNumber[]
let write: (number: CloudNumber, body: string) => Promise<void>

before(async () => {
  app = await CloudApp.start()
  numbers = [await app.number(), await app.number(), await app.number()]
  const listen = `127.0.0.1:${await freePort()}`
  const environment = { ...app.environment, POSTHORN_LISTEN: listen, POSTHORN_CALLBACK_RATE: 'off' }
  server = new KilledServer(environment)
  await server.start()
  const { admin } = server.running
  for (const [index, name] of names.entries()) {
    const { status, callback_url } = await app.create(admin, name, numbers[index] as CloudNumber)
    assert.equal(status, 'connected')
    if (index === 0) await app.callAt(`http://${listen}${callback_url}`)
  }
  await admin.call(stopInstance, { params: { name: stopped }, waitSeconds: 10 })
  write = await app.person()
})
after(async () => {
  await server?.remove()
  await app?.stop()
})

test('each part that was answered with 200 is handled once, for its own instance', async (context) => {
  const written = await server.writeWhileKilled((text) =>
    app.together(async () => {
      for (const number of numbers) await write(number, `${text} for ${number.id}`)
    }),
  )
  const posted = await app.cloud.control('webhooks', {})
  assert.ok(posted.every(({ state }) => state === 'delivered'))
  assert.equal(posted.length, written.length)
  const waitingFor = async (name: string) => {
    const sql = `select count(*) as n from callbacks where instance_id = (select id from instances where name = '${name}')`
    return Number((await rowsIn<{ n: number }>(server.data, sql))[0]?.n)
  }
  // A callback that the network repeats because its answer was lost may wait more than once.
  assert.ok((await waitingFor(stopped)) >= written.length)
  const { admin } = server.running
  await app.start(admin, stopped)
  for (const [index, name] of names.entries()) {
    await eventually(
      'nothing to wait',
      () => waitingFor(name),
      (count) => count === 0,
    )
    const texts = (await everythingReceived(admin, name)).map(({ text }) => text ?? '')
    assert.deepEqual(texts.toSorted(), written.map((text) => `${text} for ${numbers[index]?.id}`).toSorted())
  }
  const events = (await journalOf(server.data)).filter(({ type }) => type === 'message.received')
  assert.equal(events.length, 3 * written.length)
  const attempts = posted.reduce((sum, delivery) => sum + delivery.attempts.length, 0)
  context.diagnostic(
    `seed ${server.seed}: ${server.kills} kills, ${posted.length} callbacks for three in ${attempts} attempts`,
  )
})
