import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sendTextMessage } from '../../src/contract/operations/message-operations.ts'
import type { Event } from '../../src/contract/resources/event.ts'
import { freePort } from '../kit/far-ends/free-ports.ts'
import { allEvents } from '../kit/http/feed.ts'
import { create, eventually } from '../kit/play.ts'
import { freshFolder, ofThisRun, type PosthornProcess, spawnPosthorn } from '../kit/posthorn.ts'
import { endWithUs } from '../kit/processes/end-with-us.ts'
import type { Received, TestBroker } from './test-broker.ts'

const entry = new URL('../../src/cli/posthorn.js', import.meta.url).pathname

/** A server in a process that can be killed, with an instance of the sandbox, and the command that forwards its events. */
export class Stage {
  readonly #data: string
  readonly #port: number
  readonly cursor = join(freshFolder(), 'forward.cursor')
  #server: PosthornProcess
  #forwarder: ChildProcess | undefined
  /** The words of the forwarders on standard error. */
  said = ''
  accepted = 0

  private constructor(port: number, server: PosthornProcess, data: string) {
    this.#port = port
    this.#server = server
    this.#data = data
  }

  static async open(): Promise<Stage> {
    const port = await freePort()
    const data = join(freshFolder(), 'data')
    const server = await spawnPosthorn(data, { POSTHORN_LISTEN: `127.0.0.1:${port}` })
    await create(server.admin, 'trial')
    return new Stage(port, server, data)
  }

  get server(): PosthornProcess {
    return this.#server
  }

  /** Starts the forwarder with these words besides those for the server and the cursor. */
  forward(words: readonly string[]): void {
    const from = ['--server', this.#server.url, '--key-file', join(this.#data, 'admin.key')]
    const all = [entry, 'events', 'forward', '--cursor', this.cursor, ...from, ...words]
    const child = endWithUs(
      spawn(process.execPath, all, { env: ofThisRun(), stdio: ['ignore', 'ignore', 'pipe'] }),
    )
    child.stderr?.on('data', (chunk) => {
      this.said += chunk
    })
    this.#forwarder = child
  }

  /** Ends the forwarder by a signal; resolves with its exit code. */
  async endForwarder(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#forwarder ?? assert.fail('there is no forwarder')
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const ended = once(child, 'close')
    child.kill(signal)
    await ended
    return child.exitCode
  }

  /** Resolves with the exit code of a forwarder that ends by itself. */
  async forwarderEnds(): Promise<number | null> {
    const child = this.#forwarder ?? assert.fail('there is no forwarder')
    const ends = async () => child.exitCode
    return eventually('the forwarder to end', ends, (code) => code !== null)
  }

  async killServer(): Promise<void> {
    await this.#server.end('SIGKILL')
    this.#server = await spawnPosthorn(this.#data, { POSTHORN_LISTEN: `127.0.0.1:${this.#port}` })
  }

  /** Sends a text; repeats the request until it is accepted. */
  async send(number: number): Promise<void> {
    const body = { instance: 'trial', to: `ana-${number % 5}@accepts.sandbox`, text: `Text ${number}` }
    const ask = () =>
      this.#server.admin
        .call(sendTextMessage, { body, idempotencyKey: `text-${number}` })
        .then(() => true)
        .catch(() => false)
    await eventually(`text ${number}`, ask, Boolean, 120_000)
    this.accepted++
  }

  /** Sends until `isOver` says so. */
  async keepSending(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.send(this.accepted)
  }

  /** Resolves once so many more texts were accepted. */
  async sends(more: number): Promise<void> {
    const enough = this.accepted + more
    await eventually(
      'more texts',
      async () => this.accepted,
      (count) => count >= enough,
      120_000,
    )
  }

  /** All events of the server, in their order. */
  feed(): Promise<Event[]> {
    return allEvents(this.#server.admin, { limit: 200 })
  }

  hasCursor(): boolean {
    return existsSync(this.cursor)
  }

  async close(): Promise<void> {
    if (this.#forwarder) await this.endForwarder('SIGKILL')
    await this.#server.end('SIGKILL')
  }
}

/** Resolves with what the broker has once it has this event. */
export function arrival(broker: TestBroker, id: string): Promise<readonly Received[]> {
  const has = (received: readonly Received[]) => received.some(({ event }) => event.id === id)
  return eventually(`${id} at the broker`, () => broker.received(), has, 120_000)
}

/** Compares what a broker has with the feed; returns the number of events that it has more than once. */
export function compare(received: readonly Received[], feed: readonly Event[]): number {
  const first = new Map<string, string>()
  for (const { event, messageId } of received) {
    assert.equal(messageId, event.id)
    const text = JSON.stringify(event)
    const known = first.get(event.id)
    if (known === undefined) first.set(event.id, text)
    else assert.equal(text, known, 'a repetition is the same')
  }
  assert.deepEqual(
    [...first.keys()],
    feed.map(({ id }) => id),
    'each event is there, in the order of the feed',
  )
  return received.length - first.size
}
