import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { BodyOf } from '../../../src/contract/operation.ts'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { kills, seed } from '../../kit/crash/kills.ts'
import { journalOf } from '../../kit/journal.ts'
import { Archives } from '../../kit/networks/archive-network.ts'
import { XmppPerson } from '../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../kit/networks/xmpp/prosody.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { randomOf } from '../../kit/random.ts'
import { rowsIn } from '../../kit/rows.ts'

const random = randomOf(seed)

let home: string
let running: PosthornProcess | undefined
let prosody: Prosody | undefined

before(() => {
  home = freshFolder()
  mkdirSync(join(home, 'archives'))
})

after(async () => {
  await running?.end('SIGKILL')
  await prosody?.remove()
  rmSync(home, { recursive: true, force: true })
})

/** A network on which a person writes to the account of the instance `support`. */
interface Fixture {
  readonly data: string
  start(): Promise<PosthornProcess>
  readonly instance: BodyOf<typeof createInstance>
  /** Texts that are written while the server is away: enough that the gap takes its time to be read. */
  readonly gap: number
  write(texts: readonly string[]): Promise<void>
}

/** Writes all the time, some texts at once, until told to stop. */
function writer(write: Fixture['write']) {
  const written: string[] = []
  let writing = Promise.resolve()
  const some = (count = Math.floor(random() * 6)) => {
    const texts = Array.from({ length: count }, (_, index) => `Text ${written.length + index}`)
    written.push(...texts)
    writing = writing.then(() => write(texts))
    return writing
  }
  const again = setInterval(() => void some(), 50)
  const stop = () => {
    clearInterval(again)
    return writing
  }
  return { written, some, stop }
}

/**
 * Kills the server at random moments while a person writes; returns the texts that were written and those that were kept, in
 * order.
 */
async function killRepeatedly({ data, start, instance, gap, write }: Fixture) {
  running = await start()
  const count = async () =>
    (await rowsIn<{ count: number }>(data, 'select count(*) as count from messages'))[0]?.count ?? 0
  const { body } = await running.admin.call(createInstance, { body: instance, waitSeconds: 20 })
  assert.equal(body.status, 'connected', JSON.stringify(body.reason))
  await write(['Hello'])
  await eventually('the first text', count, (kept) => kept === 1)
  const { written, some, stop } = writer(write)
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, random() ** 2 * 400))
    await running.end('SIGKILL')
    await some(gap)
    running = await start()
  }
  await stop()
  const expected = ['Hello', ...written]
  for (let known = 0; known < expected.length; )
    known = await eventually('more texts', count, (kept) => kept > known)
  const kept = await everythingReceived(running.admin, 'support')
  await running.end('SIGKILL')
  return { expected, kept }
}

/** Everything that was kept was told once, and the numbers have no gap. */
async function assertTold(data: string, kept: readonly Message[]): Promise<void> {
  const events = await journalOf(data)
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  )
  const idsInEvents = events
    .filter(({ type }) => type === 'message.received')
    .map((event) => event.data.message.id)
  assert.deepEqual(idsInEvents.toSorted(), kept.map(({ id }) => id).toSorted())
}

const textsOf = (messages: readonly Message[]) => messages.map(({ text }) => text ?? '')

test('archive: killed at random moments, the server has each text once, and told each once', async (context) => {
  const archives = new Archives(join(home, 'archives'))
  const data = join(home, 'archive')
  const environment = { TEST_ARCHIVES: join(home, 'archives'), POSTHORN_DEFAULT_NETWORK: 'archive' }
  const { expected, kept } = await killRepeatedly({
    data,
    start: () => spawnPosthorn(data, environment, 'networks/archive-network-server.ts'),
    instance: { name: 'support', settings: { box: 'support' } },
    gap: 400,
    write: async (texts) =>
      archives.write('support', ...texts.map((text) => ({ id: randomUUID(), from: 'ana', text }))),
  })
  context.diagnostic(`seed ${seed}: ${kills} kills, ${expected.length} texts`)
  assert.deepEqual(textsOf(kept).toSorted(), expected.toSorted())
  await assertTold(data, kept)
})

test(
  'XMPP: killed at random moments, the server has each text once and in order, and told each once',
  needsProsody,
  async (context) => {
    const server = await startProsody({ starttls: 'off', archive: true })
    prosody = server
    await server.createUser('support', 'support-secret')
    const ana = await XmppPerson.join(server, 'ana')
    const address = server.address('support')
    const settings = { address, service: `xmpp://127.0.0.1:${server.port}`, allow_plaintext: true }
    const data = join(home, 'xmpp')
    const { expected, kept } = await killRepeatedly({
      data,
      start: () => spawnPosthorn(data),
      instance: { name: 'support', network: 'xmpp', settings, credentials: { password: 'support-secret' } },
      gap: 100,
      async write(texts) {
        for (const text of texts) await ana.says(address, text, randomUUID())
      },
    })
    context.diagnostic(`seed ${seed}: ${kills} kills, ${expected.length} texts`)
    assert.deepEqual(textsOf(kept), expected)
    await assertTold(data, kept)
    await ana.leave()
  },
)
