import assert from 'node:assert/strict'
import { test } from 'node:test'
import { play } from '../../../../test/kit/networks/xmpp/scripted-server.ts'

const options = { timeout: 20_000 }

for (const [what, bytes] of [
  ['an entity that XML does not know', '<message><body>&boom;</body></message>'],
  ['a character that XML does not have', '<message><body>&#0;</body></message>'],
  ['tags that do not match', '<message></body></message>'],
  ['an end without a beginning', '</message></message></message>'],
  ['another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n<html></body></html>'],
] as const) {
  test(`sends ${what}: lost, and the process lives`, options, async (t) => {
    const server = await play(t, async (peer) => {
      await peer.begins()
      await peer.writes(bytes)
    })
    const observed = server.connect()
    const { reason } = await observed.sees('connection-lost')
    assert.ok(['stream_malformed', 'stream_closed'].includes(reason.code), reason.code)
  })
}

test('sends an element without an end: lost before the memory is full', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.begins()
    await peer.writes(`<message><body>${'x'.repeat(5 * 1024 * 1024)}`)
  })
  const observed = server.connect()
  assert.equal((await observed.sees('connection-lost')).reason.code, 'stanza_too_large')
})

test('splits a character over two packets: the text is whole', options, async (t) => {
  const server = await play(t, async (peer) => {
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
  const observed = server.connect()
  const received = await observed.sees('message-received')
  assert.equal(received.text, 'a 😀 b')
  await observed.close()
})

test('asks what was handled: told, stanza by stanza', options, async (t) => {
  const acknowledged: (string | undefined)[] = []
  const done = Promise.withResolvers<void>()
  const server = await play(t, async (peer) => {
    await peer.begins()
    const one = `<message from='ana@far.test/x' id='m1' type='chat'><body>one</body></message>`
    await peer.writes(
      `${one}<r xmlns='urn:xmpp:sm:3'/><presence from='ana@far.test/x'/>${one}<r xmlns='urn:xmpp:sm:3'/>`,
    )
    for (const _ of [1, 2]) acknowledged.push(/h="(\d+)"/.exec(await peer.reads(/<a [^>]*>/))?.[1])
    done.resolve()
  })
  const observed = server.connect()
  await done.promise
  assert.deepEqual(acknowledged, ['1', '3'])
  await observed.close()
})

test('pings, and asks for what is not there: both are answered', options, async (t) => {
  const answers = Promise.withResolvers<string>()
  const server = await play(t, async (peer) => {
    await peer.begins()
    await peer.writes(`<iq type='get' id='p1' from='far.test'><ping xmlns='urn:xmpp:ping'/></iq>`)
    const pong = await peer.reads(/<iq [^>]*id="p1"[^>]*>/)
    await peer.writes(`<iq type='get' id='p2' from='far.test'><query xmlns='jabber:iq:version'/></iq>`)
    answers.resolve(pong + (await peer.reads(/<iq [^>]*id="p2".*?<\/iq>/)))
  })
  const observed = server.connect()
  const said = await answers.promise
  assert.match(said, /type="result" id="p1" to="far.test"/)
  assert.match(said, /type="error" id="p2".*service-unavailable/)
  await observed.close()
})

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
    const server = await play(t, async (peer) => {
      await peer.begins()
      await peer.reads(/<remove\/>.*?<\/iq>/)
      await peer.writes(`<iq id='unregistration' ${answer}/>`)
    })
    const observed = server.connect({ register: true, timeouts: { removal: 200, close: 100 } })
    await observed.sees('connection-opened')
    assert.equal(await observed.connection.remove?.(), confirmed)
    await observed.close()
  })
}
