import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bind,
  managed,
  type Peer,
  plain,
  play,
  scramOnly,
} from '../../../../test/kit/networks/xmpp/scripted-server.ts'
import { sharesForTests } from '../../../../test/kit/shares.ts'

const options = { timeout: 20_000 }

test('takes the connection and says nothing: lost in time, and hung up', options, async (t) => {
  const hungUp = Promise.withResolvers<void>()
  const server = await play(t, async (peer) => {
    peer.socket.on('close', () => hungUp.resolve())
  })
  const observed = server.connect({ timeouts: { connect: 200 } })
  assert.equal((await observed.sees('connection-lost')).reason.code, 'connect_timeout')
  await hungUp.promise
})

test('stalls in the middle of the login: lost in time', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.opens(plain)
  })
  const observed = server.connect({ timeouts: { connect: 200 } })
  assert.equal((await observed.sees('connection-lost')).reason.code, 'connect_timeout')
})

test('sends the gateway to another host: not followed', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.opens(
      `</stream:features><stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>127.0.0.2:1</see-other-host></stream:error><stream:features>`,
    )
  })
  const observed = server.connect()
  assert.equal((await observed.sees('connection-lost')).reason.code, 'redirected')
  assert.equal(server.sockets.length, 1)
})

test('offers no encryption: no password, although it asks for it', options, async (t) => {
  const heard = Promise.withResolvers<string>()
  const server = await play(t, async (peer) => {
    await peer.opens(plain)
    let rest = ''
    peer.socket.on('data', (data: Buffer) => {
      rest += data.toString()
    })
    peer.socket.on('close', () => heard.resolve(rest))
  })
  const observed = server.connect({ plaintext: false })
  assert.equal((await observed.sees('connection-refused')).reason.code, 'encryption_required')
  assert.doesNotMatch(await heard.promise, /auth/)
})

test('speaks on in the clear after the go-ahead for TLS: not believed', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.opens(`<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>${plain}`)
    await peer.reads(/<starttls [^>]*>/)
    await peer.writes(
      `<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/><stream:features>${plain}</stream:features>`,
    )
  })
  const observed = server.connect({ plaintext: false })
  assert.equal((await observed.sees('connection-lost')).reason.code, 'tls_failed')
})

/** Asks for a SCRAM login with so many iterations. */
async function challenges(peer: Peer, iterations: number): Promise<void> {
  await peer.opens(scramOnly)
  const auth = await peer.reads(/<auth [^>]*>[^<]*<\/auth>/)
  const first = Buffer.from(/>([^<]*)<\/auth>/.exec(auth)?.[1] ?? '', 'base64').toString()
  const nonce = /r=(.*)$/.exec(first)?.[1]
  const challenge = Buffer.from(`r=${nonce}x,s=c2FsdA==,i=${iterations}`).toString('base64')
  await peer.writes(`<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>${challenge}</challenge>`)
}

for (const [iterations, code] of [
  [5_000_000, 'login_too_costly'],
  [1, 'login_too_weak'],
] as const) {
  test(`asks for ${iterations} iterations: refused, and nothing is derived`, options, async (t) => {
    const server = await play(t, (peer) => challenges(peer, iterations))
    const observed = server.connect()
    assert.equal((await observed.sees('connection-refused')).reason.code, code)
  })
}

for (const [what, flood] of [
  ['white space', ' \n'.repeat(400_000)],
  ['the beginning of a stanza', `<message><body>${'x'.repeat(100_000)}`],
  ['stanzas', '<message/>'.repeat(60_000)],
  ['attributes', `<message ${Array.from({ length: 5_000 }, (_, index) => `a${index}=''`).join(' ')}`],
] as const) {
  test(`sends ${what} without end before the login: lost, and nothing is kept`, options, async (t) => {
    const server = await play(t, async (peer) => {
      await peer.reads(/<stream:stream[^>]*>/)
      await peer.writes(
        `<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>${flood}`,
      )
    })
    const shares = sharesForTests()
    const observed = server.connect({ share: shares.of('org_1') })
    const { code } = (await observed.sees('connection-lost')).reason
    assert.ok(['login_too_long', 'stanza_too_large', 'not_xmpp'].includes(code), code)
    assert.equal(shares.held, 0)
  })
}

test('sends stanzas without end where an answer is due: lost, and nothing is kept', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.logsIn(bind)
    await peer.reads(/<iq [^>]*id="bind".*?<\/iq>/)
    await peer.writes(`<message from='ana@far.test'><body>x</body></message>`.repeat(30))
  })
  const observed = server.connect()
  assert.equal((await observed.sees('connection-lost')).reason.code, 'login_too_long')
})

test(
  'sends stanzas without end where a session is to be resumed: lost, and nothing is kept',
  options,
  async (t) => {
    const server = await play(
      t,
      async (peer) => {
        await peer.begins()
        peer.socket.resetAndDestroy()
      },
      async (peer) => {
        await peer.logsIn(managed)
        await peer.reads(/<resume [^>]*>/)
        await peer.writes(`<message from='ana@far.test'><body>x</body></message>`.repeat(30))
      },
    )
    const { resumption } = await server.connect().sees('connection-lost')
    const observed = server.connect({ resumption })
    const lost = await observed.sees('connection-lost')
    assert.equal(lost.reason.code, 'login_too_long')
    assert.ok(observed.observations.every(({ kind }) => kind !== 'message-received'))
    lost.resumption?.abandon()
  },
)

test('refuses the password and ends the stream in one packet: the refusal counts', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.opens(plain)
    await peer.reads(/<auth [^>]*>[^<]*<\/auth>/)
    await peer.writes(
      `<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure></stream:stream>`,
    )
    peer.socket.end()
  })
  const observed = server.connect()
  assert.equal((await observed.sees('credentials-refused')).reason.code, 'not_authorized')
})

test('claims a successful login without knowing the password: not believed', options, async (t) => {
  const server = await play(t, async (peer) => {
    await challenges(peer, 4_096)
    await peer.reads(/<response [^>]*>[^<]*<\/response>/)
    const proof = Buffer.from('v=AAAAAAAAAAAAAAAAAAAAAAAAAAA=').toString('base64')
    await peer.writes(`<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>${proof}</success>`)
  })
  const observed = server.connect()
  assert.equal((await observed.sees('connection-lost')).reason.code, 'server_not_trusted')
})

test('lets no second connection have the resource: another resource is taken', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.logsIn(bind)
    await peer.reads(/<iq [^>]*id="bind".*?<\/iq>/)
    await peer.writes(
      `<iq type='error' id='bind'><error type='cancel'><conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>`,
    )
    await peer.reads(/<iq [^>]*id="bind-any".*?<\/iq>/)
    await peer.writes(
      `<iq type='result' id='bind-any'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>gateway@far.test/1x2y</jid></bind></iq>`,
    )
    await peer.introducesAccount()
  })
  const observed = server.connect()
  await observed.sees('connection-opened')
  await observed.close()
})
