import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { replaceCredentials } from '../../../../src/contract/operations/instance-operations.ts'
import { getMessageMedia } from '../../../../src/contract/operations/message-operations.ts'
import type { MediaKind, Message } from '../../../../src/contract/resources/message.ts'
import { sampleHeads } from '../../../kit/media-samples.ts'
import { type CloudNumber, CloudStage } from '../../../kit/networks/whatsapp-cloud/stage.ts'
import { eventually, everythingReceived, reaches, text } from '../../../kit/play.ts'

let stage: CloudStage
before(async () => {
  stage = await CloudStage.start()
})
after(() => stage.stop())

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Returns the message that the far end took under this id. */
async function takenAs({ network_message_id }: Message) {
  const taken = await stage.cloud.control('taken', {})
  return taken.find(({ id }) => id === network_message_id) ?? assert.fail('nothing was taken')
}

type Sample = keyof typeof sampleHeads

/** A file of this kind that no other test sends. */
const fileOf = (name: Sample) => Buffer.concat([sampleHeads[name], randomBytes(2_000)])

const kinds: readonly { kind: MediaKind; voice?: true; samples: readonly Sample[] }[] = [
  { kind: 'document', samples: ['invoice.pdf', 'letter.docx'] },
  { kind: 'image', samples: ['photo.jpg', 'drawing.png'] },
  { kind: 'audio', samples: ['song.mp3', 'song.m4a', 'song.aac', 'call.amr', 'note.opus'] },
  { kind: 'audio', voice: true, samples: ['note.opus'] },
]

describe('a file reaches the far end byte for byte', { concurrency: 4 }, () => {
  let number: CloudNumber
  before(async () => {
    number = await stage.number()
  })

  for (const { kind, voice, samples } of kinds)
    for (const filename of samples)
      for (const by of ['upload', 'url'] as const)
        test(`${filename} as ${voice ? 'a voice note' : kind}, by ${by}`, async () => {
          const bytes = fileOf(filename)
          const { instance } = number
          const file = { instance, to: await stage.person(), kind, filename, bytes }
          const message = await stage.sendFile(by, voice ? { ...file, voice } : file, 20)
          assert.ok(message.sent_at, JSON.stringify(message.error))
          const taken = await takenAs(message)
          assert.deepEqual([taken.type, taken.file?.sha256], [kind, sha256(bytes)])
          assert.deepEqual(taken.request.audio?.voice, voice)
          if (kind === 'document') assert.equal(taken.request.document?.filename, filename)
        })

  test('a text, with all that it has', async () => {
    const said = 'Grüße 👋\n\n*not bold*\thttps://example.org/?a=1&b=2 \u0301\u200d'
    const message = await text(
      stage.posthorn.admin,
      { instance: number.instance, to: await stage.person(), text: said },
      20,
    )
    assert.deepEqual((await takenAs(message)).request.text, { body: said, preview_url: false })
  })
})

test('a token that is revoked in the middle, and replaced in place, loses nothing and repeats nothing', async () => {
  const number = await stage.number()
  const { id, waba, instance } = number
  const send = async (each: number) => {
    const to = await stage.person()
    if (each % 3 === 0) return text(stage.posthorn.admin, { instance, to })
    const by = each % 3 === 1 ? 'upload' : 'url'
    return stage.sendFile(
      by,
      { instance, to, kind: 'document', filename: 'invoice.pdf', bytes: fileOf('invoice.pdf') },
      0,
    )
  }
  const ofNumber = async () => {
    const taken = await stage.cloud.control('taken', {})
    return taken.filter(({ phone_number_id }) => phone_number_id === id)
  }
  const first = Promise.all(Array.from({ length: 12 }, (_, each) => send(each)))
  await eventually('some to be taken', ofNumber, ({ length }) => length >= 3)
  await stage.cloud.control('token', { token: number.token, wabas: [waba], state: 'revoked' })
  const messages = [...(await first), ...(await Promise.all([12, 13, 14].map(send)))]
  assert.equal((await stage.reaches(number, 'logged_out')).reason?.code, 'token_refused')

  await stage.cloud.control('token', { token: 'EAAanother', wabas: [waba], state: 'valid' })
  const { body } = await stage.posthorn.admin.call(replaceCredentials, {
    params: { name: instance },
    body: { credentials: number.credentials('EAAanother') },
    waitSeconds: 20,
  })
  assert.equal(body.status, 'connected')
  for (const message of messages) await reaches(stage.posthorn.admin, message.id, 'read')
  assert.equal((await ofNumber()).length, messages.length)
})

test('a file that could not be fetched is there after a restart of the server', async () => {
  const { instance, id: number } = await stage.number()
  await stage.cloud.fault('http', { operation: 'download', kind: 'status', status: 503, count: 1_000 })
  const phone = (await stage.person()).slice(1)
  const bytes = fileOf('photo.jpg')
  await stage.cloud.control('act', {
    person: phone,
    number,
    act: 'image',
    bytes: bytes.toString('base64'),
    mime_type: 'image/jpeg',
    caption: 'Look',
  })
  const read = () => everythingReceived(stage.posthorn.admin, instance)
  const [before] = await eventually('the message', read, ({ length }) => length === 1)
  assert.equal(before?.media?.sha256, null)
  stage.posthorn = await stage.posthorn.restart()
  await stage.cloud.control('clear-faults', {})
  const [message] = await eventually('the file', read, ([one]) => one?.media?.sha256 != null)
  assert.deepEqual([message?.kind, message?.caption, message?.error], ['image', 'Look', null])
  const params = { id: message?.id ?? assert.fail() }
  const { bytes: fetched } = await stage.posthorn.admin.call(getMessageMedia, { params })
  assert.equal(sha256(new Uint8Array(fetched ?? [])), sha256(bytes))
})
