import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newFile } from '../../../test/conformance/networks/files.ts'
import { type Peer, play } from '../../../test/kit/networks/xmpp/scripted-server.ts'
import {
  announcement,
  answers,
  introduction,
  isAsked,
  isAskedForSlot,
  isForIntroduction,
  isForList,
  list,
  slot,
  stanzasBefore,
  takesFile,
} from '../../../test/kit/networks/xmpp/scripted-uploads.ts'
import {
  bodyOf,
  startUploadServer,
  type UploadServer,
} from '../../../test/kit/networks/xmpp/upload-server.ts'
import { outboundGuard } from '../../net/guard/guard.ts'
import type { NetworkError, Outcome } from '../driver/outcome.ts'
import type { XmppOptions } from './driver.ts'

const timeout = { timeout: 20_000 }
const shortTimeouts: XmppOptions = { timeouts: { upload: 300, close: 100 } }

/** Sends one file to a server of a script, and returns the outcome. */
async function outcomeAt(t: TestContext, part: (peer: Peer) => Promise<void>, options: XmppOptions = {}) {
  const server = await play(t, part)
  const observed = server.connect(options)
  await observed.sees('connection-opened')
  const file = newFile(2_000)
  const outcome = await observed.sendFile('ana@far.test', { kind: 'document', file }).outcome
  await observed.close()
  return outcome
}

function errorOf(outcome: Outcome): NetworkError {
  assert.ok(outcome.kind === 'rejected', outcome.kind)
  return outcome.error
}

/** Takes every file. */
async function honestUploads(t: TestContext): Promise<UploadServer> {
  return await startUploadServer(t, async (request, response) => {
    await bodyOf(request)
    response.writeHead(201).end()
  })
}

async function acknowledges(peer: Peer, questions: number): Promise<void> {
  await peer.reads(/<message .*<r [^>]*>/s)
  // The presence, the questions and the message.
  await peer.writes(`<a xmlns='urn:xmpp:sm:3' h='${questions + 2}'/>`)
}

test('a server may take files itself, and list nobody', timeout, async (t) => {
  const { url } = await honestUploads(t)
  const outcome = await outcomeAt(t, async (peer) => {
    await peer.begins()
    const question = await isAsked(peer)
    assert.ok(isForList(question))
    await answers(peer, question, '', question.to, 'error')
    await answers(peer, await isAsked(peer), introduction(true))
    const asked = await isAsked(peer)
    assert.equal(asked.to, 'far.test')
    await answers(peer, asked, slot(url))
    await acknowledges(peer, 3)
  })
  assert.deepEqual(outcome, { kind: 'accepted' })
})

test(
  'a server that lists a thousand services: fifty are asked, and one that is silent holds up nothing',
  timeout,
  async (t) => {
    const { url } = await honestUploads(t)
    const asked: string[] = []
    const outcome = await outcomeAt(t, async (peer) => {
      await peer.begins()
      const services = Array.from({ length: 1_000 }, (_, index) => `service-${index}.far.test`)
      await answers(peer, await isAsked(peer), list(services))
      for (;;) {
        const question = await isAsked(peer)
        if (!isForIntroduction(question)) {
          await answers(peer, question, slot(url))
          return await acknowledges(peer, 53)
        }
        asked.push(question.to)
        if (question.to === 'service-49.far.test') await answers(peer, question, introduction(true))
      }
    })
    assert.deepEqual(outcome, { kind: 'accepted' })
    assert.equal(asked.length, 51)
  },
)

test('a server that does not say who takes files: not now', timeout, async (t) => {
  const outcome = await outcomeAt(t, (peer) => peer.begins(), shortTimeouts)
  const { code, permanent } = errorOf(outcome)
  assert.deepEqual([code, permanent], ['upload_timeout', false])
})

test('a service of which nobody knows whether it takes files is no reason to give up', timeout, async (t) => {
  const part = async (peer: Peer) => {
    await peer.begins()
    await answers(peer, await isAsked(peer), list(['silent.far.test']))
    await answers(peer, await isAsked(peer), introduction(false))
  }
  const { code, permanent } = errorOf(await outcomeAt(t, part, shortTimeouts))
  assert.deepEqual([code, permanent], ['upload_timeout', false])
})

test('a service that gives no slot: not now', timeout, async (t) => {
  const part = async (peer: Peer) => {
    await peer.begins()
    await isAskedForSlot(peer)
  }
  const { code, permanent } = errorOf(await outcomeAt(t, part, shortTimeouts))
  assert.deepEqual([code, permanent], ['upload_timeout', false])
})

test('a slot from anybody but the service is ignored', timeout, async (t) => {
  const { url, requests } = await honestUploads(t)
  const outcome = await outcomeAt(t, async (peer) => {
    await peer.begins()
    const question = await isAskedForSlot(peer)
    const trap = slot(`${url}/trap`)
    await answers(peer, question, trap, 'eve@evil.test/phone')
    await answers(peer, { ...question, id: 'guessed' }, trap)
    await answers(peer, question, slot(url))
    await acknowledges(peer, stanzasBefore - 1)
  })
  assert.deepEqual(outcome, { kind: 'accepted' })
  assert.deepEqual(
    requests.map((request) => request.url),
    ['/files/one.bin'],
  )
})

test(
  'a service is asked for no slot for a file above its announced limit, which is its own',
  timeout,
  async (t) => {
    const other = announcement('10', 'urn:xmpp:other')
    for (const [limit, slots] of [
      ['1999', 0],
      ['2000', 1],
      ['much', 1],
    ] as const) {
      let asked = 0
      const outcome = await outcomeAt(t, async (peer) => {
        await peer.begins()
        await answers(peer, await isAsked(peer), list([]))
        await answers(peer, await isAsked(peer), introduction(true, other + announcement(limit)))
        const question = await isAsked(peer)
        asked += 1
        await answers(peer, question, refusal('cancel', 'not-allowed'), question.to, 'error')
      })
      const { code, detail } = errorOf(outcome)
      assert.equal(code, slots === 0 ? 'file_too_large' : 'upload_refused')
      if (slots === 0) assert.match(detail, /at most 1\.9 KB/)
      assert.equal(asked, slots)
    }
  },
)

/** The error in place of a slot, as XEP-0363 section 5 writes it. */
function refusal(type: string, condition: string, more = ''): string {
  return `<error type='${type}'><${condition} xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>${more}</error>`
}

const limit = `<file-too-large xmlns='urn:xmpp:http:upload:0'><max-file-size>1500</max-file-size></file-too-large>`

for (const [name, error, code, permanent] of [
  ['is too large', refusal('modify', 'not-acceptable', limit), 'file_too_large', true],
  ['is not allowed', refusal('cancel', 'not-allowed'), 'upload_refused', true],
  ['finds no service', refusal('cancel', 'service-unavailable'), 'upload_unavailable', false],
] as const) {
  test(`a slot is refused because the file ${name}: ${code}`, timeout, async (t) => {
    const outcome = await outcomeAt(t, async (peer) => {
      await peer.begins()
      const question = await isAskedForSlot(peer)
      await answers(peer, question, error, question.to, 'error')
    })
    const refused = errorOf(outcome)
    assert.deepEqual([refused.code, refused.permanent], [code, permanent])
    assert.match(error, new RegExp(`<${refused.network_code} `))
    if (code === 'file_too_large') assert.match(refused.detail, /at most 1\.4 KB/)
  })
}

for (const [name, retry, until] of [
  [
    'until then',
    `<retry xmlns='urn:xmpp:http:upload:0' stamp='2099-12-03T23:42:05Z'/>`,
    Date.UTC(2099, 11, 3, 23, 42, 5),
  ],
  ['for a minute where it names no time', '', null],
  ['for a minute where the time is none', `<retry xmlns='urn:xmpp:http:upload:0' stamp='soon'/>`, null],
] as const) {
  test(`a service that is full puts a file off ${name}`, timeout, async (t) => {
    const asked = Date.now()
    const outcome = await outcomeAt(t, async (peer) => {
      await peer.begins()
      const question = await isAskedForSlot(peer)
      await answers(peer, question, refusal('wait', 'resource-constraint', retry), question.to, 'error')
    })
    assert.ok(outcome.kind === 'deferred')
    assert.equal(outcome.error.code, 'upload_deferred')
    if (until !== null) assert.equal(outcome.until, until)
    else assert.ok(outcome.until >= asked + 60_000 && outcome.until <= Date.now() + 60_000)
  })
}

test(
  'a service that was found is asked again without a search, unless it gave no slot',
  timeout,
  async (t) => {
    const { url } = await honestUploads(t)
    const searches: number[] = []
    const server = await play(t, async (peer) => {
      await peer.begins()
      for (const answer of [slot(url), slot(url), null, slot(url)]) {
        let search = 0
        let question = await isAsked(peer)
        while (isForList(question) || isForIntroduction(question)) {
          search += 1
          const payload = isForList(question) ? list([]) : introduction(true)
          await answers(peer, question, payload)
          question = await isAsked(peer)
        }
        searches.push(search)
        if (answer) await answers(peer, question, answer)
        else await answers(peer, question, refusal('cancel', 'item-not-found'), question.to, 'error')
      }
    })
    const observed = server.connect()
    await observed.sees('connection-opened')
    const send = () => observed.sendFile('ana@far.test', { kind: 'document', file: newFile(2_000) })
    for (const count of [1, 2, 3, 4]) {
      const { outcome } = send()
      while (searches.length < count) await new Promise((resolve) => setImmediate(resolve))
      if (count === 3) assert.equal(errorOf(await outcome).code, 'upload_unavailable')
    }
    assert.deepEqual(searches, [2, 0, 0, 2])
    await observed.close()
  },
)

test('a file is not uploaded to an address where the operator lets nobody lead', timeout, async (t) => {
  for (const host of ['10.1.2.3', '[fd00::1]', '[::ffff:192.168.0.1]', '169.254.169.254', '0x0a.1']) {
    const outcome = await outcomeAt(t, (peer) => takesFile(peer, slot(`https://${host}/one.bin`)))
    const { code, permanent } = errorOf(outcome)
    assert.deepEqual([code, permanent], ['upload_address_not_allowed', true], host)
  }
})

test(
  'a server leads uploads to no other private address, though instances may connect to it',
  timeout,
  async (t) => {
    const guard = outboundGuard(['127.0.0.0/8', '::1/128', '10.0.0.0/8', 'fd00::/8'])
    for (const host of ['10.1.2.3', '[fd00::1]']) {
      const part = (peer: Peer) => takesFile(peer, slot(`https://${host}/one.bin`))
      const { code, permanent } = errorOf(await outcomeAt(t, part, { guard }))
      assert.deepEqual([code, permanent], ['upload_address_not_allowed', true], host)
    }
  },
)

test(
  'a server that had received the file and not its caption is sent the caption alone',
  timeout,
  async (t) => {
    const { url } = await honestUploads(t)
    let again = ''
    const server = await play(
      t,
      async (peer) => {
        await peer.begins()
        await answers(peer, await isAskedForSlot(peer), slot(url))
        await peer.reads(/<message .*-caption.*<r [^>]*>/s)
        peer.socket.resetAndDestroy()
      },
      async (peer) => {
        await peer.logsIn(`<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><sm xmlns='urn:xmpp:sm:3'/>`)
        await peer.reads(/<resume [^>]*>/)
        await peer.writes(`<resumed xmlns='urn:xmpp:sm:3' previd='session-1' h='${stanzasBefore + 1}'/>`)
        again = await peer.reads(/<r [^>]*>/)
        await peer.writes(`<a xmlns='urn:xmpp:sm:3' h='${stanzasBefore + 2}'/>`)
      },
    )
    const first = server.connect()
    await first.sees('connection-opened')
    const media = { kind: 'document', file: newFile(2_000), caption: 'alone' } as const
    const sending = first.sendFile('ana@far.test', media)
    const { resumption } = await first.sees('connection-lost')
    assert.equal(sending.settled, null)
    const second = server.connect({ resumption })
    assert.deepEqual(await sending.outcome, { kind: 'accepted' })
    assert.equal(again.match(/<message /g)?.length, 1)
    assert.match(again, new RegExp(`id="${sending.id}-caption"`))
    await second.close()
  },
)
