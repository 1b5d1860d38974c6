import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ObservedConnection } from '../../../test/kit/observed-connection.ts'
import type { Resumption } from '../observation.ts'
import { type XmppOptions, xmpp } from './driver.ts'

/** A server that follows a script, for what no real one does on demand. Each connection takes the next part. */
type Part = (peer: Peer) => Promise<void>

class Peer {
  readonly socket: Socket
  #unread = ''
  #wake: () => void = () => {}

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (data: Buffer) => {
      this.#unread += data.toString('utf8')
      this.#wake()
    })
    socket.on('error', () => {})
  }

  /** What was read up to the end of the first match, once there is one. */
  async reads(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.#unread)
      if (match) {
        const end = match.index + match[0].length
        const read = this.#unread.slice(0, end)
        this.#unread = this.#unread.slice(end)
        return read
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Writes one packet. */
  async writes(text: string | Buffer): Promise<void> {
    await new Promise<void>((resolve) => this.socket.write(text, () => resolve()))
  }

  /** Opens a stream with these features. */
  async opens(features: string): Promise<void> {
    await this.reads(/<stream:stream[^>]*>/)
    await this.writes(
      `<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' ` +
        `id='s' from='far.test' version='1.0'><stream:features>${features}</stream:features>`,
    )
  }

  /** Lets the gateway log in, up to the open stream after it. */
  async logsIn(features: string): Promise<void> {
    await this.opens(plain)
    await this.reads(/<auth [^>]*mechanism="PLAIN"[^>]*>[^<]*<\/auth>/)
    await this.writes(`<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>`)
    await this.opens(features)
  }

  async binds(): Promise<void> {
    await this.reads(/<iq [^>]*id="bind".*?<\/iq>/)
    await this.writes(
      `<iq type='result' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>gateway@far.test/posthorn</jid></bind></iq>`,
    )
  }

  /** Logs in and enables stream management. */
  async begins(): Promise<void> {
    await this.logsIn(managed)
    await this.binds()
    await this.reads(/<enable [^>]*>/)
    await this.writes(`<enabled xmlns='urn:xmpp:sm:3' id='session-1' resume='true'/>`)
    await this.reads(/<presence\/>/)
  }

  /** Reads until the request that follows a message of this text. */
  async readsMessage(text: string): Promise<string> {
    return await this.reads(new RegExp(`<message.*?<body>${text}</body>.*?</message>(?:<r [^>]*/>)?`, 's'))
  }
}

const plain = `<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>`
const scramOnly = plain.replace('PLAIN', 'SCRAM-SHA-1')
const bind = `<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>`
const managed = `${bind}<sm xmlns='urn:xmpp:sm:3'/>`

/** Serves the parts of a script; the play ends when the test does. */
async function play(t: TestContext, ...parts: Part[]): Promise<Stage> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    const part = parts[sockets.length]
    sockets.push(socket)
    if (part) void part(new Peer(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  return new Stage(typeof address === 'object' && address ? address.port : 0, sockets)
}

class Stage {
  readonly #port: number
  readonly sockets: readonly Socket[]

  constructor(port: number, sockets: readonly Socket[]) {
    this.#port = port
    this.sockets = sockets
  }

  connect(
    options: XmppOptions & {
      resumption?: Resumption | undefined
      plaintext?: boolean
      register?: boolean
    } = {},
  ) {
    const { resumption, plaintext = true, register = false, ...rest } = options
    const service = `xmpp://127.0.0.1:${this.#port}`
    return new ObservedConnection(xmpp({ patience: { close: 100 }, ...rest }), {
      settings: { address: 'gateway@far.test', service, allow_plaintext: plaintext, register },
      credentials: { password: 'secret' },
      resumption,
    })
  }
}

const options = { timeout: 20_000 }

test('takes the connection and says nothing: lost in time, and hung up', options, async (t) => {
  const hungUp = Promise.withResolvers<void>()
  const stage = await play(t, async (peer) => {
    peer.socket.on('close', () => hungUp.resolve())
  })
  const observed = stage.connect({ patience: { connect: 200 } })
  assert.equal((await observed.sees('connection-lost')).reason.code, 'connect_timeout')
  await hungUp.promise
})

test('stalls in the middle of the login: lost in time', options, async (t) => {
  const stage = await play(t, async (peer) => {
    await peer.opens(plain)
  })
  const observed = stage.connect({ patience: { connect: 200 } })
  assert.equal((await observed.sees('connection-lost')).reason.code, 'connect_timeout')
})

for (const [what, bytes] of [
  ['an entity that XML does not know', '<message><body>&boom;</body></message>'],
  ['a character that XML does not have', '<message><body>&#0;</body></message>'],
  ['tags that do not match', '<message></body></message>'],
  ['an end without a beginning', '</message></message></message>'],
  ['another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n<html></body></html>'],
] as const) {
  test(`sends ${what}: lost, and the process lives`, options, async (t) => {
    const stage = await play(t, async (peer) => {
      await peer.begins()
      await peer.writes(bytes)
    })
    const observed = stage.connect()
    const { reason } = await observed.sees('connection-lost')
    assert.ok(['stream_malformed', 'stream_closed'].includes(reason.code), reason.code)
  })
}

test('sends an element without an end: lost before the memory is full', options, async (t) => {
  const stage = await play(t, async (peer) => {
    await peer.begins()
    await peer.writes(`<message><body>${'x'.repeat(2 * 1024 * 1024)}`)
  })
  const observed = stage.connect()
  assert.equal((await observed.sees('connection-lost')).reason.code, 'stream_malformed')
})

test('splits a character over two packets: the text is whole', options, async (t) => {
  const stage = await play(t, async (peer) => {
    await peer.begins()
    const bytes = Buffer.from(
      `<message from='ana@far.test/x' id='m1' type='chat'><body>a 😀 b</body></message>`,
    )
    const middle = bytes.indexOf(Buffer.from('😀')) + 2
    const request = Buffer.from(`<r xmlns='urn:xmpp:sm:3'/>`)
    await peer.writes(Buffer.concat([request, bytes.subarray(0, middle)]))
    // The answer to the request in it proves that the first packet was read by itself.
    await peer.reads(/<a [^>]*>/)
    await peer.writes(bytes.subarray(middle))
  })
  const observed = stage.connect()
  const received = await observed.sees('message-received')
  assert.equal(received.text, 'a 😀 b')
  await observed.close()
})

test('sends the gateway to another host: not followed', options, async (t) => {
  const stage = await play(t, async (peer) => {
    await peer.opens(
      `</stream:features><stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>127.0.0.2:1</see-other-host></stream:error><stream:features>`,
    )
  })
  const observed = stage.connect()
  assert.equal((await observed.sees('connection-lost')).reason.code, 'redirected')
  assert.equal(stage.sockets.length, 1)
})

test('offers no encryption: no password, although it asks for it', options, async (t) => {
  const heard = Promise.withResolvers<string>()
  const stage = await play(t, async (peer) => {
    await peer.opens(plain)
    let rest = ''
    peer.socket.on('data', (data: Buffer) => {
      rest += data.toString()
    })
    peer.socket.on('close', () => heard.resolve(rest))
  })
  const observed = stage.connect({ plaintext: false })
  assert.equal((await observed.sees('connection-lost')).reason.code, 'encryption_required')
  assert.doesNotMatch(await heard.promise, /auth/)
})

test('speaks on in the clear behind the go-ahead for TLS: not believed', options, async (t) => {
  const stage = await play(t, async (peer) => {
    await peer.opens(`<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>${plain}`)
    await peer.reads(/<starttls [^>]*>/)
    await peer.writes(
      `<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/><stream:features>${plain}</stream:features>`,
    )
  })
  const observed = stage.connect({ plaintext: false })
  assert.equal((await observed.sees('connection-lost')).reason.code, 'tls_failed')
})

test('claims a successful login without knowing the password: not believed', options, async (t) => {
  const stage = await play(t, async (peer) => {
    await peer.opens(scramOnly)
    const auth = await peer.reads(/<auth [^>]*>[^<]*<\/auth>/)
    const first = Buffer.from(/>([^<]*)<\/auth>/.exec(auth)?.[1] ?? '', 'base64').toString()
    const nonce = /r=(.*)$/.exec(first)?.[1]
    const challenge = Buffer.from(`r=${nonce}x,s=c2FsdA==,i=4096`).toString('base64')
    await peer.writes(`<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>${challenge}</challenge>`)
    await peer.reads(/<response [^>]*>[^<]*<\/response>/)
    const proof = Buffer.from('v=AAAAAAAAAAAAAAAAAAAAAAAAAAA=').toString('base64')
    await peer.writes(`<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>${proof}</success>`)
  })
  const observed = stage.connect()
  assert.equal((await observed.sees('connection-lost')).reason.code, 'server_not_trusted')
})

test('asks what was handled: told, stanza by stanza', options, async (t) => {
  const told: (string | undefined)[] = []
  const done = Promise.withResolvers<void>()
  const stage = await play(t, async (peer) => {
    await peer.begins()
    const one = `<message from='ana@far.test/x' id='m1' type='chat'><body>one</body></message>`
    await peer.writes(
      `${one}<r xmlns='urn:xmpp:sm:3'/><presence from='ana@far.test/x'/>${one}<r xmlns='urn:xmpp:sm:3'/>`,
    )
    for (const _ of [1, 2]) told.push(/h="(\d+)"/.exec(await peer.reads(/<a [^>]*>/))?.[1])
    done.resolve()
  })
  const observed = stage.connect()
  await done.promise
  assert.deepEqual(told, ['1', '3'])
  await observed.close()
})

test('pings, and asks for what is not there: both are answered', options, async (t) => {
  const answers = Promise.withResolvers<string>()
  const stage = await play(t, async (peer) => {
    await peer.begins()
    await peer.writes(`<iq type='get' id='p1' from='far.test'><ping xmlns='urn:xmpp:ping'/></iq>`)
    const pong = await peer.reads(/<iq [^>]*id="p1"[^>]*>/)
    await peer.writes(`<iq type='get' id='p2' from='far.test'><query xmlns='jabber:iq:version'/></iq>`)
    answers.resolve(pong + (await peer.reads(/<iq [^>]*id="p2".*?<\/iq>/)))
  })
  const observed = stage.connect()
  const said = await answers.promise
  assert.match(said, /type="result" id="p1" to="far.test"/)
  assert.match(said, /type="error" id="p2".*service-unavailable/)
  await observed.close()
})

test('will not resume but tells how far it was: believed, and the rest is uncertain', options, async (t) => {
  const stage = await play(
    t,
    async (peer) => {
      await peer.begins()
      await peer.readsMessage('two')
      peer.socket.resetAndDestroy()
    },
    async (peer) => {
      await peer.logsIn(managed)
      const resume = await peer.reads(/<resume [^>]*>/)
      assert.match(resume, /previd="session-1"/)
      // The presence and the first message.
      await peer.writes(
        `<failed xmlns='urn:xmpp:sm:3' h='2'><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>`,
      )
      await peer.binds()
      await peer.reads(/<enable [^>]*>/)
      await peer.writes(`<enabled xmlns='urn:xmpp:sm:3' id='session-2' resume='true'/>`)
    },
  )
  const first = stage.connect()
  await first.sees('connection-opened')
  const one = first.send('ana@far.test', 'one')
  const two = first.send('ana@far.test', 'two')
  const { resumption } = await first.sees('connection-lost')
  const second = stage.connect({ resumption })
  await second.sees('connection-opened')
  assert.deepEqual(await one.outcome, { kind: 'accepted' })
  assert.equal((await two.outcome).kind, 'uncertain')
  await second.close()
})

test(
  'cannot resume any more at all: what was under way is uncertain, and a new session begins',
  options,
  async (t) => {
    const stage = await play(
      t,
      async (peer) => {
        await peer.begins()
        await peer.readsMessage('one')
        peer.socket.resetAndDestroy()
      },
      async (peer) => {
        await peer.logsIn(bind)
        await peer.binds()
      },
    )
    const first = stage.connect()
    await first.sees('connection-opened')
    const one = first.send('ana@far.test', 'one')
    const { resumption } = await first.sees('connection-lost')
    const second = stage.connect({ resumption })
    await second.sees('connection-opened')
    assert.equal((await one.outcome).kind, 'uncertain')
    await second.close()
  },
)

test('acknowledges what was never sent: lost for good, and uncertain', options, async (t) => {
  const stage = await play(t, async (peer) => {
    await peer.begins()
    await peer.readsMessage('one')
    await peer.writes(`<a xmlns='urn:xmpp:sm:3' h='17'/>`)
  })
  const observed = stage.connect()
  await observed.sees('connection-opened')
  const one = observed.send('ana@far.test', 'one')
  const lost = await observed.sees('connection-lost')
  assert.equal(lost.reason.code, 'acknowledgement_out_of_range')
  assert.equal(lost.resumption, undefined)
  assert.equal((await one.outcome).kind, 'uncertain')
})

test('ends the stream over something we sent: not sent again on a resumed one', options, async (t) => {
  const stage = await play(t, async (peer) => {
    await peer.begins()
    await peer.readsMessage('too much')
    await peer.writes(
      `<stream:error><policy-violation xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>`,
    )
  })
  const observed = stage.connect()
  await observed.sees('connection-opened')
  const sending = observed.send('ana@far.test', 'too much')
  const lost = await observed.sees('connection-lost')
  assert.equal(lost.reason.code, 'policy_violation')
  assert.equal(lost.resumption, undefined)
  assert.equal((await sending.outcome).kind, 'uncertain')
})

test('refuses for now: deferred, and nothing was delivered', options, async (t) => {
  const stage = await play(t, async (peer) => {
    await peer.begins()
    const id = /id="([^"]+)"/.exec(await peer.readsMessage('busy\\?'))?.[1]
    await peer.writes(
      `<message type='error' id='${id}' from='ana@far.test'><error type='wait'>` +
        `<resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message><a xmlns='urn:xmpp:sm:3' h='2'/>`,
    )
  })
  const observed = stage.connect()
  await observed.sees('connection-opened')
  const before = Date.now()
  const outcome = await observed.send('ana@far.test', 'busy?').outcome
  assert.ok(outcome.kind === 'deferred')
  assert.equal(outcome.error.code, 'rate_limited')
  assert.ok(outcome.until >= before + 60_000)
  await observed.close()
})

test(
  'passes on errors of strangers, warnings and forged ids: none of them settles a message',
  options,
  async (t) => {
    const stage = await play(t, async (peer) => {
      await peer.begins()
      const id = /id="([^"]+)"/.exec(await peer.readsMessage('mine'))?.[1]
      const gone = `<gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>`
      await peer.writes(
        `<message type='error' id='${id}' from='mallory@evil.test/x'><error type='cancel'>${gone}</error></message>` +
          `<message type='error' id='${id}' from='ana@far.test'><error type='continue'>${gone}</error></message>` +
          `<iq type='result' id='ack-1' from='mallory@evil.test/x'/>` +
          `<message from='ana@far.test/x' id='last' type='chat'><body>done</body></message>`,
      )
      await peer.reads(/<r [^>]*\/>/)
      await peer.writes(`<a xmlns='urn:xmpp:sm:3' h='2'/>`)
    })
    const observed = stage.connect()
    await observed.sees('connection-opened')
    const mine = observed.send('ana@far.test', 'mine')
    await observed.sees('message-received', ({ text }) => text === 'done')
    assert.equal(mine.settled, null)
    observed.connection.probe()
    assert.deepEqual(await mine.outcome, { kind: 'accepted' })
    assert.equal(observed.kinds().includes('message-returned'), false)
    await observed.close()
  },
)

test('has no stream management, and strangers answer the ping: not believed', options, async (t) => {
  const stage = await play(t, async (peer) => {
    await peer.logsIn(bind)
    await peer.binds()
    await peer.readsMessage('mine')
    await peer.reads(/<iq [^>]*id="ack-1".*?<\/iq>/)
    await peer.writes(
      `<iq type='result' id='ack-1' from='mallory@evil.test/x'/>` +
        `<message from='ana@far.test/x' id='last' type='chat'><body>done</body></message>`,
    )
    await peer.reads(/<iq [^>]*id="ack-1".*?<\/iq>/)
    await peer.writes(`<iq type='error' id='ack-1' from='far.test'><error type='cancel'/></iq>`)
  })
  const observed = stage.connect()
  await observed.sees('connection-opened')
  const mine = observed.send('ana@far.test', 'mine')
  await observed.sees('message-received', ({ text }) => text === 'done')
  assert.equal(mine.settled, null)
  observed.connection.probe()
  assert.deepEqual(await mine.outcome, { kind: 'accepted' })
  await observed.close()
})

test('lets no second connection have the resource: another resource is taken', options, async (t) => {
  const stage = await play(t, async (peer) => {
    await peer.logsIn(bind)
    await peer.reads(/<iq [^>]*id="bind".*?<\/iq>/)
    await peer.writes(
      `<iq type='error' id='bind'><error type='cancel'><conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>`,
    )
    await peer.reads(/<iq [^>]*id="bind-any".*?<\/iq>/)
    await peer.writes(
      `<iq type='result' id='bind-any'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>gateway@far.test/1x2y</jid></bind></iq>`,
    )
  })
  const observed = stage.connect()
  await observed.sees('connection-opened')
  await observed.close()
})

test(
  'writes ids of its own into messages: only those of the own account are believed',
  options,
  async (t) => {
    const stage = await play(t, async (peer) => {
      await peer.begins()
      const sid = (by: string, id: string) => `<stanza-id xmlns='urn:xmpp:sid:0' by='${by}' id='${id}'/>`
      await peer.writes(
        `<message from='ana@far.test/x' id='forged' type='chat'><body>1</body>${sid('ana@far.test', 'evil')}</message>` +
          `<message from='ana@far.test/x' id='filed' type='chat'><body>2</body>${sid('gateway@far.test', 'archive-7')}</message>` +
          `<message from='ana@far.test/x' id='not plain' type='chat'><body>3</body></message>` +
          `<message from='ana@far.test/x' type='chat'><body>4</body></message>` +
          `<message from='room@far.test/ana' id='g' type='groupchat'><body>5</body></message>` +
          `<message from='far.test' id='h' type='headline'><body>6</body></message>` +
          `<message from='ana@far.test/x' id='end' type='chat'><body>7</body></message>`,
      )
    })
    const observed = stage.connect()
    await observed.sees('message-received', ({ text }) => text === '7')
    const received = observed.observations.flatMap((seen) => (seen.kind === 'message-received' ? [seen] : []))
    assert.deepEqual(
      received.map(({ text }) => text),
      ['1', '2', '3', '4', '7'],
    )
    const ids = received.map(({ network_message_id }) => network_message_id)
    assert.deepEqual([ids[0], ids[1], ids[4]], ['forged', 'archive-7', 'end'])
    assert.match(ids[2] ?? '', /^[\w-]{43}$/)
    assert.match(ids[3] ?? '', /^[\w-]{36}$/)
    await observed.close()
  },
)

for (const [what, answer, confirmed] of [
  ['refuses to remove the account: not confirmed', `type='error' from='far.test'`, false],
  [
    'lets a stranger confirm the removal of the account: not believed',
    `type='result' from='mallory@evil.test'`,
    false,
  ],
  ['removes the account: confirmed', `type='result' from='gateway@far.test'`, true],
] as const) {
  test(what, options, async (t) => {
    const stage = await play(t, async (peer) => {
      await peer.begins()
      await peer.reads(/<remove\/>.*?<\/iq>/)
      await peer.writes(`<iq id='unregistration' ${answer}/>`)
    })
    const observed = stage.connect({ register: true, patience: { removal: 200, close: 100 } })
    await observed.sees('connection-opened')
    assert.equal(await observed.connection.removal?.remove(), confirmed)
    await observed.close()
  })
}

test(
  'refuses a message and acknowledges nothing: nothing waits, so nothing is missing',
  options,
  async (t) => {
    const stage = await play(t, async (peer) => {
      await peer.begins()
      const id = /id="([^"]+)"/.exec(await peer.readsMessage('one'))?.[1]
      await peer.writes(
        `<message type='error' id='${id}' from='ana@far.test'><error type='cancel'>` +
          `<gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>`,
      )
      // Twice as long as an acknowledgement may take.
      await setTimeout(200)
      await peer.writes(
        `<message from='ana@far.test/x' id='m' type='chat'><body>still here?</body></message>`,
      )
      // The message after that is not answered at all.
    })
    const observed = stage.connect({ patience: { acknowledgement: 100, close: 100 } })
    await observed.sees('connection-opened')
    assert.equal((await observed.send('ana@far.test', 'one').outcome).kind, 'rejected')
    await observed.sees('message-received', ({ text }) => text === 'still here?')
    const two = observed.send('ana@far.test', 'two')
    const lost = await observed.sees('connection-lost')
    assert.equal(lost.reason.code, 'acknowledgement_timeout')
    lost.resumption?.abandon()
    assert.equal((await two.outcome).kind, 'uncertain')
  },
)
