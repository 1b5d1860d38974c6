import type { Driver } from '../../../src/networks/driver/driver.ts'
import { xmpp } from '../../../src/networks/xmpp/driver.ts'
import { captionId } from '../../../src/networks/xmpp/sending/message-parts.ts'
import { startTcpProxy, type TcpProxy } from '../../kit/far-ends/tcp-proxy.ts'
import { type Arrival as XmppArrival, XmppPerson } from '../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../kit/networks/xmpp/prosody.ts'
import type { Account, Arrival, ArrivedFile, Harness, SharedFile } from './harness.ts'
import { conformance } from './suite.ts'

/** The far end is a real Prosody, with phones of real clients; every account reaches it through a line of its own. */
class ProsodyHarness implements Harness {
  readonly driver: Driver
  declare readonly unavailable?: string
  readonly confirms = ['delivered', 'read'] as const
  readonly archived = true
  readonly spellings = [
    { written: 'ana@posthorn.test', address: 'ana@posthorn.test' },
    { written: 'Ana.Maria+2@Posthorn.TEST.', address: 'ana.maria+2@posthorn.test' },
    { written: 'JOÃO@bücher.example', address: 'joão@bücher.example' },
    { written: 'ana@xn--bcher-kva.example', address: 'ana@bücher.example' },
  ]
  readonly #persons: XmppPerson[] = []
  readonly #lines = new Map<string, TcpProxy>()
  #server: Prosody | null = null
  #writer: XmppPerson | null = null
  #names = 0

  constructor() {
    if (needsProsody.skip !== false) this.unavailable = needsProsody.skip
    const connect: Driver['connect'] = (context) =>
      xmpp({ timeouts: { close: 300 }, ca: this.#prosody.certificate }).connect(context)
    this.driver = { ...xmpp(), connect }
  }

  get #prosody(): Prosody {
    if (!this.#server) throw new Error('the far end was not started')
    return this.#server
  }

  async start(): Promise<void> {
    this.#server = await startProsody({ starttls: 'off', archive: true, uploads: {} })
    this.#writer = await XmppPerson.join(this.#server, 'writer')
  }

  async stop(): Promise<void> {
    await this.#writer?.leave()
    await Promise.all(this.#persons.map((person) => person.leave()))
    await Promise.all([...this.#lines.values()].map((line) => line.stop()))
    await this.#server?.remove()
  }

  #newName(): string {
    this.#names += 1
    return `name-${this.#names}`
  }

  async #account(name: string, password: string): Promise<Account> {
    const line = await startTcpProxy(this.#prosody)
    const address = this.#prosody.address(name)
    this.#lines.set(address, line)
    const settings = { address, service: `xmpp://127.0.0.1:${line.port}`, allow_plaintext: true }
    return { settings, credentials: { password }, secrets: [password] }
  }

  async newAccount(): Promise<Account> {
    const name = this.#newName()
    await this.#prosody.createUser(name, `secret-of-${name}`)
    return await this.#account(name, `secret-of-${name}`)
  }

  async refusedAccount(): Promise<Account> {
    return { ...(await this.newAccount()), credentials: { password: 'wrong' }, secrets: [] }
  }

  async unreachableAccount(): Promise<Account> {
    const account = await this.newAccount()
    await this.#line(account).stop()
    return account
  }

  async removableAccount(): Promise<Account> {
    const account = await this.#account(this.#newName(), 'unused')
    return { settings: { ...account.settings, register: true }, credentials: {}, secrets: [] }
  }

  async newRecipient(arrived: (arrival: Arrival) => void): Promise<string> {
    // A person takes time to read, and reads one thing after the other.
    let reading = Promise.resolve()
    const person: XmppPerson = await XmppPerson.join(this.#prosody, this.#newName(), {
      onArrival: (arrival) => {
        reading = reading.then(() => this.#read(person, arrival, arrived))
      },
    })
    this.#persons.push(person)
    return person.address
  }

  /** A file is fetched, and goes together with the caption after it. */
  async #read(person: XmppPerson, arrival: XmppArrival, arrived: (arrival: Arrival) => void): Promise<void> {
    const { id, text, data, about, place } = arrival
    const first = person.arrivals.find((each) => captionId(each.id) === id)
    // The words after a place say what the place says.
    const isCaption = first?.data?.description || first?.place
    const more = { ...(about && { about }), ...(place && { content: { location: place } }) }
    if (data) arrived({ id, text: '', file: await fetched(person, arrival), ...more })
    else if (!isCaption) arrived({ id, text, ...more })
    await person.displays(arrival)
  }

  async unknownRecipient(): Promise<string> {
    return this.#prosody.address('nobody')
  }

  async unanswered(account: Account): Promise<string> {
    this.#line(account).hold('to-client')
    return this.#prosody.address('writer')
  }

  async cut(account: Account): Promise<void> {
    this.#line(account).cut()
  }

  async writeTo(account: Account, text: string): Promise<string> {
    await this.#writer?.says(String(account.settings.address), text, this.#newName())
    return this.#prosody.address('writer')
  }

  writeToAbsent(account: Account, text: string): Promise<string> {
    return this.writeTo(account, text)
  }

  async sendFileTo(account: Account, { url, caption }: SharedFile): Promise<string> {
    await this.#writer?.shares(String(account.settings.address), url, caption, this.#newName())
    return this.#prosody.address('writer')
  }

  #line(account: Account): TcpProxy {
    const line = this.#lines.get(String(account.settings.address))
    if (!line) throw new Error('the account is not of this far end')
    return line
  }
}

async function fetched(person: XmppPerson, arrival: XmppArrival): Promise<ArrivedFile> {
  const { filename, mimeType = '', size, sha256 } = await person.downloads(arrival)
  const described = arrival.data?.description ?? null
  if (described !== null) await person.receives(({ id }) => id === captionId(arrival.id))
  const caption = person.arrivals.find(({ id }) => id === captionId(arrival.id))?.body ?? null
  if (caption !== described) throw new Error(`described as ${described}, with the caption ${caption}`)
  return { filename, mime_type: mimeType, size, sha256, caption }
}

conformance('xmpp', new ProsodyHarness())
