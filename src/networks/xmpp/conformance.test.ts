import { needsProsody, type Prosody, startProsody } from '../../../test/kit/prosody.ts'
import { startTcpProxy, type TcpProxy } from '../../../test/kit/tcp-proxy.ts'
import { XmppPerson } from '../../../test/kit/xmpp-person.ts'
import type { Account, Arrival, Harness } from '../conformance/harness.ts'
import { conformance } from '../conformance/suite.ts'
import { xmpp } from './driver.ts'

/** The far end is a real Prosody, with phones of real clients; every account reaches it through a line of its own. */
class ProsodyHarness implements Harness {
  readonly driver = xmpp({ patience: { close: 300 } })
  declare readonly unavailable?: string
  readonly confirms = ['delivered', 'read'] as const
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
  }

  get #prosody(): Prosody {
    if (!this.#server) throw new Error('the far end was not started')
    return this.#server
  }

  async start(): Promise<void> {
    this.#server = await startProsody({ starttls: 'off' })
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
    const person = await XmppPerson.join(this.#prosody, this.#newName(), {
      onArrival: (arrival) => {
        arrived({ id: arrival.id, text: arrival.body })
        void person.displays(arrival)
      },
    })
    this.#persons.push(person)
    return person.address
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

  #line(account: Account): TcpProxy {
    const line = this.#lines.get(String(account.settings.address))
    if (!line) throw new Error('the account is not of this far end')
    return line
  }
}

conformance('xmpp', new ProsodyHarness())
