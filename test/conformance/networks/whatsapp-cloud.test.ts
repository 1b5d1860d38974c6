import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe } from 'node:test'
import type { ConnectContext, DriverConnection } from '../../../src/networks/driver/connection.ts'
import type { Driver } from '../../../src/networks/driver/driver.ts'
import { whatsappCloud } from '../../../src/networks/whatsapp-cloud/driver.ts'
import { arrivalOf } from '../../kit/networks/whatsapp-cloud/arrived.ts'
import {
  startWhatsAppCloud,
  type WhatsAppCloud,
} from '../../simulators/whatsapp-cloud/start-whatsapp-cloud.ts'
import { present } from './fixture.ts'
import type { Account, Arrival, Harness } from './harness.ts'
import { callbackLaws } from './laws/callback.ts'
import { connectionLaws } from './laws/connection.ts'
import { contentLaws } from './laws/contents.ts'
import { followingLaws } from './laws/following.ts'
import { groupLaws } from './laws/groups.ts'
import { receivingLaws } from './laws/receiving.ts'
import { referenceLaws } from './laws/reference.ts'
import { sendingLaws } from './laws/sending.ts'
import { templateLaws } from './laws/template.ts'
import { textLaws } from './laws/text.ts'
import { valueLaws } from './laws/value.ts'

/** More than the laws have accounts: people can only be written to by numbers that were there when they wrote. */
const numbers = 200

/** The far end is a process of its own. What it calls back goes to the connections of the number. */
class CloudHarness implements Harness {
  readonly confirms = ['delivered', 'read'] as const
  readonly spellings = [
    { written: '+4915112345678', address: '+4915112345678' },
    { written: '+49 151 123-456.78', address: '+4915112345678' },
    { written: '0049 (151) 12345678', address: '+4915112345678' },
    { written: 'US.13491208655302741918', address: 'US.13491208655302741918' },
  ]
  readonly templates = {
    approved: greeting('approved', 'Ada'),
    paused: greeting('paused', 'Ada'),
    unknown: greeting('unheard_of', 'Ada'),
    wrong_parameters: greeting('approved', 'Ada', 'Lovelace'),
  }
  readonly credentials = {
    access_token: 'EAAtoken',
    app_secret: 'a-secret-of-the-app',
    verify_token: 'a-word-of-ours',
  }
  readonly #connections = new Map<unknown, Set<DriverConnection>>()
  readonly #recipients = new Map<string, (arrival: Arrival) => void>()
  #cloud: WhatsAppCloud | undefined
  #server: Server | undefined
  #url = 'http://127.0.0.1:9'
  #seen = 0
  #people = 0
  #accounts = 0
  #calls = 0

  readonly driver: Driver = {
    ...whatsappCloud({
      baseUrl: 'http://127.0.0.1:9',
      app: { app_secret: 'a-secret-of-the-operator', verify_token: 'a-word-of-the-operator' },
    }),
    connect: (context) => this.#watched(whatsappCloud({ baseUrl: this.#url }).connect(context), context),
  }

  get cloud(): WhatsAppCloud {
    return present(this.#cloud)
  }

  async start(): Promise<void> {
    this.#cloud = await startWhatsAppCloud()
    this.#url = this.#cloud.url
    for (let index = 1; index <= numbers; index++)
      await this.#cloud.control('number', {
        id: this.#numberId(index),
        waba: this.#cloud.waba,
        display_phone_number: `1555${String(1_000_000 + index)}`,
      })
    for (const status of ['APPROVED', 'PAUSED'] as const) {
      const name = status.toLowerCase()
      await this.#cloud.control('template', {
        name,
        status,
        components: [{ type: 'BODY', text: 'Hello {{1}}' }],
      })
    }
    const server = createServer((request, response) => void this.#hear(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    this.#server = server
    const callback = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await this.#cloud.control('app', {
      callback,
      verify_token: this.credentials.verify_token,
      subscribe: true,
    })
    await this.#cloud.control('settings', { receives: 'read', throughput: 10_000 })
  }

  async stop(): Promise<void> {
    await this.#cloud?.stop()
    this.#server?.close()
    this.#server?.closeAllConnections()
  }

  async newAccount(): Promise<Account> {
    this.#accounts += 1
    const settings = {
      phone_number_id: this.#numberId(this.#accounts),
      business_account_id: this.cloud.waba,
    }
    const number = settings.phone_number_id
    for (let count = 0; count < 3; count++) await this.cloud.control('group', { people: [], number })
    return { settings, credentials: this.credentials, secrets: Object.values(this.credentials) }
  }

  async refusedAccount(): Promise<Account> {
    const credentials = { ...this.credentials, access_token: 'EAAunknown' }
    return { ...(await this.newAccount()), credentials, secrets: Object.values(credentials) }
  }

  async newRecipient(arrived: (arrival: Arrival) => void): Promise<string> {
    this.#people += 1
    const phone = `49151${String(20_000_000 + this.#people)}`
    await this.cloud.control('person', { phone, wrote_ago: 1_000 })
    this.#recipients.set(phone, arrived)
    return `+${phone}`
  }

  async unknownRecipient(): Promise<string> {
    return '+4915100000000'
  }

  /** Nothing lasts between requests: the next probe finds the line broken. */
  async cut(): Promise<void> {
    await this.cloud.fault('http', { operation: 'object', kind: 'cut', taken: false })
  }

  async writeTo(account: Account, text: string): Promise<string> {
    return this.#act(account, { act: 'text', body: text })
  }

  async writeFromEach(account: Account, text: string): Promise<readonly string[]> {
    const phone = await this.newRecipient(() => {})
    const number = String(account.settings.phone_number_id)
    const { user_id } = await this.cloud.control('change', { person: phone })
    const write = () => this.cloud.control('act', { person: user_id, number, act: 'text', body: text })
    await write()
    await this.cloud.control('change', { person: user_id, username: 'hidden' })
    await write()
    return [user_id, phone]
  }

  async sendElsewhere(account: Account, text: string): Promise<string> {
    const person = await this.newRecipient(() => {})
    const number = String(account.settings.phone_number_id)
    await this.cloud.control('echo', { person, number, body: text })
    return person
  }

  async sendReferencedFileTo(account: Account, text: string): Promise<string> {
    const bytes = Buffer.from(text).toString('base64')
    return this.#act(account, { act: 'document', bytes, mime_type: 'text/plain', filename: 'note.txt' })
  }

  async #act(
    account: Account,
    act:
      | { act: 'text'; body: string }
      | { act: 'document'; bytes: string; mime_type: string; filename: string },
  ) {
    const address = await this.newRecipient(() => {})
    const number = String(account.settings.phone_number_id)
    await this.cloud.control('act', { person: address, number, ...act })
    return address
  }

  #numberId(index: number): string {
    return String(300_000_000_000_000 + index)
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const rawBody = Buffer.concat(chunks)
    const query = Object.fromEntries(new URL(request.url ?? '', 'http://posthorn.test').searchParams)
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value]] : [],
      ),
    )
    const method = request.method === 'GET' ? 'GET' : 'POST'
    const asked = { method, query, headers, rawBody } as const
    const verdict = present(this.driver.callbacks).verify(asked, {}, this.credentials)
    if (verdict.kind === 'keep') await this.#handOver(rawBody)
    response
      .writeHead(verdict.kind === 'keep' ? 200 : verdict.status)
      .end(verdict.kind === 'response' ? verdict.body : '')
  }

  async #handOver(body: Buffer): Promise<void> {
    this.#calls += 1
    const id = `cb_${this.#calls}`
    for (const [number, connections] of this.#connections) {
      if (!body.includes(`"phone_number_id":"${number}"`)) continue
      // One that has ended rejects.
      for (const connection of connections)
        await connection
          .receive?.({ id, received_at: Date.now(), body })
          .catch(() => connections.delete(connection))
    }
  }

  /** Keeps the connection for callbacks, and looks at what the far end took whenever an attempt has its outcome. */
  #watched(connection: DriverConnection, { settings }: ConnectContext): DriverConnection {
    const number = settings.phone_number_id
    const connections = this.#connections.get(number) ?? new Set()
    this.#connections.set(number, connections.add(connection))
    const send = connection.send.bind(connection)
    connection.send = async (message, attempt) => {
      const outcome = await send(message, attempt)
      await this.#look()
      return outcome
    }
    return connection
  }

  async #look(): Promise<void> {
    const taken = await this.cloud.control('taken', {})
    for (const message of taken.slice(this.#seen))
      this.#recipients.get(message.recipient)?.(arrivalOf(message))
    this.#seen = Math.max(this.#seen, taken.length)
  }
}

function greeting(name: string, ...words: string[]) {
  const parameters = words.map((text) => ({ type: 'text', text }))
  return { name, language: 'en_US', components: [{ type: 'body', parameters }] }
}

const harness = new CloudHarness()

// Meta refuses the files of the laws about files by their types: `sending.test.ts` has files of its own.
describe('the driver whatsapp-cloud', () => {
  describe('as a value', () => valueLaws(harness))
  describe('called back', () => callbackLaws(harness.driver))
  describe('at its far end', () => {
    before(() => harness.start())
    after(() => harness.stop())
    describe('connecting', () => connectionLaws(harness))
    describe('sending', () => sendingLaws(harness))
    describe('receiving', () => receivingLaws(harness))
    describe('receiving files by reference', () => referenceLaws(harness))
    describe('texts', () => textLaws(harness))
    describe('templates', () => templateLaws(harness))
    describe('following', () => followingLaws(harness))
    describe('contents', () => contentLaws(harness))
    describe('groups', () => groupLaws(harness))
  })
})
