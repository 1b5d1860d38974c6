import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { CloudDriver, type CloudPerson, endOf } from '../../../../test/kit/networks/whatsapp-cloud/driver.ts'
import type { HttpFault } from '../../../../test/simulators/whatsapp-cloud/faults.ts'
import type { OutgoingFile, OutgoingMedia } from '../../driver/message.ts'
import type { Outcome } from '../../driver/outcome.ts'

let far: CloudDriver
let ada: CloudPerson
let session: ObservedConnection

before(async () => {
  far = await CloudDriver.start()
})
after(() => far.stop())
beforeEach(async () => {
  await far.cloud.control('clear-faults', {})
  await far.cloud.control('token', { token: far.cloud.token, wabas: [far.cloud.waba], state: 'valid' })
  ada = await far.person()
  session = await far.open()
})
afterEach(() => session.close())

const lastTaken = async () =>
  (await far.cloud.control('taken', {})).at(-1) ?? assert.fail('nothing was taken')

/** An outcome in a few words. */
function brief(outcome: Outcome): string {
  if (outcome.kind === 'rejected')
    return `${outcome.error.permanent ? 'permanent' : 'temporary'} ${outcome.error.code}`
  return outcome.kind === 'deferred' ? `deferred ${outcome.scope} ${outcome.error.code}` : outcome.kind
}

const send = (text = 'Good morning', to = ada.address) => session.send(to, text).outcome

function fileOf(bytes: string | Buffer, mime_type: string, filename = 'file.bin'): OutgoingFile {
  const buffer = Buffer.from(bytes)
  const sha256 = createHash('sha256').update(buffer).digest('hex')
  return {
    filename,
    mime_type,
    size: buffer.length,
    sha256,
    open: () => Readable.from([Buffer.from(buffer)]),
  }
}

const sendFile = (media: Partial<OutgoingMedia> & Pick<OutgoingMedia, 'kind' | 'file'>) =>
  session.sendFile(ada.address, media).outcome

const opus = fileOf(Buffer.from('OggS....OpusHead'), 'audio/ogg; codecs=opus', 'note.ogg')

describe('a text', () => {
  test('is accepted under the id of the network, and carries ours', async () => {
    const sending = session.send(ada.address, 'Grüße / 👋')
    const outcome = await sending.outcome
    const taken = await lastTaken()
    assert.deepEqual(outcome, { kind: 'accepted', network_message_id: taken.id })
    assert.deepEqual(taken.request, {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: ada.address,
      type: 'text',
      text: { body: 'Grüße / 👋', preview_url: false },
      biz_opaque_callback_data: sending.id,
    })
  })

  test('reaches those who hide their phone by their user id', async () => {
    assert.equal(brief(await send('Hello', ada.user_id)), 'accepted')
    assert.equal((await lastTaken()).person, ada.user_id)
  })

  test('that is held back is accepted with a notice', async () => {
    await far.cloud.control('settings', { message_status: 'held_for_quality_assessment' })
    const outcome = await send()
    await far.cloud.control('settings', { message_status: 'accepted' })
    assert.ok(outcome.kind === 'accepted')
    assert.deepEqual(
      outcome.notices?.map(({ code }) => code),
      ['held_for_quality_assessment'],
    )
    const { notices } = (await send()) as Extract<Outcome, { kind: 'accepted' }>
    assert.equal(notices, undefined)
  })
})

describe('a file', () => {
  const jpeg = fileOf(Buffer.alloc(300_000, 7), 'image/jpeg', 'photo.jpg')
  const pdf = fileOf('%PDF-1.7', 'application/pdf', 'Rechnung März.pdf')

  test('arrives byte for byte as its kind', async () => {
    for (const [media, content] of [
      [{ kind: 'image', file: jpeg, caption: 'Look' }, { caption: 'Look' }],
      [{ kind: 'document', file: pdf, caption: null }, { filename: 'Rechnung März.pdf' }],
      [{ kind: 'audio', file: opus, voice: true }, { voice: true }],
      [{ kind: 'audio', file: opus }, {}],
    ] as const) {
      assert.equal(brief(await sendFile(media)), 'accepted')
      const { type, request, file } = await lastTaken()
      const { id, ...rest } = request[media.kind] as { id: string }
      assert.deepEqual([type, rest, file?.sha256], [media.kind, content, media.file.sha256])
      assert.match(id, /^\d+$/)
    }
  })

  test('that WhatsApp cannot take is refused before anything is sent', async () => {
    const before = await far.taken()
    for (const [media, outcome] of [
      [{ kind: 'image', file: fileOf('GIF89a', 'image/gif') }, 'permanent file_type_not_supported'],
      [{ kind: 'audio', file: fileOf('fLaC', 'audio/flac') }, 'permanent file_type_not_supported'],
      [{ kind: 'audio', file: opus, caption: 'Listen' }, 'permanent caption_not_supported'],
      [{ kind: 'document', file: fileOf('', 'text/plain') }, 'permanent file_empty'],
      [
        { kind: 'document', file: fileOf('MZ', 'application/x-msdownload') },
        'permanent file_type_not_supported',
      ],
    ] as const)
      assert.equal(brief(await sendFile(media)), outcome)
    assert.equal(await far.taken(), before)
  })

  test('whose upload breaks in any way was not sent, and is sent again', async () => {
    const before = await far.taken()
    for (const fault of [
      { kind: 'cut' },
      { kind: 'cut-in-answer' },
      { kind: 'hang' },
      { kind: 'status' },
      { kind: 'invalid-json' },
      { kind: 'graph-error' },
    ] as const) {
      await far.cloud.fault('http', { ...fault, operation: 'upload' })
      assert.match(brief(await sendFile({ kind: 'document', file: pdf })), /^temporary/, fault.kind)
    }
    assert.equal(await far.taken(), before)
    assert.equal(brief(await sendFile({ kind: 'document', file: pdf })), 'accepted')
  })

  test('that is not the one that was accepted any more is not sent', async () => {
    const before = await far.taken()
    const altered = { ...pdf, open: () => Readable.from([Buffer.from('%PDF-1.8')]) }
    assert.equal(brief(await sendFile({ kind: 'document', file: altered })), 'permanent file_altered')
    assert.equal(await far.taken(), before)
  })
})

describe('an answer that is lost', () => {
  const lost: readonly HttpFault[] = [
    { kind: 'cut' },
    { kind: 'cut-in-answer' },
    { kind: 'hang' },
    { kind: 'invalid-json' },
    { kind: 'endless' },
    { kind: 'status', status: 502, taken: true },
    { kind: 'status', status: 500, taken: false },
  ]
  for (const fault of lost) {
    test(`leaves it open whether the message was sent: ${fault.kind} ${fault.status ?? ''}`, async () => {
      const before = await far.taken()
      await far.cloud.fault('http', { operation: 'send', ...fault })
      assert.equal(brief(await send()), 'uncertain')
      assert.equal(await far.taken(), before + (fault.taken === false ? 0 : 1))
    })
  }

  test('does not when something else answered, or nobody could be reached', async () => {
    await far.cloud.fault('http', {
      operation: 'send',
      kind: 'redirect',
      location: 'https://elsewhere.test/',
    })
    assert.equal(brief(await send()), 'temporary not_cloud_api')
    await far.cloud.fault('http', { operation: 'send', kind: 'status', status: 403 })
    assert.equal(brief(await send()), 'temporary not_cloud_api')
  })
})

/** Written down a second time by hand: what becomes of a message that the API answers with this code. */
const expected: Readonly<Record<number, string>> = {
  131000: 'temporary server_error',
  131016: 'temporary server_error',
  133004: 'temporary server_error',
  131057: 'temporary number_in_maintenance',
  131042: 'deferred instance payment_problem; restriction all_messages',
  131044: 'deferred instance payment_problem; restriction all_messages',
  131037: 'deferred instance number_not_ready; restriction all_messages',
  131045: 'deferred instance number_not_ready; restriction all_messages',
  4: 'deferred instance account_rate_limited',
  613: 'deferred instance account_rate_limited',
  80014: 'deferred instance account_rate_limited',
  131208: 'deferred recipient group_rate_limited',
  132069: 'deferred recipient flow_rate_limited',
  80007: 'deferred instance account_rate_limited',
  130429: 'deferred instance number_rate_limited',
  131056: 'deferred recipient recipient_rate_limited',
  131048: 'deferred instance spam_limit; restriction all_messages',
  368: 'deferred instance policy_block; restriction all_messages',
  131064: 'deferred recipient messaging_limit; restriction new_contacts',
  131047: 'permanent outside_reply_window',
  131026: 'permanent recipient_unreachable',
  131021: 'permanent recipient_is_sender',
  131030: 'permanent recipient_not_allowed',
  131049: 'permanent recipient_limit_reached',
  131050: 'permanent recipient_opted_out',
  131062: 'permanent user_id_not_supported',
  130472: 'permanent recipient_in_experiment',
  130497: 'permanent country_restricted',
  137000: 'permanent recipient_changed',
  100: 'permanent message_invalid',
  131008: 'permanent message_invalid',
  131009: 'permanent message_invalid',
  131051: 'permanent message_type_not_supported',
  131052: 'temporary file_refused',
  131053: 'temporary file_refused',
  132000: 'permanent template_parameters_wrong',
  132001: 'permanent template_unknown',
  132005: 'permanent template_too_long',
  132007: 'permanent template_policy',
  132012: 'permanent template_parameters_wrong',
  132015: 'permanent template_paused',
  132016: 'permanent template_disabled',
  0: 'temporary token_refused; credentials-refused token_refused',
  102: 'temporary token_refused; credentials-refused token_refused',
  131005: 'temporary token_refused; credentials-refused missing_permission',
  190: 'temporary token_refused; credentials-refused token_refused',
  3: 'temporary token_refused; credentials-refused missing_permission',
  10: 'temporary token_refused; credentials-refused missing_permission',
  200: 'temporary token_refused; credentials-refused missing_permission',
  33: 'temporary number_refused; connection-refused number_unknown',
  133010: 'temporary number_refused; connection-refused number_not_registered',
  131031: 'temporary number_refused; connection-refused account_locked',
}

describe('an error of the API', () => {
  for (const [code, outcome] of Object.entries(expected)) {
    test(`with the code ${code} means: ${outcome}`, async () => {
      await far.cloud.fault('http', { operation: 'send', kind: 'graph-error', code: Number(code) })
      const before = session.observations.length
      const said = await send()
      const effects = session.observations.slice(before).map((seen) => {
        if (seen.kind === 'restriction') return `restriction ${seen.restriction?.scope}`
        return 'reason' in seen ? `${seen.kind} ${seen.reason.code}` : seen.kind
      })
      assert.equal([brief(said), ...effects].join('; '), outcome)
      assert.ok('error' in said && said.error.network_code === code)
    })
  }

  for (const code of [1, 2])
    test(`with the code ${code} leaves open whether the message was sent, and a status settles it`, async () => {
      const before = await far.taken()
      await far.cloud.fault('http', { operation: 'send', kind: 'graph-error', code, taken: true })
      const sending = session.send(ada.address, 'Hello')
      assert.equal(brief(await sending.outcome), 'uncertain')
      assert.equal(await far.taken(), before + 1)
      const seen = await far.handOver(session)
      assert.ok(
        seen.some((one) => one.kind === 'message-acknowledged' && one.network_message_id === sending.id),
      )
    })

  test('about a limit defers longer with each attempt', async () => {
    const waits: number[] = []
    for (const attempt of [1, 2, 3]) {
      await far.cloud.fault('http', { operation: 'send', kind: 'graph-error', code: 131056 })
      const message = { id: 'a'.repeat(26), to: ada.address, kind: 'text', text: 'Hello' } as const
      const outcome = await session.connection.send(message, attempt)
      assert.ok(outcome.kind === 'deferred')
      waits.push(Math.round((outcome.until - Date.now()) / 1000))
    }
    assert.deepEqual(waits, [6, 24, 96])
  })

  test('about a file is permanent the second time', async () => {
    await far.cloud.fault('http', { operation: 'upload', kind: 'graph-error', code: 131053 })
    const message = {
      id: 'a'.repeat(26),
      to: ada.address,
      kind: 'audio',
      file: opus,
      caption: null,
      voice: false,
    } as const
    assert.equal(brief(await session.connection.send(message, 2)), 'permanent file_refused')
  })
})

describe('a token that is revoked', () => {
  test('ends the connection with the next message, which is not lost', async () => {
    await far.cloud.control('token', { token: far.cloud.token, wabas: [far.cloud.waba], state: 'revoked' })
    assert.equal(brief(await send()), 'temporary token_refused')
    assert.deepEqual(await endOf(session), ['credentials-refused', 'token_refused'])
    assert.equal(brief(await send()), 'temporary not_connected')
  })

  test('ends the connection with the next probe', async () => {
    await far.cloud.control('token', {
      token: far.cloud.token,
      wabas: [far.cloud.waba],
      state: 'without-permission',
    })
    session.connection.probe()
    assert.deepEqual(await endOf(session), ['credentials-refused', 'missing_permission'])
  })
})
