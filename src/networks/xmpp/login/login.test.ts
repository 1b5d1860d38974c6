import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startTcpProxy } from '../../../../test/kit/far-ends/tcp-proxy.ts'
import { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import {
  needsProsody,
  type Prosody,
  type ProsodyOptions,
  startProsody,
} from '../../../../test/kit/networks/xmpp/prosody.ts'
import { openLog } from '../../../runtime/log.ts'
import { xmpp } from '../driver.ts'

const password = 'a-very-secret-password'

describe('logging in to a real server', { ...needsProsody, timeout: 60_000 }, () => {
  const servers: Prosody[] = []
  after(async () => {
    await Promise.all(servers.map((server) => server.remove()))
  })

  /** A server with the account `gateway`, and the settings that lead there. */
  async function serve(options: ProsodyOptions = {}) {
    const server = await startProsody(options)
    servers.push(server)
    await server.createUser('gateway', password)
    const address = server.address('gateway')
    return {
      server,
      local: { address, service: `xmpp://127.0.0.1:${server.port}`, allow_plaintext: true },
      starttls: { address, service: `xmpp://127.0.0.1:${server.port}` },
      directTls: { address, service: `xmpps://127.0.0.1:${server.tlsPort}` },
      trusting: xmpp({ ca: server.certificate }),
    }
  }

  test('the right password opens the connection and tells whose account it is', async () => {
    const { local } = await serve()
    const observed = await ObservedConnection.open(xmpp(), { settings: local, credentials: { password } })
    await observed.sees('caught-up')
    assert.deepEqual(observed.kinds(), ['account-known', 'connection-opened', 'caught-up'])
    const known = await observed.sees('account-known')
    assert.equal(known.address, 'gateway@posthorn.test')
    await observed.close()
  })

  test('a wrong password is refused credentials and nothing else', async () => {
    const { local } = await serve()
    const observed = new ObservedConnection(xmpp(), { settings: local, credentials: { password: 'wrong' } })
    const refused = await observed.sees('credentials-refused')
    assert.equal(refused.reason.code, 'not_authorized')
    await observed.close()
    assert.deepEqual(observed.kinds(), ['credentials-refused'])
  })

  test('a domain that the server does not serve is a lost connection that says so', async () => {
    const { local } = await serve()
    const settings = { ...local, address: 'gateway@elsewhere.test' }
    const observed = new ObservedConnection(xmpp(), { settings, credentials: { password } })
    const lost = await observed.sees('connection-lost')
    assert.equal(lost.reason.code, 'domain_not_served')
  })

  test('a server without encryption gets no password', async () => {
    const { server, starttls } = await serve({ starttls: 'off' })
    const proxy = await startTcpProxy({ port: server.port })
    const settings = { ...starttls, service: `xmpp://127.0.0.1:${proxy.port}` }
    const observed = new ObservedConnection(xmpp(), { settings, credentials: { password } })
    const refused = await observed.sees('connection-refused')
    assert.equal(refused.reason.code, 'encryption_required')
    await proxy.stop()
    assert.match(proxy.arrived('to-server'), /<stream:stream/)
    assert.doesNotMatch(proxy.arrived('to-server'), /<auth/)
  })

  test('STARTTLS with a trusted certificate: the login is not seen on the wire', async () => {
    const { server, starttls, trusting } = await serve({ starttls: 'required' })
    const proxy = await startTcpProxy({ port: server.port })
    const settings = { ...starttls, service: `xmpp://127.0.0.1:${proxy.port}` }
    const observed = await ObservedConnection.open(trusting, { settings, credentials: { password } })
    const sending = observed.send(server.address('gateway'), 'to myself')
    assert.deepEqual(await sending.outcome, { kind: 'accepted' })
    await observed.close()
    await proxy.stop()
    assert.match(proxy.arrived('to-server'), /<starttls/)
    assert.doesNotMatch(proxy.arrived('to-server'), /<auth|to myself/)
  })

  test('TLS from the first byte', async () => {
    const { directTls, trusting } = await serve()
    const observed = await ObservedConnection.open(trusting, {
      settings: directTls,
      credentials: { password },
    })
    await observed.close()
  })

  for (const way of ['starttls', 'directTls'] as const) {
    test(`a certificate that nobody vouches for is not trusted (${way})`, async () => {
      const { [way]: settings } = await serve()
      const observed = new ObservedConnection(xmpp(), { settings, credentials: { password } })
      const lost = await observed.sees('connection-lost')
      assert.equal(lost.reason.code, 'certificate_not_trusted')
    })

    test(`a certificate for another domain is not trusted, whoever vouches for it (${way})`, async () => {
      const { [way]: settings, trusting } = await serve({ certificateName: 'other.test' })
      const observed = new ObservedConnection(trusting, { settings, credentials: { password } })
      const lost = await observed.sees('connection-lost')
      assert.equal(lost.reason.code, 'certificate_not_trusted')
    })
  }

  test('a local server that insists on encryption gets it, plaintext allowed or not', async () => {
    const { local, trusting } = await serve({ starttls: 'required' })
    const observed = await ObservedConnection.open(trusting, { settings: local, credentials: { password } })
    await observed.close()
  })

  test('nobody listens: a lost connection, reported and not thrown', async () => {
    const { server, local } = await serve()
    await server.stop()
    const observed = new ObservedConnection(xmpp(), { settings: local, credentials: { password } })
    const lost = await observed.sees('connection-lost')
    assert.equal(lost.reason.code, 'server_unreachable')
    assert.equal(lost.resumption, undefined)
  })

  test('a second login replaces the first, which says so', async () => {
    const { local } = await serve()
    const first = await ObservedConnection.open(xmpp(), { settings: local, credentials: { password } })
    const second = await ObservedConnection.open(xmpp(), { settings: local, credentials: { password } })
    const lost = await first.sees('connection-lost')
    assert.equal(lost.reason.code, 'replaced')
    assert.match(lost.reason.detail, /The server said: “.*new connection.*”\.$/i)
    await second.close()
  })

  test('the password reaches no log, at any level', async () => {
    const { local } = await serve()
    let written = ''
    const write = (line: string) => {
      written += line
    }
    const log = openLog('trace', { write })
    const observed = await ObservedConnection.open(xmpp(), {
      settings: local,
      credentials: { password },
      log,
    })
    await observed.close()
    const refused = new ObservedConnection(xmpp(), {
      settings: local,
      credentials: { password: 'wrong-one' },
      log,
    })
    await refused.sees('credentials-refused')
    assert.doesNotMatch(written, /a-very-secret-password|wrong-one/)
  })
})

describe('registering an account at a real server', { ...needsProsody, timeout: 60_000 }, () => {
  const servers: Prosody[] = []
  after(async () => {
    await Promise.all(servers.map((server) => server.remove()))
  })

  async function serve(options: ProsodyOptions = {}) {
    const server = await startProsody(options)
    servers.push(server)
    const service = `xmpp://127.0.0.1:${server.port}`
    const settings = { address: server.address('fresh'), service, allow_plaintext: true, register: true }
    return { server, settings }
  }

  test('a random password is saved before the account exists, and is good for the next login', async () => {
    const { server, settings } = await serve()
    const existed: boolean[] = []
    const onSave = () => existed.push(server.hasUser('fresh'))
    const first = await ObservedConnection.open(xmpp(), { settings, onSave })
    assert.deepEqual(existed, [false])
    assert.equal(server.hasUser('fresh'), true)
    const made = String(first.saved[0]?.password)
    assert.equal(Buffer.from(made, 'base64url').length, 32)
    await first.close()
    const second = await ObservedConnection.open(xmpp(), { settings, credentials: { password: made } })
    assert.equal(second.saved.length, 0)
    await second.close()
  })

  test('removal deletes the account at the server', async () => {
    const { server, settings } = await serve()
    const observed = await ObservedConnection.open(xmpp(), { settings })
    assert.equal(server.hasUser('fresh'), true)
    assert.equal(await observed.connection.remove?.(), true)
    assert.equal(server.hasUser('fresh'), false)
    await observed.close()
  })

  test('removal leaves an account alone that was there before', async () => {
    const { server, settings } = await serve()
    await server.createUser('fresh', 'saved')
    const observed = await ObservedConnection.open(xmpp(), { settings, credentials: { password: 'saved' } })
    assert.equal(await observed.connection.remove?.(), true)
    assert.equal(server.hasUser('fresh'), true)
    await observed.close()
  })

  test('removal deletes an account that was created with a password that was given', async () => {
    const { server, settings } = await serve()
    const observed = await ObservedConnection.open(xmpp(), { settings, credentials: { password: 'given' } })
    assert.equal(await observed.connection.remove?.(), true)
    assert.equal(server.hasUser('fresh'), false)
    await observed.close()
  })

  test('removal is not confirmed if the server cannot be reached', async () => {
    const { server, settings } = await serve()
    const observed = await ObservedConnection.open(xmpp(), { settings })
    await server.kill()
    await observed.sees('connection-lost')
    assert.equal(await observed.connection.remove?.(), false)
    await server.start()
    assert.equal(server.hasUser('fresh'), true)
  })

  test('an instance that registered nothing has nothing to remove', async () => {
    const { settings } = await serve()
    const isNeeded = (register: boolean) =>
      xmpp().removal?.isNeeded({ ...settings, register }, { read: () => assert.fail() })
    assert.deepEqual([isNeeded(true), isNeeded(false)], [true, false])
  })

  test('a crash between saving and registering loses nothing: the saved password is registered', async () => {
    const { server, settings } = await serve()
    const observed = await ObservedConnection.open(xmpp(), { settings, credentials: { password: 'saved' } })
    assert.equal(server.hasUser('fresh'), true)
    await observed.close()
  })

  test('a crash between registering and being told so loses nothing: the saved password logs in', async () => {
    const { server, settings } = await serve()
    await server.createUser('fresh', 'saved')
    const observed = await ObservedConnection.open(xmpp(), { settings, credentials: { password: 'saved' } })
    await observed.close()
  })

  test('an account of somebody else is not taken over', async () => {
    const { server, settings } = await serve()
    await server.createUser('fresh', 'somebody-elses')
    const unknown = new ObservedConnection(xmpp(), { settings })
    assert.equal((await unknown.sees('credentials-refused')).reason.code, 'address_taken')
    const wrong = new ObservedConnection(xmpp(), { settings, credentials: { password: 'guessed' } })
    assert.equal((await wrong.sees('credentials-refused')).reason.code, 'not_authorized')
  })

  test('a server that registers nobody refuses the instance', async () => {
    const { settings } = await serve({ registration: false })
    const observed = new ObservedConnection(xmpp(), { settings })
    const refused = await observed.sees('connection-refused')
    assert.equal(refused.reason.code, 'registration_not_offered')
  })
})
