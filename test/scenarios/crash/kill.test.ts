import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createInstance, getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../src/contract/operations/message-operations.ts'
import type { MessageEventData } from '../../../src/contract/resources/event.ts'
import { countArrivals, type Seen } from '../../kit/crash/count-arrivals.ts'
import { kills, seed } from '../../kit/crash/kills.ts'
import { type Line, PersistentSender } from '../../kit/crash/persistent-sender.ts'
import { allEvents, range, sequences } from '../../kit/http/feed.ts'
import { XmppPerson } from '../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../kit/networks/xmpp/prosody.ts'
import { eventually } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { randomOf } from '../../kit/random.ts'

/** Quick recipients make load; at slow ones a kill finds attempts under way. */
const behaviours = [
  { behaviour: 'delivers', patient: false },
  { behaviour: 'accepts', patient: false },
  { behaviour: 'slow-500ms', patient: true },
  { behaviour: 'refuses-twice', patient: true },
  { behaviour: 'loses', patient: true },
]

/** Kills the server without warning, again and again, at random moments while the sender works. */
async function killRepeatedly(
  start: () => Promise<PosthornProcess>,
  first: PosthornProcess,
  sender: PersistentSender,
): Promise<PosthornProcess> {
  const random = randomOf(seed)
  let server = first
  for (let kill = 0; kill < kills; kill++) {
    const before = sender.acknowledged.length
    await new Promise((resolve) => setTimeout(resolve, 30 + random() * 600))
    // A moment may be too short for anything on a busy machine; every other kill finds something that can be lost.
    const isMore = (count: number) => kill % 2 === 0 || count > before
    await eventually('a message to be acknowledged', async () => sender.acknowledged.length, isMore)
    await server.end('SIGKILL')
    server = await start()
    sender.moveTo(server)
  }
  return server
}

async function queueIsEmpty(server: PosthornProcess, instance: string): Promise<void> {
  for (;;) {
    const { body } = await server.admin.call(getInstance, { params: { name: instance } })
    if (body.queue.depth === 0) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function assertKept(
  sender: PersistentSender,
  seen: readonly Seen[],
  context: { diagnostic(text: string): void },
) {
  const count = countArrivals(sender.acknowledged, seen)
  context.diagnostic(
    `seed ${seed}: ${kills} kills, ${sender.acknowledged.length} acknowledged, ${seen.length} arrived, ${count.repeats} of them repeats with the same id`,
  )
  assert.deepEqual(
    { ...count, repeats: 0 },
    { lost: [], doubled: [], renamed: [], overtaking: [], repeats: 0 },
  )
}

/** The server's own books must agree with the far end's: what arrived is not called failed, unknown or expired. */
async function assertTold(server: PosthornProcess, sender: PersistentSender): Promise<void> {
  for (const { id } of sender.acknowledged.slice(-200)) {
    const { body } = await server.admin.call(getMessage, { params: { id } })
    assert.ok(['sent', 'delivered', 'read'].includes(body.status), `${id} is ${body.status}`)
  }
}

/** The journal must agree too: no number is missing, and each message that was acknowledged was told once as queued. */
async function assertJournal(server: PosthornProcess, sender: PersistentSender): Promise<void> {
  const events = await allEvents(server.admin, { limit: 200 })
  assert.deepEqual(sequences(events), range(1, events.length))
  const queuedIds = events.flatMap(({ type, data }) =>
    type === 'message.queued' ? [(data as MessageEventData).message.id] : [],
  )
  const times = new Map<string, number>()
  for (const id of queuedIds) times.set(id, (times.get(id) ?? 0) + 1)
  assert.deepEqual(
    sender.acknowledged.filter(({ id }) => times.get(id) !== 1),
    [],
  )
}

describe('the server is killed at random moments under load, and the far end counts', () => {
  let data: string
  let prosody: Prosody | undefined
  let running: PosthornProcess | undefined

  /** Remembers the server, so that it ends with a test that fails. */
  async function spawned(folder: string, environment: Record<string, string> = {}): Promise<PosthornProcess> {
    running = await spawnPosthorn(folder, environment)
    return running
  }

  before(() => {
    data = freshFolder()
  })
  after(async () => {
    await running?.end('SIGKILL')
    await prosody?.remove()
    rmSync(data, { recursive: true, force: true })
  })

  test('sandbox: everything acknowledged arrived, under one id, in order, and is told once', async (context) => {
    const folder = join(data, 'sandbox')
    const transcript = join(data, 'transcript.jsonl')
    const start = () => spawned(folder, { POSTHORN_SANDBOX_TRANSCRIPT: transcript })
    const first = await start()
    await first.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
    const lines: Line[] = behaviours.flatMap(({ behaviour, patient }) =>
      ['ana', 'ben', 'cem', 'dua'].map((name) => ({
        instance: 'trial',
        to: `${name}@${behaviour}.sandbox`,
        patient,
      })),
    )
    const sender = new PersistentSender(first, lines)
    const last = await killRepeatedly(start, first, sender)
    await sender.finish()
    await queueIsEmpty(last, 'trial')
    await assertTold(last, sender)
    await assertJournal(last, sender)
    await last.end('SIGTERM')

    assert.ok(existsSync(transcript))
    const seen: Seen[] = readFileSync(transcript, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line))
    assertKept(sender, seen, context)
  })

  test('XMPP: everything acknowledged arrived, under one id, in order', needsProsody, async (context) => {
    prosody = await startProsody({ starttls: 'off' })
    const seen: Seen[] = []
    const onArrival = ({ id, body }: { id: string; body: string }) => seen.push({ id, text: body })
    const people = await Promise.all(
      ['ana', 'ben', 'cem'].map((name) => XmppPerson.join(prosody as Prosody, name, { onArrival })),
    )
    await prosody.createUser('support', 'support-secret')
    const folder = join(data, 'xmpp')
    const start = () => spawned(folder)
    const first = await start()
    const settings = {
      address: prosody.address('support'),
      service: `xmpp://127.0.0.1:${prosody.port}`,
      allow_plaintext: true,
      pacing: { messages: 10_000, seconds: 1 },
    }
    const body = { name: 'support', network: 'xmpp', settings, credentials: { password: 'support-secret' } }
    const created = await first.admin.call(createInstance, { body, waitSeconds: 20 })
    assert.equal(created.body.status, 'connected', JSON.stringify(created.body.reason))

    const sender = new PersistentSender(
      first,
      people.map(({ address }) => ({ instance: 'support', to: address })),
    )
    const last = await killRepeatedly(start, first, sender)
    await sender.finish()
    await queueIsEmpty(last, 'support')
    await assertTold(last, sender)
    await last.end('SIGTERM')
    await Promise.all(people.map((person) => person.leave()))
    assertKept(sender, seen, context)
  })
})
