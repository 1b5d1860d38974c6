import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Prosody } from './prosody.ts'

const python = '/usr/bin/python3'
const program = fileURLToPath(new URL('slixmpp-client.py', import.meta.url))
const isInstalled = spawnSync(python, ['-c', 'import slixmpp']).status === 0

/**
 * For `test` and `describe`: skips with the reason where slixmpp is missing and not required with
 * `POSTHORN_TEST_REQUIRE=slixmpp`.
 */
export const needsSlixmpp: { skip: string | false } = {
  skip: isInstalled || isRequired() ? false : 'slixmpp is not installed (Debian package “python3-slixmpp”)',
}

function isRequired(): boolean {
  return (process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes('slixmpp')
}

/** A message as the plugins of slixmpp read it; a field is missing if the message has nothing of the kind. */
export interface ReadMessage {
  readonly id: string
  readonly body: string
  readonly replaces?: string
  readonly reply?: { readonly to: string; readonly id: string }
  readonly reactions?: { readonly id: string; readonly emojis: readonly string[] }
  readonly place?: Readonly<Record<'lat' | 'lon' | 'text', number | string | null>>
  /** True if servers are to keep it for an absent recipient. */
  readonly stored: boolean
}

/** An order to the client; the fields are those of the program. */
export type Order = { readonly do: string; readonly to: string } & Readonly<Record<string, unknown>>

/** A client of a library that others wrote, which reads and writes messages by its own understanding of the extensions. */
export class SlixmppClient {
  readonly address: string
  readonly messages: ReadMessage[] = []
  readonly #child: ChildProcess
  readonly #watchers = new Set<() => void>()

  private constructor(address: string, child: ChildProcess) {
    this.address = address
    this.#child = child
  }

  /** Creates the account and logs in to it. */
  static async join(server: Prosody, name: string): Promise<SlixmppClient> {
    const password = `${name}-secret`
    await server.createUser(name, password)
    const given = [server.address(name), password, String(server.port)]
    // It ends with its standard input, so that it never outlives the tests.
    const child = spawn(python, [program, ...given], { stdio: ['pipe', 'pipe', 'inherit'], cwd: tmpdir() })
    const client = new SlixmppClient(server.address(name), child)
    await client.#begin()
    return client
  }

  /** The first message that fits, present or future. */
  async receives(fits: (message: ReadMessage) => boolean): Promise<ReadMessage> {
    for (;;) {
      const found = this.messages.find(fits)
      if (found) return found
      await new Promise<void>((resolve) => this.#watchers.add(resolve))
    }
  }

  performs(order: Order): void {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`)
  }

  async leave(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill()
    await once(this.#child, 'exit')
  }

  async #begin(): Promise<void> {
    const { stdout } = this.#child
    if (!stdout) throw new Error('the client has no standard output')
    const ready = Promise.withResolvers<void>()
    this.#child.once('exit', () => ready.reject(new Error('the client of slixmpp ended before it was ready')))
    createInterface(stdout).on('line', (line) => {
      const { event, ...message } = JSON.parse(line)
      if (event === 'ready') ready.resolve()
      else this.#add(message)
    })
    await ready.promise
  }

  #add(message: ReadMessage): void {
    this.messages.push(message)
    for (const wake of this.#watchers) wake()
    this.#watchers.clear()
  }
}
