import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { MediaKind } from '../../../../src/contract/resources/message.ts'
import { mediaKinds } from '../../../../src/contract/statuses.ts'
import { MediaMissing } from '../../../../src/media/store/media-store.ts'
import type { OutgoingFile } from '../../../../src/networks/driver/message.ts'
import type { Outcome } from '../../../../src/networks/driver/outcome.ts'
import { newMessageId } from '../../../kit/networks/new-message-id.ts'
import { newFile, StoppingFile } from '../files.ts'
import { arrivedAs, type LawFixture, law, present, type Recipient } from '../fixture.ts'
import type { Harness } from '../harness.ts'
import { type Media, newText } from '../session.ts'
import { within } from '../signals.ts'

/** Laws of files, on a network that carries any: all of it, or nothing and certainly nothing. */
export function mediaLaws(harness: Harness): void {
  const kinds = mediaKinds.filter((kind) => harness.driver.limits.media_bytes[kind] !== undefined)
  const [kind] = kinds
  if (kind === undefined) return
  wholeFiles(harness, kinds)
  sizes(harness, kinds)
  names(harness, kind)
  if (harness.driver.abilities.message_ids === 'ours') for (const each of kinds) repetitions(harness, each)
  company(harness, kind)
  faultyFiles(harness, kind)
  brokenConnections(harness, kind)
}

const examples: Readonly<Record<MediaKind, { readonly filename: string; readonly mime_type: string }>> = {
  document: { filename: 'invoice.pdf', mime_type: 'application/pdf' },
  audio: { filename: 'greeting.ogg', mime_type: 'audio/ogg; codecs=opus' },
  image: { filename: 'view.png', mime_type: 'image/png' },
  video: { filename: 'tour.mp4', mime_type: 'video/mp4' },
  sticker: { filename: 'smile.webp', mime_type: 'image/webp' },
}

function wholeFiles(harness: Harness, kinds: readonly MediaKind[]): void {
  for (const kind of kinds) {
    const file = newFile(200_000, examples[kind])
    law(harness, `a file sent as ${kind} arrives byte for byte, with its name and type`, async (fixture) => {
      const session = await fixture.open()
      await fixture.deliverFile(session, await fixture.recipient(), { kind, file })
    })
    // A sticker has none.
    if (kind !== 'sticker') captions(harness, { kind, file })
  }
  if (!kinds.includes('audio')) return
  law(harness, 'a voice note arrives, as such where the network has them', async (fixture) => {
    const session = await fixture.open()
    const file = newFile(20_000, examples.audio)
    await fixture.deliverFile(session, await fixture.recipient(), { kind: 'audio', file, voice: true })
  })
}

/** The error of a network that has no captions for audio. */
const captionRefused = 'caption_not_supported'

function captions(harness: Harness, { kind, file }: Pick<Media, 'kind' | 'file'>): void {
  const media = (fixture: LawFixture) => {
    const caption = fixture.kept(`${newText()} <ol>&amp; 😀\r\nשלום`)
    return { kind, file, caption }
  }
  if (kind === 'audio' && Object.hasOwn(harness.driver.errors, captionRefused)) {
    law(harness, `a file sent as ${kind} is refused for good because of its caption`, async (fixture) => {
      const { error } = await refusalOf(fixture, media(fixture))
      assert.deepEqual([error.code, error.permanent], [captionRefused, true])
    })
    return
  }
  law(harness, `a file sent as ${kind} arrives with its caption`, async (fixture) => {
    const session = await fixture.open()
    const recipient = await fixture.recipient()
    await fixture.deliverFile(session, recipient, media(fixture))
    await fixture.settle()
    assert.equal(recipient.arrivals.all.length, 1, 'as one message')
  })
}

function sizes(harness: Harness, kinds: readonly MediaKind[]): void {
  const { media_bytes, caption_characters } = harness.driver.limits
  for (const kind of kinds) {
    law(
      harness,
      `an empty file arrives as ${kind} or is refused for good, and a single byte arrives`,
      async (fixture) => {
        const session = await fixture.open()
        const recipient = await fixture.recipient()
        for (const size of [0, 1]) {
          const media = { kind, file: newFile(size) }
          const id = newMessageId()
          const outcome = await session.sendFile(recipient.address, media, { id })
          if (outcome.kind === 'accepted')
            arrivedAs(media, await recipient.arrived(fixture.idOf(id, outcome)), outcome)
          else assert.ok(size === 0 && outcome.kind === 'rejected' && outcome.error.permanent, outcome.kind)
        }
      },
    )
    law(harness, `the largest file that the limits allow arrives as ${kind}`, async (fixture) => {
      const session = await fixture.open()
      const file = newFile(media_bytes[kind] ?? 0, examples[kind])
      await fixture.deliverFile(session, await fixture.recipient(), { kind, file })
    })
  }
  law(harness, 'the longest caption that the limits allow arrives unchanged', async (fixture) => {
    const session = await fixture.open()
    const recipient = await fixture.recipient()
    for (const kind of kinds.slice(0, 1)) {
      for (const character of ['a', '😀', '&']) {
        const longest = character.repeat(caption_characters)
        // If the network counts in UTF-16 code units, half as many emojis fit.
        const fits = harness.driver.textFault(longest, 'caption') === null
        const caption = fits ? longest : character.repeat(caption_characters / 2)
        assert.equal(harness.driver.textFault(caption, 'caption'), null)
        await fixture.deliverFile(session, recipient, { kind, file: newFile(10), caption })
      }
    }
  })
}

/** Names that people give to files and that break naive drivers; none has a path or a control character. */
const awkwardNames = [
  'relatório final (2).pdf',
  'q & a <draft> "1" \'2\'.txt',
  '100% sure? #1; a=b&c+d,e.txt',
  '%2e%2e%2f%00.txt',
  '日本語 😀 שלום.png',
  'no-extension',
  '.hidden',
  'e\u0301 and é.txt',
  `${'n'.repeat(251)}.txt`,
  `${'あ'.repeat(251)}.txt`,
]

function names(harness: Harness, kind: MediaKind): void {
  law(harness, 'a file of any name arrives under that name', async (fixture) => {
    const session = await fixture.open()
    const recipient = await fixture.recipient()
    for (const filename of awkwardNames) {
      await fixture.deliverFile(session, recipient, { kind, file: newFile(100, { filename }) })
    }
  })
  law(
    harness,
    'a caption or a name that the network has no way to write is refused for good',
    async (fixture) => {
      const session = await fixture.open()
      const recipient = await fixture.recipient()
      for (const odd of ['a NUL \0', 'a bell \u0007', 'half a pair \ud83d', 'no character \uffff']) {
        for (const media of [
          { kind, file: newFile(100), caption: odd },
          { kind, file: newFile(100, { filename: odd }) },
        ]) {
          const id = newMessageId()
          const outcome = await session.sendFile(recipient.address, media, { id })
          if (outcome.kind === 'accepted')
            arrivedAs(media, await recipient.arrived(fixture.idOf(id, outcome)), outcome)
          else assert.ok(outcome.kind === 'rejected' && outcome.error.permanent, outcome.kind)
        }
      }
      await fixture.deliver(session, recipient)
    },
  )
}

function repetitions(harness: Harness, kind: MediaKind): void {
  law(harness, `a file sent as ${kind} again keeps the id of its message, and its bytes`, async (fixture) => {
    const session = await fixture.open()
    const recipient = await fixture.recipient()
    const media = { kind, file: newFile(100_000), caption: newText() }
    const id = newMessageId()
    let outcome: Outcome | undefined
    for (const attempt of [1, 2, 3]) {
      outcome = await session.sendFile(recipient.address, media, { id, attempt })
      arrivedAs(media, await recipient.arrived(id), outcome)
    }
    const last = await fixture.deliver(session, recipient)
    const ids = new Set(recipient.arrivals.all.map((arrival) => arrival.id))
    assert.deepEqual([...ids], [id, last], 'no arrival carries another id')
    for (const arrival of recipient.arrivals.all)
      if (arrival.id === id) arrivedAs(media, arrival, present(outcome))
  })
  law(
    harness,
    `a file sent as ${kind} that is asked for again while it is on its way arrives under one id`,
    async (fixture) => {
      const session = await fixture.open()
      const recipient = await fixture.recipient()
      const file = new StoppingFile()
      const id = newMessageId()
      const first = session.sendFile(recipient.address, { kind, file }, { id })
      await stopped(fixture, file, first)
      const second = session.sendFile(recipient.address, { kind, file }, { id, attempt: 2 })
      file.goOn()
      assert.deepEqual([(await first).kind, (await second).kind], ['accepted', 'accepted'])
      assert.equal((await recipient.arrived(id)).file?.sha256, file.sha256)
      await fixture.settle()
      assert.equal(new Set(recipient.arrivals.all.map((arrival) => arrival.id)).size, 1)
    },
  )
}

function company(harness: Harness, kind: MediaKind): void {
  const { in_flight } = harness.driver.limits
  law(
    harness,
    'files and texts to one recipient arrive in the order in which they were sent',
    async (fixture) => {
      const session = await fixture.open()
      const recipient = await fixture.recipient()
      const ids: string[] = []
      for (let index = 0; index < 5; index++) {
        ids.push(
          await fixture.deliverFile(session, recipient, { kind, file: newFile(5_000), caption: newText() }),
        )
        ids.push(await fixture.deliver(session, recipient))
      }
      const arrived = recipient.arrivals.all.map((arrival) => arrival.id)
      assert.deepEqual(arrived, ids)
    },
  )
  if (in_flight > 1) {
    law(harness, 'a file on its way holds up no text, and the connection answers probes', async (fixture) => {
      const session = await fixture.open()
      const [slow, other] = [await fixture.recipient(), await fixture.recipient()]
      const file = new StoppingFile()
      const id = newMessageId()
      const sending = session.sendFile(slow.address, { kind, file }, { id })
      await stopped(fixture, file, sending)
      await fixture.deliver(session, other)
      session.connection.probe()
      await session.seen('connection-verified')
      assert.equal(slow.arrivals.all.length, 0)
      file.goOn()
      const arrival = await slow.arrived(fixture.idOf(id, await sending))
      assert.equal(arrival.file?.sha256, file.sha256)
    })
  }
  law(harness, 'as many files as may be in flight arrive, each with its own bytes', async (fixture) => {
    const session = await fixture.open()
    const recipients: Recipient[] = []
    while (recipients.length < Math.min(in_flight, 12)) recipients.push(await fixture.recipient())
    await Promise.all(
      recipients.map((recipient) =>
        fixture.deliverFile(session, recipient, { kind, file: newFile(300_000), caption: newText() }),
      ),
    )
  })
}

function faultyFiles(harness: Harness, kind: MediaKind): void {
  law(harness, 'a file that cannot be read to its end is not sent, and certainly not', async (fixture) => {
    const file = new StoppingFile()
    file.break()
    await isCertainlyNotSent(fixture, kind, file, false)
    await within(fixture.timeout, 'the file to be let go of', file.released)
  })
  law(harness, 'a file that cannot be opened is not sent, and certainly not', async (fixture) => {
    const open = () => {
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    }
    await isCertainlyNotSent(fixture, kind, { ...newFile(1_000), open }, false)
  })
  law(harness, 'a file whose bytes are gone is refused for good', async (fixture) => {
    const open = () => {
      const nothing = new Readable({ read: () => nothing.destroy(new MediaMissing('med_1')) })
      return nothing
    }
    await isCertainlyNotSent(fixture, kind, { ...newFile(1_000), open }, true)
  })
  const file = newFile(150_000)
  const lies: Readonly<Record<string, OutgoingFile>> = {
    'shorter than announced': { ...file, size: file.size + 1 },
    'longer than announced': { ...file, size: file.size - 1 },
    'empty instead of what was announced': { ...newFile(0), size: file.size, sha256: file.sha256 },
    'others than announced': { ...newFile(file.size), sha256: file.sha256 },
  }
  for (const [name, lie] of Object.entries(lies)) {
    law(harness, `a file whose bytes are ${name} is refused for good`, async (fixture) => {
      await isCertainlyNotSent(fixture, kind, lie, true)
    })
  }
}

async function isCertainlyNotSent(
  fixture: LawFixture,
  kind: MediaKind,
  file: OutgoingFile,
  permanent: boolean,
): Promise<void> {
  const { error } = await refusalOf(fixture, { kind, file, caption: newText() })
  assert.equal(error.permanent, permanent)
}

/** Sends a file that must be refused, and returns how, once it is certain that nothing of it arrived. */
async function refusalOf(fixture: LawFixture, media: Media): Promise<Extract<Outcome, { kind: 'rejected' }>> {
  const session = await fixture.open()
  const recipient = await fixture.recipient()
  const outcome = await session.sendFile(recipient.address, media)
  assert.ok(outcome.kind === 'rejected', outcome.kind)
  await fixture.deliver(session, recipient)
  assert.equal(recipient.arrivals.all.length, 1, 'nothing of it arrived')
  assert.equal(session.count('connection-lost'), 0)
  return outcome
}

function brokenConnections(harness: Harness, kind: MediaKind): void {
  for (const how of ['close', 'abort', 'cut'] as const) {
    law(
      harness,
      `a file on its way when the connection ends (${how}) is certainly not sent`,
      async (fixture) => {
        const account = await harness.newAccount()
        const session = await fixture.open(account)
        const recipient = await fixture.recipient()
        const file = new StoppingFile()
        const sending = session.sendFile(recipient.address, { kind, file, caption: newText() })
        await stopped(fixture, file, sending)
        if (how === 'cut') {
          await harness.cut(account)
          session.connection.probe()
          await session.seen('connection-lost')
        } else {
          await session[how]()
        }
        notSent(await sending)
        await within(fixture.timeout, 'the file to be let go of', file.released)
        file.goOn()
        if (how !== 'cut') await session.close()
        await fixture.settle()
        assert.deepEqual(recipient.arrivals.all, [])
      },
    )
  }
  law(harness, 'a file sent after close is not even opened', async (fixture) => {
    const session = await fixture.open()
    const recipient = await fixture.recipient()
    await session.close()
    const file = new StoppingFile()
    fixture.isUnsent(await session.sendFile(recipient.address, { kind, file }))
    await setImmediate()
    assert.equal(file.opened, 0)
  })
  law(harness, 'a file whose connection ended arrives by the next one', async (fixture) => {
    const account = await harness.newAccount()
    const session = await fixture.open(account)
    const recipient = await fixture.recipient()
    const id = newMessageId()
    const file = new StoppingFile()
    const sending = session.sendFile(recipient.address, { kind, file }, { id })
    await stopped(fixture, file, sending)
    await session.close()
    notSent(await sending)
    const next = await fixture.open(account)
    const media = { kind, file: newFile(file.size) }
    await fixture.deliverFile(next, recipient, media, { id, attempt: 2 })
  })
}

function notSent(outcome: Outcome): void {
  assert.ok(outcome.kind === 'rejected' && !outcome.error.permanent, `it was ${outcome.kind}`)
}

async function stopped(fixture: LawFixture, file: StoppingFile, attempt: Promise<Outcome>): Promise<void> {
  await within(fixture.timeout, 'the file to be read', file.stopped(attempt))
}
