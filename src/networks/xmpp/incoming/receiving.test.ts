import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { startTcpProxy, type TcpProxy } from '../../../../test/kit/far-ends/tcp-proxy.ts'
import { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { XmppPerson } from '../../../../test/kit/networks/xmpp/person.ts'
import {
  needsProsody,
  type Prosody,
  type ProsodyOptions,
  startProsody,
} from '../../../../test/kit/networks/xmpp/prosody.ts'
import type { CaughtUp } from '../../driver/abilities/catching-up.ts'
import type { Resumption } from '../../driver/abilities/resumption.ts'
import type { MessageReceived } from '../../driver/observation.ts'
import { xmpp } from '../driver.ts'

/** The state that earlier connections left. */
interface Beginning {
  readonly caughtUp?: CaughtUp
  readonly resumption?: Resumption | undefined
}

/** Ana writes to the gateway, which reaches the server through a line that can be cut. */
class Play {
  readonly server: Prosody
  readonly ana: XmppPerson
  readonly line: TcpProxy
  readonly #name: string
  #written = 0

  constructor(server: Prosody, ana: XmppPerson, line: TcpProxy, name: string) {
    this.server = server
    this.ana = ana
    this.line = line
    this.#name = name
  }

  get address(): string {
    return this.server.address(this.#name)
  }

  async opens(beginning: Beginning = {}): Promise<ObservedConnection> {
    const { caughtUp, resumption } = beginning
    return await ObservedConnection.open(xmpp({ ca: this.server.certificate }), {
      settings: {
        address: this.address,
        service: `xmpp://127.0.0.1:${this.line.port}`,
        allow_plaintext: true,
      },
      credentials: { password: 'gateway-secret' },
      resumption,
      ...(caughtUp && { caughtUp: async () => caughtUp }),
    })
  }

  /** Logs in another client of the gateway's account, which comes before it when Ana writes. */
  async desk(priority: number): Promise<XmppPerson> {
    const desk = await XmppPerson.login(this.server, this.#name, 'gateway-secret', { priority })
    await desk.says(this.ana.address, 'the desk is there', 'd0')
    await this.ana.receives(({ body }) => body === 'the desk is there')
    return desk
  }

  async says(body: string): Promise<void> {
    this.#written += 1
    await this.ana.says(this.address, body, `from-ana-${this.#written}`)
  }

  /** Returns when the server has handled what Ana wrote: her next message to herself comes after it. */
  async serverHasAll(): Promise<void> {
    this.#written += 1
    const body = `note ${this.#written}`
    await this.ana.says(this.ana.address, body, body)
    await this.ana.receives((arrival) => arrival.body === body)
  }
}

function textsOf(
  { observations }: ObservedConnection,
  counts: (seen: MessageReceived) => boolean = () => true,
): readonly (string | null)[] {
  return observations.flatMap((seen) => (seen.kind === 'message-received' && counts(seen) ? [seen.text] : []))
}

function arrival(observed: ObservedConnection, text: string): Promise<MessageReceived> {
  return observed.sees('message-received', (seen) => seen.text === text)
}

/** Has every test of a group play at a server of this kind, and answers what the one that runs has at hand. */
function plays(options: ProsodyOptions): () => Play {
  let server: Prosody
  let current: Play
  let names = 0
  before(async () => {
    server = await startProsody({ starttls: 'off', ...options })
    await server.createUser('ana', 'ana-secret')
  })
  after(() => server.remove())
  beforeEach(async () => {
    names += 1
    await server.createUser(`gateway${names}`, 'gateway-secret')
    const ana = await XmppPerson.login(server, 'ana', 'ana-secret')
    current = new Play(server, ana, await startTcpProxy(server), `gateway${names}`)
  })
  afterEach(async () => {
    await current.line.stop()
    await current.ana.leave()
  })
  return () => current
}

describe('what Ana writes over a server with an archive', { ...needsProsody, timeout: 60_000 }, () => {
  const play = plays({ archive: true, uploads: {} })

  test('while the line is cut: reported once, by the next connection', async () => {
    const first = await play().opens()
    await play().says('before')
    const { network_message_id, at } = await arrival(first, 'before')
    play().line.cut()
    const { resumption } = await first.sees('connection-lost')
    resumption?.abandon()
    for (const text of ['one', 'two', 'three']) await play().says(text)
    await play().serverHasAll()
    const second = await play().opens({ caughtUp: { mark: network_message_id, at } })
    // The server brings again what the cut connection may not have had; it is known by its id.
    const fresh = () => textsOf(second, ({ network_message_id: id }) => id !== network_message_id)
    assert.deepEqual(fresh(), ['one', 'two', 'three'], 'before the connection counts as open')
    await play().says('after')
    await arrival(second, 'after')
    assert.deepEqual(fresh(), ['one', 'two', 'three', 'after'])
    await second.close()
  })

  test('while the line is cut, and the session is resumed: reported once, and no archive is asked', async () => {
    const first = await play().opens()
    await play().says('before')
    await arrival(first, 'before')
    play().line.cut()
    const { resumption } = await first.sees('connection-lost')
    await play().says('meanwhile')
    const caughtUp = { mark: null, at: 1 }
    const second = await play().opens({ resumption, caughtUp })
    await arrival(second, 'meanwhile')
    await play().says('after')
    await arrival(second, 'after')
    assert.deepEqual(textsOf(second), ['meanwhile', 'after'])
    assert.doesNotMatch(play().line.arrived('to-server'), /urn:xmpp:mam/)
    await second.close()
  })

  test('for weeks, more than a page of it: reported in order, each once, without what the account sent', async () => {
    const first = await play().opens()
    await play().says('before')
    const { network_message_id } = await arrival(first, 'before')
    const texts = Array.from({ length: 120 }, (_, index) => `weekly ${index}`)
    const sent = texts.map((text) => first.send(play().ana.address, `about ${text}`))
    await Promise.all(sent.map(({ outcome }) => outcome))
    await first.close()
    for (const text of texts) await play().says(text)
    await play().serverHasAll()
    const second = await play().opens({ caughtUp: { mark: network_message_id, at: Date.now() } })
    assert.deepEqual(textsOf(second), texts)
    await second.close()
  })

  test('by two ways at once: the id is that of the archive', async () => {
    const first = await play().opens()
    await play().says('hello')
    const live = await arrival(first, 'hello')
    await first.close()
    const second = await play().opens({ caughtUp: { mark: null, at: live.at } })
    const [filed] = second.observations.filter((seen) => seen.kind === 'message-received')
    assert.equal(filed?.network_message_id, live.network_message_id)
    assert.ok(filed.at <= live.at && filed.at > live.at - 2_000, 'the archive tells the second')
    await second.close()
  })

  test('to another client of the account: reported from the copy, once, under the id of the archive', async () => {
    const gateway = await play().opens()
    const desk = await play().desk(5)
    await play().says('to the desk')
    const copied = await arrival(gateway, 'to the desk')
    await desk.receives(({ body }) => body === 'to the desk')
    assert.equal(copied.from, 'ana@posthorn.test')
    // A message that the desk sends is not an incoming one; the server copies that too.
    await desk.says(play().ana.address, 'from the desk', 'd1')
    await play().ana.receives(({ body }) => body === 'from the desk')
    await desk.says(play().address, 'note to self', 'd2')
    await play().says('to both')
    await arrival(gateway, 'to both')
    await gateway.close()
    await desk.leave()
    const next = await play().opens({ caughtUp: { mark: null, at: 1 } })
    assert.deepEqual(textsOf(next), ['to the desk', 'to both'])
    const ids = [gateway, next].map(({ observations }) =>
      observations.flatMap((seen) => (seen.kind === 'message-received' ? [seen.network_message_id] : [])),
    )
    assert.deepEqual(ids[0], ids[1])
    await next.close()
  })

  test('a receipt that came in a gap is reported, too', async () => {
    const first = await play().opens()
    await play().says('before')
    const { network_message_id, at } = await arrival(first, 'before')
    const sending = first.send(play().ana.address, 'did you get this?')
    const got = await play().ana.receives(({ id }) => id === sending.id)
    await first.close()
    await play().ana.displays(got)
    await play().serverHasAll()
    const second = await play().opens({ caughtUp: { mark: network_message_id, at } })
    const read = await second.sees('receipt', ({ state }) => state === 'read')
    assert.equal(read.network_message_id, sending.id)
    await second.close()
  })

  test('a file from her phone: a URL from which its bytes can be fetched', async () => {
    const gateway = await play().opens()
    const bytes = randomBytes(20_000)
    const url = await play().ana.uploads(play().server, 'our view.png', bytes)
    await play().ana.shares(play().address, url, null, 'f1')
    const alone = await gateway.sees('message-received')
    assert.deepEqual(alone.file, { url, filename: 'our view.png', mime_type: null })
    assert.equal(alone.text, null)
    await play().ana.shares(play().address, url, 'Our view', 'f2')
    const captioned = await arrival(gateway, 'Our view')
    assert.deepEqual(captioned.file, alone.file)
    const download = await play().ana.downloads({ data: { url: alone.file?.url ?? '', description: null } })
    assert.deepEqual([download.status, download.size], [200, bytes.length])
    await gateway.close()
  })
})

describe('what Ana writes over a server without an archive', { ...needsProsody, timeout: 60_000 }, () => {
  const play = plays({})

  test('while nobody is connected: kept by the server and reported, when she wrote it', async () => {
    const first = await play().opens()
    await play().says('before')
    const { network_message_id, at } = await arrival(first, 'before')
    await first.close()
    await play().says('meanwhile')
    await play().serverHasAll()
    const second = await play().opens({ caughtUp: { mark: network_message_id, at } })
    const meanwhile = await arrival(second, 'meanwhile')
    assert.ok(meanwhile.at <= Date.now() && meanwhile.at >= at - 1_000)
    assert.notEqual(meanwhile.network_message_id, network_message_id)
    assert.deepEqual(textsOf(second), ['meanwhile'])
    await second.close()
  })
})
