import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import { connectionSettings } from './postgres-connection.ts'

const channel = 'posthorn'
/** PostgreSQL takes less than 8,000 bytes at once. */
const largest = 7_500
/** Milliseconds for which hints are collected, until the channel must have brought a text back, and between two such tests. */
const collecting = 10
const answerWithin = 3_000
const testEvery = 30_000
/** Milliseconds before it is opened again: soon if its connection broke, and late if it brings nothing. */
const openAgainAfter = 2_000
const tryAgainAfter = 300_000
/** Milliseconds that its connection may take to close. */
const closeWithin = 2_000
/** Hints that may wait to be sent, also until the channel works; more are dropped, since their hearers also look by themselves. */
const most = 5_000

interface HintChannelOptions {
  readonly url: string
  /** Names this process. */
  readonly sender: string
  readonly log: Log
  readonly hear: (hint: string) => void
}

class BringsNothing extends Error {}

/** A text on the channel: hints of a process, or a test of its own, which names no hint. */
interface Notice {
  readonly from: string
  readonly hints: readonly string[]
}

/**
 * Passes hints between the processes on a database, over LISTEN and NOTIFY on a connection of its own. Some may be lost, and none
 * comes where LISTEN does not work, as behind PgBouncer in transaction mode: it finds that out by hearing itself.
 */
export class HintChannel {
  readonly #options: HintChannelOptions
  #client: pg.Client | undefined
  #waiting = new Set<string>()
  #isSending = false
  #heardItself: (() => void) | undefined
  /** True if hints of others come, as far as it knows. */
  works = false
  /** True once it has brought nothing back, until it does. */
  #isInVain = false
  readonly #end = new AbortController()
  readonly #running: Promise<void>

  constructor(options: HintChannelOptions) {
    this.#options = options
    this.#running = this.#run()
  }

  /** Sends a hint to the other processes, if it can: one of a process that has just begun when the channel works. */
  send(hint: string): void {
    if (this.#isInVain || this.#waiting.size >= most) return
    this.#waiting.add(hint)
    if (this.works) this.#sendSoon()
  }

  async end(): Promise<void> {
    this.#end.abort()
    // A connection that does not close holds up no server that stops.
    const late = new AbortController()
    await Promise.race([this.#running, wait(closeWithin, undefined, { signal: late.signal })])
    late.abort()
  }

  async #run(): Promise<void> {
    const { signal } = this.#end
    while (!signal.aborted) {
      const failure = await this.#listen().catch((error: Error) => error)
      this.#options.log.debug({ err: failure }, 'the channel for hints has failed')
      this.works = false
      this.#isInVain = failure instanceof BringsNothing
      // By the time that it works again, they may say what is true no longer, such as that a person types.
      this.#waiting.clear()
      await wait(this.#isInVain ? tryAgainAfter : openAgainAfter, undefined, { signal }).catch(() => {})
    }
  }

  /** Listens until the connection breaks, or nothing comes back. */
  async #listen(): Promise<void> {
    const client = new pg.Client(connectionSettings(this.#options.url))
    this.#client = client
    const broken = new Promise<never>((_, reject) => {
      client.on('error', reject).on('end', () => reject(new Error('the connection has ended')))
    })
    broken.catch(() => {})
    try {
      await client.connect()
      client.on('notification', ({ payload }) => this.#hear(payload))
      await client.query(`listen ${channel}`)
      for (;;) {
        await Promise.race([broken, this.#hearItself()])
        this.works = true
        this.#isInVain = false
        if (this.#waiting.size > 0) this.#sendSoon()
        await Promise.race([broken, wait(testEvery, undefined, { signal: this.#end.signal })])
      }
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** From a connection of its own: a pooler may bring back at once what came on the same one, and nothing that comes later. */
  async #hearItself(): Promise<void> {
    const heard = Promise.withResolvers<void>()
    this.#heardItself = heard.resolve
    const calling = new pg.Client(connectionSettings(this.#options.url))
    calling.on('error', () => {})
    try {
      await calling.connect()
      await this.#notify(calling, [])
    } finally {
      await calling.end().catch(() => {})
    }
    const silent = wait(answerWithin, undefined, { signal: this.#end.signal, ref: false }).then(() => {
      throw new BringsNothing('LISTEN brings nothing back, as behind a pooler of transactions')
    })
    await Promise.race([heard.promise, silent])
  }

  async #notify(client: pg.Client, hints: readonly string[]): Promise<void> {
    const notice: Notice = { from: this.#options.sender, hints }
    const payload = client.escapeLiteral(JSON.stringify(notice))
    // For this transaction alone: behind a pooler, the next one of this connection may be another process's.
    await client.query(`begin; set local synchronous_commit = off; notify ${channel}, ${payload}; commit`)
  }

  #sendSoon(): void {
    if (this.#isSending) return
    this.#isSending = true
    setTimeout(() => void this.#send(), collecting)
  }

  async #send(): Promise<void> {
    const client = this.#client
    try {
      while (client && this.works && this.#waiting.size > 0) await this.#notify(client, this.#take())
    } catch {
      // The loop that listens opens the channel again.
    } finally {
      this.#isSending = false
    }
  }

  /** As many of the hints that wait as PostgreSQL takes at once. */
  #take(): string[] {
    const taken: string[] = []
    let bytes = 0
    for (const hint of this.#waiting) {
      bytes += Buffer.byteLength(hint) + 3
      if (bytes > largest) break
      taken.push(hint)
      this.#waiting.delete(hint)
    }
    return taken
  }

  /** Drops what no node of ours has sent: everything that may use the database may write to the channel. */
  #hear(payload: string | undefined): void {
    const { from, hints } = noticeIn(payload)
    if (from !== this.#options.sender) for (const hint of hints) this.#options.hear(hint)
    else if (hints.length === 0) this.#heardItself?.()
  }
}

function noticeIn(payload: string | undefined): Notice {
  try {
    const { from, hints } = JSON.parse(payload ?? '') as Notice
    if (typeof from === 'string' && Array.isArray(hints))
      return { from, hints: hints.filter((hint) => typeof hint === 'string') }
  } catch {}
  return { from: '', hints: [] }
}
