import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { Authority, type Certified } from '../../../test/kit/far-ends/certificates.ts'
import { Fetching, failureOf, farEnd, listed, reply, unlisted } from '../../../test/kit/far-ends/fetching.ts'
import { dial } from '../dial/dial.ts'
import { readDestination } from '../guard/destination.ts'

const authority = new Authority('The authority of these tests')
const everywhere = () => [listed]
const options = { ca: authority.cert }
const names = (_name: string, type: string) => (type === 'A' ? everywhere() : [])

test('the certificate must be for the host of the URL, whether it is a name or an address', async (t) => {
  const certified = authority.certify({ hosts: ['media.test', listed] })
  const far = await farEnd(t, ({ socket }) => socket.end(reply(200, {}, 'good')), { certified })
  const fetching = await Fetching.start(t, names, options)
  assert.equal(await fetching.read(`https://media.test:${far.port}/`), 'good')
  assert.equal(await fetching.read(`https://media.test.:${far.port}/`), 'good')
  assert.equal(await fetching.read(`https://${listed}:${far.port}/`), 'good')
  const asIndicated = far.asked.map(({ socket }) => (socket as TLSSocket).servername)
  assert.deepEqual(asIndicated, ['media.test', 'media.test', false])
  const failure = await failureOf(fetching.get(`https://other.test:${far.port}/`))
  assert.deepEqual([failure.reason, failure.permanent], ['tls', true])
  assert.match(failure.message, /ERR_TLS_CERT_ALTNAME_INVALID/)
  assert.equal(far.asked.length, 3, 'nothing is asked where the certificate is wrong')
})

test('a certificate that is expired, self-made or of nobody known is not accepted', async (t) => {
  const hosts = ['media.test']
  const untrusted = new Authority('Nobody')
  const cases: [string, Certified][] = [
    ['CERT_HAS_EXPIRED', authority.certify({ hosts, until: new Date(Date.now() - 1_000) })],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted.certify({ hosts })],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted.itself],
  ]
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
  const fetching = await Fetching.start(t, names, options)
  for (const [code, certified] of cases) {
    const far = await farEnd(t, ({ socket }) => socket.end(reply(200)), { certified })
    const failure = await failureOf(fetching.get(`https://media.test:${far.port}/`))
    assert.deepEqual([failure.reason, failure.permanent], ['tls', true])
    assert.match(failure.message, new RegExp(code))
    assert.equal(far.asked.length, 0)
  }
})

test('a server that speaks no TLS is not reached', async (t) => {
  const fetching = await Fetching.start(t, names, options)
  const far = await farEnd(t, () => {}, { greeting: reply(200) })
  const failure = await failureOf(fetching.get(`https://media.test:${far.port}/`))
  assert.deepEqual([failure.reason, failure.permanent], ['tls', false])
})

test('a server that hangs up in the middle of TLS is not reached', async (t) => {
  const fetching = await Fetching.start(t, names, options)
  const far = await farEnd(t, () => {})
  for (const hangUp of ['end', 'resetAndDestroy'] as const) {
    const failure = failureOf(fetching.get(`https://media.test:${far.port}/`))
    ;(await far.nextConnection())[hangUp]()
    const { reason, permanent } = await failure
    assert.deepEqual([reason, permanent], ['lost', false])
  }
})

test('a server that never finishes its side of TLS is given up after five seconds', async (t) => {
  const fetching = await Fetching.start(t, names, options)
  const far = await farEnd(t, () => {})
  const failure = failureOf(fetching.get(`https://media.test:${far.port}/`))
  await far.nextConnection()
  fetching.time.pass(5_000)
  const { reason, permanent } = await failure
  assert.deepEqual([reason, permanent], ['timeout', false])
  await far.left()
})

test('what was asked for under encryption is never fetched without, and the other way is fine', async (t) => {
  const certified = authority.certify({ hosts: ['media.test'] })
  const open = await farEnd(t, ({ socket }) =>
    socket.end(reply(301, { Location: `https://media.test:${far.port}/` })),
  )
  const far = await farEnd(
    t,
    ({ head, socket }) =>
      socket.end(
        head.startsWith('GET /down')
          ? reply(301, { Location: `http://media.test:${open.port}/` })
          : reply(200, {}, 'good'),
      ),
    { certified },
  )
  const fetching = await Fetching.start(t, names, options)
  assert.equal(await fetching.read(`http://media.test:${open.port}/`), 'good')
  const failure = await failureOf(fetching.get(`https://media.test:${far.port}/down`))
  assert.deepEqual([failure.reason, failure.permanent], ['refused', true])
  assert.equal(open.connections, 1)
})

test('a connection that came out elsewhere than it was aimed at is closed before a word', async (t) => {
  const far = await farEnd(t, () => {}, { greeting: 'hello' })
  const to = readDestination(`http://${listed}:${far.port}/`)
  const { signal } = new AbortController()
  for (const aimedAt of [[unlisted], ['fd00::1', unlisted], ['::ffff:127.0.0.1'], []]) {
    assert.equal((await failureOf(dial(to, aimedAt, { signal }))).reason, 'refused')
  }
  await far.left()
  assert.deepEqual([far.connections, far.asked.length], [4, 0])
  const socket = await dial(to, [unlisted, listed], { signal })
  socket.destroy()
})
