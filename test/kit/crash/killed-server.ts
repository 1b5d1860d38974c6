import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import type { BodyOf } from '../../../src/contract/operation.ts'
import { createInstance, getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../src/contract/operations/message-operations.ts'
import type { Instance } from '../../../src/contract/resources/instance.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { eventually } from '../play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../posthorn.ts'
import { randomOf } from '../random.ts'
import { kills, seed } from './kills.ts'
import { type Acknowledged, PersistentSender } from './persistent-sender.ts'

/** The fate of a text that the server had accepted. */
export interface Fate {
  readonly text: string
  readonly message: Message
}

/** Fifty in a second, for as long as a server lives before it is killed, and half a second after that. */
const textsInOneLife = 60

/** A server that is killed at random moments and started again on its data, while a far end outside it counts. */
export class KilledServer {
  readonly kills = kills
  readonly seed = seed
  readonly data = freshFolder()
  readonly #random = randomOf(this.seed)
  readonly #environment: Readonly<Record<string, string>>
  readonly #ready: ((server: PosthornProcess) => Promise<unknown>) | undefined
  #running: PosthornProcess | undefined

  /** It is not killed before it is `ready`: what takes long to begin is worth most to be broken. */
  constructor(
    environment: Readonly<Record<string, string>>,
    ready?: (server: PosthornProcess) => Promise<unknown>,
  ) {
    this.#environment = environment
    this.#ready = ready
  }

  /** The one that runs now. */
  get running(): PosthornProcess {
    return this.#running ?? assert.fail('the server does not run')
  }

  async start(): Promise<void> {
    this.#running = await spawnPosthorn(this.data, this.#environment)
  }

  /** Kills it again and again; `each` gets the process that was started afterwards. */
  async killRepeatedly(each: (server: PosthornProcess) => void | Promise<void> = () => {}): Promise<void> {
    for (let kill = 0; kill < this.kills; kill++) {
      await new Promise((resolve) => setTimeout(resolve, 50 + this.#random() * 600))
      await this.running.end('SIGKILL')
      await this.start()
      await each(this.running)
      await this.#ready?.(this.running)
    }
  }

  /** Sends texts to these people while it is killed; resolves with what was accepted, when nothing waits to be sent. */
  async sendWhileKilled(instance: string, people: readonly string[]): Promise<readonly Acknowledged[]> {
    const sender = new PersistentSender(
      this.running,
      people.map((to) => ({ instance, to, patient: true })),
    )
    await this.killRepeatedly((server) => sender.moveTo(server))
    await sender.finish()
    const depth = async () =>
      (await this.running.admin.call(getInstance, { params: { name: instance } })).body.queue.depth
    await eventually('an empty queue', depth, (length) => length === 0)
    return sender.acknowledged
  }

  /** Writes one text after the other while it is killed, no more because it starts slowly; resolves with all that were written. */
  async writeWhileKilled(write: (text: string) => Promise<unknown>): Promise<string[]> {
    const written: string[] = []
    let writing: Promise<unknown> = Promise.resolve()
    let due = textsInOneLife
    const again = setInterval(() => {
      if (due-- <= 0) return
      const text = `Text ${written.length}`
      written.push(text)
      writing = writing.then(() => write(text))
    }, 20)
    await this.killRepeatedly(() => {
      due = textsInOneLife
    })
    clearInterval(again)
    await writing
    return written
  }

  async fatesOf(accepted: readonly Acknowledged[]): Promise<Fate[]> {
    const fates: Fate[] = []
    for (const { id, text } of accepted) {
      const { body: message } = await this.running.admin.call(getMessage, { params: { id } })
      fates.push({ text, message })
    }
    return fates
  }

  /** Creates an instance, and waits until it is connected. */
  async create(body: BodyOf<typeof createInstance>): Promise<Instance> {
    const created = await this.running.admin.call(createInstance, { body, waitSeconds: 20 })
    assert.equal(created.body.status, 'connected', JSON.stringify(created.body.reason))
    return created.body
  }

  async remove(): Promise<void> {
    await this.#running?.end('SIGKILL')
    rmSync(this.data, { recursive: true, force: true })
  }
}

/** Counts how often each of these came. */
export function countsOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
