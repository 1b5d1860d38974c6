import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Type from 'typebox'
import type { CaughtUp, ConnectContext, Connection, Driver } from '../../src/networks/driver.ts'
import { accepted } from '../../src/networks/outcome.ts'
import { sandbox } from '../../src/networks/sandbox/driver.ts'

/** What somebody wrote to an account of the letterbox. */
export interface Letter {
  readonly id: string
  readonly from: string
  readonly text?: string
  readonly file?: { readonly url: string; readonly filename?: string; readonly mime_type?: string }
}

type Filed = Letter & { readonly at: number }

/** The far end: for each account a file of letters, which is all that the network knows, and outlasts every server. */
export class Letterboxes {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Somebody writes. Who is connected gets it at once; everybody else finds it in the archive. */
  write(box: string, ...letters: readonly Letter[]): void {
    const lines = letters.map((letter) => `${JSON.stringify({ ...letter, at: Date.now() })}\n`)
    appendFileSync(join(this.#folder, box), lines.join(''))
  }

  /** The letters from a place in the file on, and where they end. */
  read(box: string, from = 0): { letters: Filed[]; end: number } {
    const path = join(this.#folder, box)
    if (!existsSync(path)) return { letters: [], end: 0 }
    const file = openSync(path, 'r')
    const bytes = Buffer.alloc(fstatSync(file).size - from)
    readSync(file, bytes, 0, bytes.length, from)
    closeSync(file)
    const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1)
    const lines = whole.toString().split('\n').slice(0, -1)
    return { letters: lines.map((line) => JSON.parse(line) as Filed), end: from + whole.length }
  }
}

/** How many letters are read at a time, how long that takes, and how long before a moment reading begins; in milliseconds. */
const page = 20
const pageTime = 10
const overlap = 1_000
/** How long the opening waits for the place to go on from, in milliseconds. */
const timeout = 500

/**
 * The network `letterbox`, which keeps everything that is written to its accounts. It is as awkward as a network may be: what
 * is written while an archive is read comes at once, before what is older, and again from the archive. It keeps files on this
 * machine, at the origin that `files` tells, where there is one.
 */
export function letterbox(boxes: Letterboxes, files: () => string | null = () => null): Driver {
  const driver = sandbox()
  return {
    ...driver,
    network: 'letterbox',
    settings: Type.Object({ box: Type.String() }, { additionalProperties: false }),
    check: () => [],
    parseAddress: (address) => ({ ok: true, address }),
    connect: (context) => new LetterboxConnection(context, boxes, files),
  }
}

class LetterboxConnection implements Connection {
  readonly #context: ConnectContext
  readonly #boxes: Letterboxes
  readonly #box: string
  readonly #files: () => string | null
  /** The end of what was told as it came. */
  #told = 0
  #watching: NodeJS.Timeout | undefined
  #over = false

  constructor(context: ConnectContext, boxes: Letterboxes, files: () => string | null) {
    this.#context = context
    this.#files = files
    this.#boxes = boxes
    this.#box = String(context.settings.box)
    context.signal.addEventListener('abort', () => void this.close())
    void this.#begin()
  }

  send() {
    return Promise.resolve(accepted)
  }

  async ownFileAddress({ origin, hostname }: URL): Promise<string | null> {
    return origin === this.#files() ? hostname : null
  }

  probe(): void {
    setImmediate(() => this.#over || this.#context.report({ kind: 'connection-verified' }))
  }

  async close(): Promise<void> {
    this.#over = true
    clearInterval(this.#watching)
  }

  async #begin(): Promise<void> {
    const asked = this.#context.caughtUp()
    await Promise.race([asked, wait(timeout)])
    if (this.#over) return
    this.#context.report({ kind: 'connection-opened' })
    this.#context.report({ kind: 'account-known', address: this.#box })
    const { letters, end } = this.#boxes.read(this.#box)
    this.#told = end
    this.#watching = setInterval(() => this.#tell(), 5)
    const place = await asked
    if (this.#over) return
    // As if it came in this moment.
    const last = letters.at(-1)
    if (place && last) this.#report(last)
    if (place) await this.#catchUp(place)
    if (!this.#over) this.#context.report({ kind: 'caught-up', through: null })
  }

  async #catchUp({ network_message_id: id, at }: CaughtUp): Promise<void> {
    const { letters } = this.#boxes.read(this.#box)
    const known = letters.findLastIndex((letter) => letter.id === id)
    const missed = known >= 0 ? letters.slice(known + 1) : letters.filter((one) => one.at >= at - overlap)
    for (let read = 0; read < missed.length && !this.#over; read += page) {
      const some = missed.slice(read, read + page)
      await wait(pageTime)
      for (const letter of some) this.#report(letter)
      const through = some.at(-1)?.id
      if (through !== undefined && !this.#over) this.#context.report({ kind: 'caught-up', through })
      await this.#context.caughtUp()
    }
  }

  /** Tells what is new. */
  #tell(): void {
    const { letters, end } = this.#boxes.read(this.#box, this.#told)
    this.#told = end
    for (const letter of letters) this.#report(letter)
  }

  #report({ id, from, at, text, file }: Filed): void {
    if (this.#over) return
    const said = { network_message_id: id, from, conversation: from, at, text: text ?? null }
    const attached = file ? { filename: null, mime_type: null, ...file } : null
    this.#context.report({ kind: 'message-received', ...said, file: attached })
  }
}
