import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Asked,
  archiveFeatures,
  ending,
  entry,
  forwarded,
  isAskedForPage,
  message,
} from '../../../test/kit/networks/xmpp/scripted-archive.ts'
import { play } from '../../../test/kit/networks/xmpp/scripted-server.ts'

/*
 * Forgeries by unknown senders: copies and pages that only the account's own server may send (CVE-2017-5589 and its like),
 * ids in its name, and times.
 */

const options = { timeout: 20_000 }

/** A copy of a message to another client of the account, or of one that another client sent. `from` is the whole attribute. */
function copy(inner: string, from: string, kind: 'received' | 'sent' = 'received', more = ''): string {
  const wrapped = `<${kind} xmlns='urn:xmpp:carbons:2'>${forwarded(inner)}</${kind}>`
  return `<message ${from} to='gateway@far.test/posthorn' type='chat' id='wrapped'>${wrapped}${more}</message>`
}

test('only the account itself makes copies', options, async (t) => {
  const true_ = `from='gateway@far.test'`
  const server = await play(t, async (peer) => {
    await peer.begins()
    for (const liar of [
      'mallory@evil.test',
      'mallory@evil.test/x',
      'gateway@far.test/phone',
      'far.test',
      'gateway@far.test.evil',
    ])
      await peer.writes(copy(message('forged'), `from='${liar}'`))
    await peer.writes(copy(message('forged'), ''))
    await peer.writes(copy(message('forged'), `from='ana@far.test/x'`, 'received', '<body>own words</body>'))
    await peer.writes(copy(copy(message('nested'), `from='ana@far.test/x'`), true_))
    await peer.writes(copy(message('written', 'gateway@far.test/phone'), true_, 'sent'))
    await peer.writes(copy(message('written', 'gateway@far.test/phone'), true_))
    await peer.writes(copy(message('copied'), true_))
    await peer.writes(copy(message('copied too', 'ana@far.test/x'), `from='Gateway@FAR.test'`))
    await peer.writes(message('last'))
  })
  const observed = server.connect()
  await observed.sees('message-received', ({ text }) => text === 'last')
  const received = observed.observations.filter((seen) => seen.kind === 'message-received')
  assert.deepEqual(
    received.map(({ text }) => text),
    ['own words', 'copied', 'copied too', 'last'],
  )
  const [, copied] = received
  assert.deepEqual([copied?.from, copied?.conversation], ['ana@far.test', 'ana@far.test'])
  assert.equal(copied?.at, Date.UTC(2025, 0, 1, 10), 'the server says when')
  await observed.close()
})

test(
  'only the account itself sends what its archive has, and only what was asked for',
  options,
  async (t) => {
    const server = await play(t, async (peer) => {
      await peer.begins(archiveFeatures)
      const asked = await isAskedForPage(peer)
      const forged = (inner: Asked, from: string) =>
        entry(inner, 'archive-7', forwarded(message('forged')), from)
      for (const liar of ['mallory@evil.test', 'gateway@far.test/phone', 'far.test', 'ana@far.test/x'])
        await peer.writes(forged(asked, `from='${liar}'`))
      await peer.writes(forged({ ...asked, queryId: 'guessed' }, `from='gateway@far.test'`))
      // An answer from another sender does not end the page.
      await peer.writes(ending(asked, null).replace(`from='gateway@far.test'`, `from='mallory@evil.test/x'`))
      await peer.writes(entry(asked, 'archive-8', forwarded(message('one'))))
      await peer.writes(entry(asked, 'archive-9', forwarded(message('two')), '') + ending(asked, null))
      await peer.reads(/<r [^>]*>/)
      await peer.writes(forged(asked, `from='gateway@far.test'`) + message('last'))
    })
    const caughtUp = async () => ({ mark: 'archive-7', at: 1 })
    const observed = server.connect({ caughtUp })
    await observed.sees('connection-opened')
    // The server speaks on when it is asked to: by then nothing more is read.
    observed.connection.probe()
    await observed.sees('message-received', ({ text }) => text === 'last')
    assert.deepEqual(
      observed.observations.flatMap((seen) => (seen.kind === 'message-received' ? [seen.text] : [])),
      ['one', 'two', 'last'],
    )
    await observed.close()
  },
)

test('ids in the name of the account are believed if the server sees to them', options, async (t) => {
  for (const [features, believed] of [
    [['urn:xmpp:sid:0'], true],
    [['urn:xmpp:mam:2'], true],
    [['urn:xmpp:mam:1'], false],
    [[], false],
  ] as const) {
    const server = await play(t, async (peer) => {
      await peer.begins(features)
      const id = (by: string, value: string) => `<stanza-id xmlns='urn:xmpp:sid:0' by='${by}' id='${value}'/>`
      await peer.writes(
        message('forged', undefined, id('ana@far.test', 'evil') + id('gateway@far.test/x', 'evil')),
      )
      await peer.writes(
        message('filed', undefined, id('ana@far.test', 'evil') + id('gateway@far.test', 'archive-7')),
      )
      await peer.writes(message('odd', undefined, id('gateway@far.test', 'not plain')))
    })
    const observed = server.connect()
    await observed.sees('message-received', ({ text }) => text === 'odd')
    const ids = observed.observations.flatMap((seen) =>
      seen.kind === 'message-received' ? [seen.network_message_id] : [],
    )
    assert.equal(ids[1] === 'archive-7', believed)
    for (const id of ids.filter((id) => id !== 'archive-7')) assert.match(id, /^sha256-[\w-]{43}$/)
    await observed.close()
  }
})

test('a message that no server archived: told from those of others, and known again', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.begins()
    const chat = (from: string, id: string, body: string) =>
      `<message from='${from}' type='chat' ${id}><body>${body}</body></message>`
    await peer.writes(
      [
        chat('ana@far.test/a', `id='1'`, 'hello'),
        chat('ana@far.test/b', `id='1'`, 'hello'),
        chat('bob@far.test/a', `id='1'`, 'hello'),
        chat('ana@far.test/a', `id='2'`, 'hello'),
        chat('ana@far.test/a', `id='1'`, 'goodbye'),
        chat('ana@far.test/a', '', 'hello'),
        chat('ana@far.test/a', '', 'hello'),
        message('last'),
      ].join(''),
    )
  })
  const observed = server.connect()
  await observed.sees('message-received', ({ text }) => text === 'last')
  const ids = observed.observations.flatMap((seen) =>
    seen.kind === 'message-received' ? [seen.network_message_id] : [],
  )
  const [first, again, ...others] = ids
  assert.equal(again, first)
  assert.equal(new Set([first, ...others]).size, 7)
  await observed.close()
})

test('a time is believed when the own server tells it, and never lies ahead', options, async (t) => {
  const delay = (from: string, stamp: string) => `<delay xmlns='urn:xmpp:delay' ${from} stamp='${stamp}'/>`
  const past = '2025-01-01T10:00:00.123+02:00'
  const times: Readonly<Record<string, readonly [xml: string, time: number | 'now']>> = {
    kept: [delay(`from='far.test'`, past), Date.UTC(2025, 0, 1, 8, 0, 0, 123)],
    account: [delay(`from='gateway@far.test'`, past), Date.UTC(2025, 0, 1, 8, 0, 0, 123)],
    sender: [delay(`from='ana@far.test/x'`, past), 'now'],
    unnamed: [delay('', past), 'now'],
    later: [delay(`from='far.test'`, '2999-01-01T00:00:00Z'), 'now'],
    before: [delay(`from='far.test'`, '1969-01-01T00:00:00Z'), 'now'],
    nonsense: [delay(`from='far.test'`, 'yesterday'), 'now'],
    impossible: [delay(`from='far.test'`, '2025-13-41T25:61:61Z'), 'now'],
  }
  const server = await play(t, async (peer) => {
    await peer.begins()
    for (const [body, [xml]] of Object.entries(times)) await peer.writes(message(body, undefined, xml))
  })
  const began = Date.now()
  const observed = server.connect()
  for (const [body, [, time]] of Object.entries(times)) {
    const { at } = await observed.sees('message-received', ({ text }) => text === body)
    if (time === 'now') assert.ok(at >= began && at <= Date.now(), `${body}: ${at}`)
    else assert.equal(at, time, body)
  }
  await observed.close()
})
