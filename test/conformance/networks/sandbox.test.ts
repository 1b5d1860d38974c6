import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConnectContext, DriverConnection } from '../../../src/networks/driver/connection.ts'
import type { Driver } from '../../../src/networks/driver/driver.ts'
import { addressOf } from '../../../src/networks/sandbox/address.ts'
import { SandboxConnection } from '../../../src/networks/sandbox/connection.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'
import type { ScriptedMessage } from '../../../src/networks/sandbox/people/answer.ts'
import type { TranscriptLine, TranscriptMedia } from '../../../src/networks/sandbox/people/far-end.ts'
import { keptFile } from '../../../src/networks/sandbox/people/kept-file.ts'
import { refusedToken } from '../../../src/networks/sandbox/script.ts'
import { present } from './fixture.ts'
import type { Account, Arrival, ArrivedFile, Harness, SharedFile } from './harness.ts'
import { conformance } from './suite.ts'

/** The far end is in the same process: what arrived is read from the transcript, and lines are cut by hand. */
class SandboxHarness implements Harness {
  readonly driver: Driver
  readonly confirms = ['delivered', 'read'] as const
  readonly spellings = [
    { written: 'ana@delivers.sandbox', address: 'ana@delivers.sandbox' },
    { written: 'Ana.Maria+2@Refuses-Twice.SANDBOX', address: 'ana.maria+2@refuses-twice.sandbox' },
    { written: '+4915112345678', address: '+4915112345678' },
    { written: '4915112345678', address: '+4915112345678' },
    { written: '+49 151 123-456.78', address: '+4915112345678' },
    { written: '0049 (151) 12345678', address: '+4915112345678' },
  ]
  readonly templates = {
    approved: order('en_US', 'Ana', '4711'),
    paused: { name: 'spring_sale', language: 'en_US', components: [] },
    unknown: order('pt_BR', 'Ana', '4711'),
    wrong_parameters: order('en_US', 'Ana'),
  }
  readonly #folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  readonly #transcript = join(this.#folder, 'transcript.jsonl')
  readonly #connections = new Map<unknown, SandboxConnection[]>()
  readonly #recipients = new Map<string, (arrival: Arrival) => void>()
  #linesRead = 0
  #names = 0

  constructor() {
    const driver = sandbox({ transcript: this.#transcript })
    this.driver = { ...driver, connect: (context) => this.#watched(driver.connect(context), context) }
  }

  /** Keeps the connection to cut it later, and looks into the transcript whenever an attempt has its outcome. */
  #watched(connection: DriverConnection, context: ConnectContext): DriverConnection {
    const { account } = context.settings
    if (connection instanceof SandboxConnection) {
      this.#connections.set(account, [...(this.#connections.get(account) ?? []), connection])
    }
    return {
      files: present(connection.files),
      linking: present(connection.linking),
      probe: () => connection.probe(),
      close: () => connection.close(),
      ...(connection.listTemplates && { listTemplates: connection.listTemplates.bind(connection) }),
      ...(connection.markRead && { markRead: connection.markRead.bind(connection) }),
      ...(connection.checkAddresses && { checkAddresses: connection.checkAddresses.bind(connection) }),
      ...(connection.findPicture && { findPicture: connection.findPicture.bind(connection) }),
      ...(connection.groups && { groups: connection.groups }),
      ...(connection.showTyping && { showTyping: connection.showTyping.bind(connection) }),
      send: async (message, attempt) => {
        const outcome = await connection.send(message, attempt)
        this.#readTranscript()
        return outcome
      },
    }
  }

  #readTranscript(): void {
    const lines = readFileSync(this.#transcript, { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1)
    for (const line of lines.slice(this.#linesRead)) {
      const { id, to, text, media, ...others } = JSON.parse(line) as TranscriptLine
      const arrival = { id, text: media ? '' : text, ...(media && { file: this.#kept(media) }) }
      this.#recipients.get(to)?.({ ...arrival, ...aboutIn(others), ...contentIn(others) })
    }
    this.#linesRead = lines.length
  }

  /** Returns a file of the transcript, with the size and the digest of the bytes that were kept. */
  #kept({ sha256: name, ...said }: TranscriptMedia): ArrivedFile {
    const bytes = readFileSync(join(`${this.#transcript}.files`, name))
    return { ...said, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  }

  #newName(): string {
    this.#names += 1
    return `name-${this.#names}`
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    rmSync(this.#folder, { recursive: true })
  }

  async newAccount(): Promise<Account> {
    const token = `secret-of-${this.#newName()}`
    return { settings: { account: this.#newName() }, credentials: { token }, secrets: [token] }
  }

  async refusedAccount(): Promise<Account> {
    return { ...(await this.newAccount()), credentials: { token: refusedToken }, secrets: [] }
  }

  async unreachableAccount(): Promise<Account> {
    return { ...(await this.newAccount()), settings: { behaviour: 'unreachable' } }
  }

  /** The sandbox acts by itself as if a person had used the step. */
  async unlinkedAccount() {
    const settings = { account: this.#newName(), link: 'url', links_after_seconds: 0.3 }
    return {
      account: { settings, credentials: {}, secrets: [] },
      phone: '4915112345678',
      link: async () => {},
    }
  }

  async askedAccount() {
    const account = { settings: { link: 'question' }, credentials: {}, secrets: [] }
    return { account, answer: (question: string) => question.replace(/.* /, '') }
  }

  async newRecipient(arrived: (arrival: Arrival) => void): Promise<string> {
    const address = addressOf(this.#newName(), 'reads')
    this.#recipients.set(address, arrived)
    return address
  }

  async unknownRecipient(): Promise<string> {
    return addressOf('nobody', 'unknown')
  }

  async unanswered(): Promise<string> {
    return addressOf('nobody', 'stuck')
  }

  async cut(account: Account): Promise<void> {
    for (const connection of this.#connectionsOf(account)) connection.drop()
  }

  async writeTo(account: Account, text: string): Promise<string> {
    return this.#say(account, { text })
  }

  async writeFromEach(account: Account, text: string): Promise<readonly string[]> {
    const name = this.#newName()
    const addresses = ['other-address', 'two-addresses'].map((behaviour) => addressOf(name, behaviour))
    for (const from of addresses)
      for (const connection of this.#connectionsOf(account)) connection.say(this.#newName(), from, { text })
    return addresses
  }

  async sendFileTo(account: Account, { url, caption }: SharedFile): Promise<string> {
    const file = { url, filename: null, mime_type: null }
    return this.#say(account, caption === null ? { file } : { file, text: caption })
  }

  async sendReferencedFileTo(account: Account, text: string): Promise<string> {
    return this.#say(account, { file: keptFile(text) })
  }

  #say(account: Account, said: ScriptedMessage): string {
    const from = addressOf('ana', 'replies')
    for (const connection of this.#connectionsOf(account)) connection.say(this.#newName(), from, said)
    return from
  }

  #connectionsOf(account: Account): readonly SandboxConnection[] {
    return this.#connections.get(account.settings.account) ?? []
  }
}

function aboutIn({ about, kind }: Pick<TranscriptLine, 'about' | 'kind'>): Pick<Arrival, 'about'> {
  if (about === undefined) return {}
  const as = kind === 'reaction' || kind === 'correction' || kind === 'retraction' ? kind : 'reply'
  return { about: { as, id: about } }
}

function contentIn({ kind, content }: Pick<TranscriptLine, 'kind' | 'content'>): Pick<Arrival, 'content'> {
  return content && kind ? { content: { [kind]: content } } : {}
}

function order(language: string, ...words: string[]) {
  const parameters = words.map((text) => ({ type: 'text', text }))
  return { name: 'order_update', language, components: [{ type: 'body', parameters }] }
}

conformance('sandbox', new SandboxHarness())
