import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Type from 'typebox'
import type { CaughtUp } from '../../../src/networks/driver/abilities/catching-up.ts'
import type { ConnectContext, DriverConnection } from '../../../src/networks/driver/connection.ts'
import type { Driver } from '../../../src/networks/driver/driver.ts'
import { accepted } from '../../../src/networks/driver/outcome.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'

/** A message to an account of the network. */
export interface Incoming {
  readonly id: string
  readonly from: string
  readonly text?: string
  readonly file?: { readonly url: string; readonly filename?: string; readonly mime_type?: string }
}

type Archived = Incoming & { readonly at: number }

/** The far end: for each account a file of messages, which is all that the network knows, and outlasts every server. */
export class Archives {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Writes messages to an account. A connected instance gets them at once; others find them in the archive. */
  write(box: string, ...messages: readonly Incoming[]): void {
    const lines = messages.map((message) => `${JSON.stringify({ ...message, at: Date.now() })}\n`)
    appendFileSync(join(this.#folder, box), lines.join(''))
  }

  /** The messages from an offset in the file on, and where they end. */
  read(box: string, from = 0): { messages: Archived[]; end: number } {
    const path = join(this.#folder, box)
    if (!existsSync(path)) return { messages: [], end: 0 }
    const file = openSync(path, 'r')
    const bytes = Buffer.alloc(fstatSync(file).size - from)
    readSync(file, bytes, 0, bytes.length, from)
    closeSync(file)
    const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1)
    const lines = whole.toString().split('\n').slice(0, -1)
    return { messages: lines.map((line) => JSON.parse(line) as Archived), end: from + whole.length }
  }
}

/**
 * Messages that are read at a time, the milliseconds that this takes, and the milliseconds before a moment from which
 * reading begins.
 */
const page = 20
const pageTime = 10
const overlap = 1_000
/** Milliseconds that the opening waits for the mark. */
const timeout = 500

/**
 * The network `archive`, which keeps everything that is written to its accounts. It is as awkward as a network may be: what
 * is written while an archive is read comes at once, before what is older, and again from the archive. It keeps files on this
 * machine, at the origin that `files` returns, if there is one.
 */
export function archiveNetwork(archives: Archives, files: () => string | null = () => null): Driver {
  const driver = sandbox()
  return {
    ...driver,
    network: 'archive',
    settings: Type.Object({ box: Type.String() }, { additionalProperties: false }),
    check: () => [],
    parseAddress: (address) => ({ ok: true, address }),
    connect: (context) => new ArchiveConnection(context, archives, files),
  }
}

class ArchiveConnection implements DriverConnection {
  readonly #context: ConnectContext
  readonly #archives: Archives
  readonly #box: string
  readonly #files: () => string | null
  /** The end of what was reported live. */
  #reported = 0
  #watching: NodeJS.Timeout | undefined
  #over = false

  constructor(context: ConnectContext, archives: Archives, files: () => string | null) {
    this.#context = context
    this.#files = files
    this.#archives = archives
    this.#box = String(context.settings.box)
    context.signal.addEventListener('abort', () => void this.close())
    void this.#begin()
  }

  send() {
    return Promise.resolve(accepted)
  }

  readonly files = {
    ownAddress: async ({ origin, hostname }: URL) => (origin === this.#files() ? hostname : null),
  }

  probe(): void {
    setImmediate(() => this.#over || this.#context.report({ kind: 'connection-verified' }))
  }

  async close(): Promise<void> {
    this.#over = true
    clearInterval(this.#watching)
  }

  async #begin(): Promise<void> {
    const asked = this.#context.stored.upTo()
    await Promise.race([asked, wait(timeout)])
    if (this.#over) return
    this.#context.report({ kind: 'connection-opened' })
    this.#context.report({ kind: 'account-known', address: this.#box })
    const { messages, end } = this.#archives.read(this.#box)
    this.#reported = end
    this.#watching = setInterval(() => this.#deliver(), 5)
    const mark = await asked
    if (this.#over) return
    // As if it came just now.
    const last = messages.at(-1)
    if (mark && last) this.#report(last)
    if (mark) await this.#catchUp(mark)
    if (!this.#over) this.#context.report({ kind: 'caught-up', through: null })
  }

  async #catchUp({ mark: id, at }: CaughtUp): Promise<void> {
    const { messages } = this.#archives.read(this.#box)
    const known = messages.findLastIndex((message) => message.id === id)
    const missed = known >= 0 ? messages.slice(known + 1) : messages.filter((one) => one.at >= at - overlap)
    for (let read = 0; read < missed.length && !this.#over; read += page) {
      const some = missed.slice(read, read + page)
      await wait(pageTime)
      const reports = some.map((message) => this.#report(message))
      const through = some.at(-1)?.id
      if (through !== undefined && !this.#over)
        reports.push(this.#context.report({ kind: 'caught-up', through }))
      await Promise.all(reports)
    }
  }

  /** Reports what is new. */
  #deliver(): void {
    const { messages, end } = this.#archives.read(this.#box, this.#reported)
    this.#reported = end
    for (const message of messages) this.#report(message)
  }

  #report({ id, from, at, text, file }: Archived): Promise<boolean> {
    if (this.#over) return Promise.resolve(false)
    const said = { network_message_id: id, from, conversation: from, at, text: text ?? null }
    const attached = file ? { filename: null, mime_type: null, ...file } : null
    return this.#context.report({ kind: 'message-received', ...said, file: attached })
  }
}
