import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { createInstance, getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { Archives, archiveNetwork, type Incoming } from '../../kit/networks/archive-network.ts'
import { eventually, everythingReceived, text } from '../../kit/play.ts'
import { startOwnPostgres } from '../../kit/postgres.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Messages come in while the store is away: another program holds the file, or the database is down. */

const archives = new Archives(freshFolder())

const messages = (name: string, count: number): Incoming[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${name}-${index}`,
    from: 'ana',
    text: `Text ${index}`,
  }))

/** A Posthorn on a store that can be taken away and given back. */
interface World {
  readonly posthorn: Posthorn
  takeAway(): Promise<void>
  giveBack(): Promise<void>
}

async function received(world: World, instance: string): Promise<string[]> {
  const messages = await everythingReceived(world.posthorn.admin, instance)
  return messages.map((message) => message.network_message_id ?? '')
}

/** Resolves with the incoming messages, once they are so many. However long that takes, more and more are there. */
async function allReceived(world: World, instance: string, count: number): Promise<string[]> {
  let kept: string[] = []
  while (kept.length < count) {
    const { length: known } = kept
    kept = await eventually(
      'more messages',
      () => received(world, instance),
      ({ length }) => length > known,
    )
  }
  return kept
}

/**
 * Opens an account, and writes so many messages to it, most of them while the store is away. Returns
 * their ids, and since when it was connected.
 */
async function writeMeanwhile(
  world: World,
  name: string,
  { count, until }: { count: number; until: () => Promise<unknown> },
): Promise<{ ids: string[]; connectedAt: string | null }> {
  const { posthorn, takeAway, giveBack } = world
  const body = { name, network: 'archive', settings: { box: name } }
  const created = await posthorn.admin.call(createInstance, { body, waitSeconds: 10 })
  const written = messages(name, count)
  archives.write(name, ...written.slice(0, 1))
  await eventually(
    'the first message',
    () => received(world, name),
    ({ length }) => length === 1,
  )
  await takeAway()
  archives.write(name, ...written.slice(1))
  await until()
  await giveBack()
  return { ids: written.map(({ id }) => id), connectedAt: created.body.connected_at }
}

/** Laws of every Posthorn; `log` returns its output so far. */
function laws(world: () => World, log: () => string): void {
  const instance = async (name: string) =>
    (await world().posthorn.admin.call(getInstance, { params: { name } })).body

  test('as many as are held are kept when it is back, in order, on the same connection', async () => {
    const { admin } = world().posthorn
    const until = () => assert.rejects(text(admin, { instance: 'some', to: 'ana' }), { status: 503 })
    const { ids, connectedAt } = await writeMeanwhile(world(), 'some', { count: 900, until })
    const kept = await allReceived(world(), 'some', 900)
    assert.deepEqual(kept, ids)
    const { status, connected_at } = await instance('some')
    assert.deepEqual([status, connected_at], ['connected', connectedAt], 'it never connected again')
  })

  test('more than are held end the connection, and are taken from the archive when it is back', async () => {
    const ended = async () => log().includes('more messages arrive than can be held')
    const until = () => eventually('the end', ended, (seen) => seen)
    const { ids } = await writeMeanwhile(world(), 'many', { count: 1_500, until })
    const kept = await allReceived(world(), 'many', 1_500)
    assert.deepEqual(kept.toSorted(), ids.toSorted())
    await eventually(
      'a connection',
      () => instance('many'),
      ({ status }) => status === 'connected',
    )
  })
}

function logged() {
  let text = ''
  const destination = new Writable({
    write(line: Buffer, _encoding, done) {
      text += line.toString()
      done()
    },
  })
  return { destination, written: () => text }
}

describe('another program holds the file', () => {
  const { destination, written } = logged()
  let world: World

  before(async () => {
    const posthorn = await startPosthorn({
      drivers: [archiveNetwork(archives)],
      log: destination,
      environment,
    })
    let other: DatabaseSync | undefined
    world = {
      posthorn,
      async takeAway() {
        other = new DatabaseSync(join(posthorn.data, 'posthorn.db'))
        other.exec('BEGIN IMMEDIATE')
      },
      async giveBack() {
        other?.exec('ROLLBACK')
        other?.close()
      },
    }
  })
  after(() => world.posthorn.stop())

  laws(() => world, written)
})

const environment = { POSTHORN_DEFAULT_NETWORK: 'archive' }

describe('the database is down', async () => {
  const { destination, written } = logged()
  let world: World
  const postgres = await startOwnPostgres()
  if (!postgres.available) return test('PostgreSQL', { skip: postgres.reason })

  before(async () => {
    const POSTHORN_DATABASE_URL = await postgres.server.createDatabase()
    const posthorn = await startPosthorn({
      drivers: [archiveNetwork(archives)],
      log: destination,
      environment: { ...environment, POSTHORN_DATABASE_URL },
    })
    world = { posthorn, takeAway: () => postgres.server.down(), giveBack: () => postgres.server.up() }
  })
  after(async () => {
    await world.posthorn.stop()
    await postgres.server.stop()
  })

  laws(() => world, written)
})
