import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kills, seed } from '../kit/crash/kills.ts'
import { randomOf } from '../kit/random.ts'
import { badDay, noFaults } from '../simulators/chatwoot/faults.ts'
import type { StoredMessage } from '../simulators/chatwoot/world.ts'
import { Fixture } from './fixture.ts'
import { patiently } from './patiently.ts'

/*
 * Contacts and agents write to each other while the bridge, Posthorn and Chatwoot are killed, Chatwoot has a bad day, and webhooks
 * are lost, repeated and late. The two far ends count: the people at the sandbox, and the database of Chatwoot.
 */

const random = randomOf(seed)
const people = ['ana', 'bea', 'cleo', 'dan'].map((name) => `${name}@reads.sandbox`)
const fixture = new Fixture({ BRIDGE_SWEEP_SECONDS: '3' }, random)
const { chatwoot } = fixture

before(() => fixture.start())
after(() => fixture.stop())

/** The texts of a person: those that Posthorn took, and those of which the person does not know. */
class Writer {
  readonly taken: string[] = []
  readonly unsure: string[] = []
  readonly #person: string

  constructor(person: string) {
    this.#person = person
  }

  async write(): Promise<void> {
    const text = `Text ${this.taken.length + this.unsure.length} of ${this.#person}`
    try {
      await fixture.personWrites(this.#person, text)
      this.taken.push(text)
    } catch {
      this.unsure.push(text)
    }
  }
}

/** An agent who writes to everyone who has written, sometimes with a file or a note. */
class Agent {
  readonly replies: StoredMessage[] = []

  write(): void {
    const { conversations } = chatwoot.world
    const conversation = conversations[Math.floor(random() * conversations.length)]
    if (!conversation) return
    if (random() < 0.2) chatwoot.agentWrites(conversation, { content: 'A note', isPrivate: true })
    const content = `Reply ${this.replies.length}`
    const file = { name: 'list.txt', contentType: 'text/plain', bytes: Buffer.from(content) }
    const files = random() < 0.2 ? [file] : []
    this.replies.push(chatwoot.agentWrites(conversation, { content, files }))
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Kills one of the three, and starts it again a little later. */
async function killOne(which: number): Promise<void> {
  const { bridge, posthorn } = fixture
  if (which === 0) await bridge.end('SIGKILL')
  else if (which === 1) await posthorn.end('SIGKILL')
  else await chatwoot.crash()
  await pause(random() * 400)
  if (which === 0) await fixture.startBridge()
  else if (which === 1) await fixture.startPosthorn()
  else await chatwoot.start()
}

/** Lets everyone write until all kills are done. */
async function writeWhileKilling(writers: readonly Writer[], agent: Agent): Promise<void> {
  let isOver = false
  const contacts = writers.map(async (writer) => {
    while (!isOver) {
      await writer.write()
      await pause(300 + random() * 400)
    }
  })
  const agents = (async () => {
    while (!isOver) {
      agent.write()
      await pause(random() * 400)
    }
  })()
  for (let kill = 0; kill < kills + 1 && fixture.crashes.length === 0; kill++) {
    await pause(200 + random() * 800)
    await killOne(kill % 3)
  }
  isOver = true
  await Promise.all([...contacts, agents])
}

test('nothing is lost or doubled while all three are killed', { timeout: 280_000 }, async (context) => {
  context.diagnostic(`POSTHORN_TEST_SEED=${seed}`)
  const writers = people.map((person) => new Writer(person))
  for (const writer of writers) await writer.write()
  await patiently(
    'conversations',
    async () => chatwoot.world.conversations.length,
    (n) => n === people.length,
  )
  const agent = new Agent()
  chatwoot.faults = { ...badDay }
  await writeWhileKilling(writers, agent)

  const taken = writers.flatMap((writer) => writer.taken)
  const unsure = new Set(writers.flatMap((writer) => writer.unsure))
  const shown = () =>
    people.flatMap((person) => fixture.shownOf(person)).filter(({ type }) => type === 'incoming')
  const missing = async () => taken.filter((text) => !shown().some(({ content }) => content === text))
  await patiently('Chatwoot to show most', missing, ({ length }) => length < taken.length / 4)
  chatwoot.faults = { ...noFaults }
  await patiently('Chatwoot to show all', missing, ({ length }) => length === 0)
  const unread = async () =>
    agent.replies.filter(({ status }) => status !== 'read').map(({ content }) => content)
  await patiently('all replies to be read', unread, ({ length }) => length === 0)
  const health = async () => (await fetch(new URL('/healthz', fixture.bridge.webhookUrl))).text()
  await patiently('the bridge to have nothing to do', health, (text) => text.includes('"incoming":0'))

  const texts = shown().map(({ content }) => content ?? '')
  context.diagnostic(
    `${texts.length} texts, ${agent.replies.length} replies; ${JSON.stringify(Object.fromEntries(countsOf(chatwoot.answered)))}`,
  )
  assert.deepEqual(
    [...countsOf(texts)].filter(([, count]) => count > 1),
    [],
    'no text stands twice',
  )
  assert.deepEqual(
    texts.filter((text) => !taken.includes(text) && !unsure.has(text)),
    [],
    'nothing else stands there',
  )
  assert.equal(chatwoot.world.conversations.length, people.length, 'everyone has one conversation')
  for (const person of people) checkPerson(person, agent)
  assert.deepEqual(fixture.crashes, [], 'the bridge never ended by itself')
})

/** Checks that a person got each reply once, in the order in which they were written, and saw their own texts in order. */
function checkPerson(person: string, { replies }: Agent): void {
  const meant = replies.filter(({ conversation }) => conversation.sourceId === person)
  const arrived = fixture.arrivedAt(person).map(({ text }) => text)
  assert.deepEqual(
    arrived,
    meant.map(({ content }) => content),
    `the replies to ${person}`,
  )
  const own = fixture.shownOf(person).filter(({ type }) => type === 'incoming')
  const numbers = own.map(({ content }) => Number(/Text (\d+)/.exec(content ?? '')?.[1]))
  assert.deepEqual(
    numbers,
    numbers.toSorted((one, other) => one - other),
    `the texts of ${person}`,
  )
}

function countsOf(values: readonly string[]): Map<string, number> {
  return new Map([...Map.groupBy(values, (value) => value)].map(([value, { length }]) => [value, length]))
}
