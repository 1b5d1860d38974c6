import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { CloudDriver, type CloudPerson } from '../../../../test/kit/networks/whatsapp-cloud/driver.ts'
import type { OutgoingFile, TargetMessage } from '../../driver/message.ts'
import type { Outcome } from '../../driver/outcome.ts'

let far: CloudDriver
let ada: CloudPerson
let session: ObservedConnection

before(async () => {
  far = await CloudDriver.start()
  ada = await far.person()
  session = await far.open()
})
after(async () => {
  await session.close()
  await far.stop()
})

const taken = async () => (await far.cloud.control('taken', {})).at(-1) ?? assert.fail('nothing was taken')
const codeOf = (outcome: Outcome) =>
  outcome.kind === 'rejected' ? `${outcome.error.permanent} ${outcome.error.code}` : outcome.kind

function targetOf(network_message_id: string): TargetMessage {
  return {
    network_message_id,
    sender_message_id: null,
    from: ada.address,
    kind: 'text',
    text: 'Hi',
    topic: null,
  }
}

/** The request without what all of them have. */
async function sent(message: Parameters<ObservedConnection['sendMessage']>[0]) {
  const outcome = await session.sendMessage(message).outcome
  assert.equal(outcome.kind, 'accepted', JSON.stringify(outcome))
  const { messaging_product, recipient_type, to, biz_opaque_callback_data, ...rest } = (await taken()).request
  assert.deepEqual([messaging_product, recipient_type, to], ['whatsapp', 'individual', ada.address])
  assert.ok(biz_opaque_callback_data)
  return rest
}

describe('a message', () => {
  test('names the one that it replies to, whatever it contains', async () => {
    const id = await far.cloud.act(ada.user_id, { act: 'text', body: 'Are you open?' })
    const replyTo = targetOf(id)
    const context = { message_id: id }
    const to = ada.address
    await far.cloud.control('template', { name: 'hours' })
    const template = { name: 'hours', language: 'en_US', components: [] }
    const location = { latitude: 1, longitude: 2, name: null, address: null }
    const seen = [
      await sent({ kind: 'text', to, text: 'Yes', replyTo }),
      await sent({ kind: 'template', to, template, replyTo }),
      await sent({ kind: 'location', to, location, replyTo }),
      await sent({ kind: 'image', to, caption: null, voice: false, file: jpeg, replyTo }),
      await sent({ kind: 'interactive', to, interactive: question, replyTo }),
    ]
    for (const request of seen) assert.deepEqual(request.context, context)
  })

  test('is a reaction, which is taken back by none', async () => {
    const id = await far.cloud.act(ada.user_id, { act: 'text', body: 'Thanks!' })
    for (const emoji of ['❤️', '👩🏽‍🚀', null]) {
      const request = await sent({ kind: 'reaction', to: ada.address, target: targetOf(id), emoji })
      assert.deepEqual(request, { type: 'reaction', reaction: { message_id: id, emoji: emoji ?? '' } })
    }
  })

  test('that reacts to what is gone is given back', async () => {
    await far.handOver(session)
    const target = targetOf('wamid.gone')
    const { outcome, id } = session.sendMessage({ kind: 'reaction', to: ada.address, target, emoji: '👍' })
    assert.equal((await outcome).kind, 'accepted')
    const seen = await far.handOver(session)
    const back = seen.find((one) => one.kind === 'message-returned')
    assert.deepEqual([back?.network_message_id, back?.error.code], [id, 'message_invalid'])
  })

  test('is a place or people, without what is not known of them', async () => {
    const place = { latitude: -23.5614, longitude: -46.6559, name: 'MASP', address: null }
    const { address: _, ...known } = place
    assert.deepEqual(await sent({ kind: 'location', to: ada.address, location: place }), {
      type: 'location',
      location: known,
    })
    const contacts = [
      { name: 'Ana', phones: [], emails: [], company: null },
      { name: 'Dr. Lima', phones: ['+55 11 98765-4321'], emails: ['lima@example.org'], company: 'Clinic' },
    ]
    assert.deepEqual(await sent({ kind: 'contacts', to: ada.address, contacts }), {
      type: 'contacts',
      contacts: [
        { name: { formatted_name: 'Ana', first_name: 'Ana' } },
        {
          name: { formatted_name: 'Dr. Lima', first_name: 'Dr. Lima' },
          phones: [{ phone: '+55 11 98765-4321' }],
          emails: [{ email: 'lima@example.org' }],
          org: { company: 'Clinic' },
        },
      ],
    })
  })

  test('is a question with buttons, a list, or a page to open', async () => {
    const around = { header: 'Well', body: 'Tomorrow?', footer: 'Clinic' }
    const shown = {
      header: { type: 'text', text: 'Well' },
      body: { text: 'Tomorrow?' },
      footer: { text: 'Clinic' },
    }
    const to = ada.address
    const buttons = [{ id: 'yes', title: 'Yes', payload: 'ours alone' }]
    assert.deepEqual(
      (await sent({ kind: 'interactive', to, interactive: { ...around, buttons } })).interactive,
      {
        type: 'button',
        ...shown,
        action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
      },
    )
    const rows = [
      { id: '1', title: 'Ten', description: 'With Dr. Lima', payload: 'x' },
      { id: '2', title: 'Two' },
    ]
    const list = {
      button: 'Times',
      sections: [
        { title: 'A', rows },
        { title: 'B', rows: [{ id: '3', title: 'Six' }] },
      ],
    }
    const listed = (await sent({ kind: 'interactive', to, interactive: { ...around, list } })).interactive
    assert.deepEqual(listed, {
      type: 'list',
      ...shown,
      action: {
        button: 'Times',
        sections: [
          {
            title: 'A',
            rows: [
              { id: '1', title: 'Ten', description: 'With Dr. Lima' },
              { id: '2', title: 'Two' },
            ],
          },
          { title: 'B', rows: [{ id: '3', title: 'Six' }] },
        ],
      },
    })
    const url_button = { title: 'Track', url: 'https://example.org/4711' }
    const opened = (await sent({ kind: 'interactive', to, interactive: { body: 'Here', url_button } }))
      .interactive
    assert.deepEqual(opened, {
      type: 'cta_url',
      body: { text: 'Here' },
      action: { name: 'cta_url', parameters: { display_text: 'Track', url: 'https://example.org/4711' } },
    })
  })

  test('that fits the limits is taken, at each of them', async () => {
    const { interactive: limits } = far.driver.limits
    const long = (length: number) => 'é'.repeat(length)
    const rows = Array.from({ length: limits.list_rows }, (_, index) => ({
      id: `${index}${'x'.repeat(limits.id_bytes - 2)}`,
      title: long(limits.row_characters),
      description: long(limits.row_description_characters),
    }))
    const list = {
      button: long(limits.button_characters),
      sections: [{ title: long(limits.row_characters), rows }],
    }
    const around = { header: long(60), body: long(limits.body_characters), footer: long(60) }
    await sent({ kind: 'interactive', to: ada.address, interactive: { ...around, list } })
    const buttons = Array.from({ length: limits.buttons }, (_, index) => {
      return {
        id: 'x'.repeat(limits.id_bytes - 1) + index,
        title: `${index}${long(limits.button_characters - 1)}`,
      }
    })
    await sent({ kind: 'interactive', to: ada.address, interactive: { ...around, buttons } })
    const contacts = Array.from({ length: 20 }, () => ({
      name: long(256),
      phones: [],
      emails: [],
      company: null,
    }))
    await sent({ kind: 'contacts', to: ada.address, contacts })
  })
})

const question = { body: 'Well?', buttons: [{ id: 'yes', title: 'Yes' }] }

function fileOf(bytes: Buffer, mime_type: string): OutgoingFile {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const open = () => Readable.from([Buffer.from(bytes.subarray(0, 7)), Buffer.from(bytes.subarray(7))])
  return { filename: 'file.bin', mime_type, size: bytes.length, sha256, open }
}

const jpeg = fileOf(Buffer.alloc(1_000, 7), 'image/jpeg')

/** A WebP with flags in its first chunk, and so many bytes. */
function webp(size: number, flags: number): OutgoingFile {
  const bytes = Buffer.alloc(size, 1)
  bytes.write('RIFF', 0, 'latin1')
  bytes.write('WEBPVP8X', 8, 'latin1')
  bytes[20] = flags
  return fileOf(bytes, 'image/webp')
}

describe('a video or a sticker', () => {
  const send = (kind: 'video' | 'sticker', file: OutgoingFile, caption: string | null = null) =>
    session.sendMessage({ kind, to: ada.address, caption, voice: false, file }).outcome

  test('arrives as what it is', async () => {
    const moving = 0b10
    for (const [kind, file] of [
      ['video', fileOf(Buffer.alloc(20_000, 3), 'video/mp4')],
      ['video', fileOf(Buffer.alloc(20_000, 4), 'video/3gpp')],
      ['sticker', webp(50_000, 0)],
      ['sticker', webp(400_000, moving | 0b10000)],
    ] as const) {
      assert.equal(codeOf(await send(kind, file)), 'accepted')
      const { type, file: there, statuses } = await taken()
      assert.deepEqual([type, there?.sha256], [kind, file.sha256])
      assert.ok(statuses.every(({ status }) => status !== 'failed'))
    }
    assert.equal(codeOf(await send('video', fileOf(Buffer.alloc(9), 'video/mp4'), 'Look')), 'accepted')
    assert.equal((await taken()).request.video?.caption, 'Look')
  })

  test('that WhatsApp does not take is refused before anything is sent', async () => {
    const before = await far.taken()
    const unreadable = { ...webp(150_000, 0), open: () => assert.fail('it cannot be read') }
    assert.deepEqual(
      [
        await send('video', fileOf(Buffer.alloc(9), 'video/webm')),
        await send('sticker', jpeg),
        await send('sticker', webp(150_000, 0b10000)),
        await send('sticker', webp(1_000, 0), 'No words on a sticker'),
        await send('sticker', unreadable),
      ].map(codeOf),
      [
        'true file_type_not_supported',
        'true file_type_not_supported',
        'true sticker_too_large',
        'true caption_not_supported',
        'false file_unreadable',
      ],
    )
    assert.equal(await far.taken(), before)
  })
})
