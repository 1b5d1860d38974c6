import { setTimeout as wait } from 'node:timers/promises'
import { PNG } from 'pngjs'
import qrcode from 'qrcode'
import { createInstance, restartInstance } from '../src/contract/operations/instance-operations.ts'
import { getLink } from '../src/contract/operations/link-operations.ts'
import { becomes, environmentFor, textIn } from '../test/kit/networks/whatsapp/stage.ts'
import { type Control, startWhatsApp } from '../test/simulators/whatsapp/start-whatsapp.ts'
import { say, sendFile } from './conversation.ts'
import type { NetworkDemo, Server } from './network-demo.ts'

const shop = '4915100000001'
const ana = '4915100000002'
const ben = '4915100000003'

export const whatsappDemo: NetworkDemo = {
  title: 'WhatsApp',
  async start() {
    const whatsapp = await startWhatsApp({ after: () => {} })
    const { control } = whatsapp
    await control.createPerson({ phone: shop, name: 'The shop' })
    await control.createPerson({ phone: ana, name: 'Ana' })
    await control.createPerson({ phone: ben, name: 'Ben' })
    for (const person of [ana, ben]) await control.change({ person, reads: true })
    return {
      url: whatsapp.url,
      environment: environmentFor(whatsapp),
      recipient: `+${ana}`,
      stop: () => whatsapp.stop(),
      async converse(server) {
        await link(server, control)
        await converse(server, control)
        await connectAgain(server, control)
      },
    }
  },
}

async function link(server: Server, control: Control): Promise<void> {
  // At the pace of people, which is the default, the demo would take minutes.
  const body = { name: 'shop', network: 'whatsapp', settings: { pacing: { off: true } } }
  await server.admin.call(createInstance, { body, waitSeconds: 20 })
  const params = { name: 'shop' }
  const { bytes } = await server.admin.call(getLink, { params, accept: 'image/png', waitSeconds: 20 })
  const qr = textIn(bytes)
  console.log(
    'The instance "shop" waits for a phone. GET /v1/instances/shop/link shows this QR code as a picture:\n',
  )
  console.log(await qrcode.toString(qr, { type: 'terminal', small: true, errorCorrectionLevel: 'L' }))
  console.log('The phone of the shop, which is simulated, too, reads the picture …')
  await control.scan({ person: shop, qr })
  const { account } = await becomes(server, 'shop', 'connected')
  console.log(`The instance "shop" is linked, and connected as ${account?.address}.`)
}

async function converse(server: Server, control: Control): Promise<void> {
  const write = async (told: string, writing: Omit<Parameters<Control['write']>[0], 'from'>) => {
    console.log(`\nAna ${told}`)
    await control.write({ from: ana, ...writing })
    await wait(1_000)
  }
  await write('writes: Hello, is my order on its way?', { to: shop, text: 'Hello, is my order on its way?' })
  await say(server, `+${ana}`, 'It left this morning.')
  await sendFile(server, { to: `+${ana}`, kind: 'document', filename: 'invoice.pdf', bytes: invoice })
  await sendFile(server, { to: `+${ana}`, kind: 'image', filename: 'parcel.png', bytes: picture() })
  const file = { kind: 'audio', bytes: voice.toString('base64'), mimetype: 'audio/ogg; codecs=opus' } as const
  await write('answers with a voice note.', { to: shop, file: { ...file, ptt: true, seconds: 2 } })

  const group = await control.createGroup({ subject: 'Neighbours', members: [shop, ana, ben] })
  const question = 'Who takes my parcel?'
  await write(`writes in the group “Neighbours”: ${question}`, { to: group, text: question })
  await say(server, `${group}@g.us`, 'We keep it in the shop.')
  const seen = await control.received({ person: ben, count: 2 })
  console.log(
    `\nBen, who is in the group, too, has received: ${seen.map(({ text }) => `“${text}”`).join(', ')}`,
  )
}

async function connectAgain(server: Server, control: Control): Promise<void> {
  console.log('\nThe connection is closed, and opened again. Nobody scans anything: the link lasts.')
  await server.admin.call(restartInstance, { params: { name: 'shop' }, waitSeconds: 20 })
  await becomes(server, 'shop', 'connected')
  await say(server, `+${ana}`, 'We are back.')
  const seen = await control.received({ person: ana, from: shop, count: 5 })
  console.log(`\nAna has received ${seen.length} messages from the shop, and could decrypt each.`)
}

const invoice = Buffer.from('%PDF-1.7\n% one parcel, paid\n')

/** The head of a voice note, which is enough to be passed on. */
const voice = Buffer.from(`OggS\0\x02${'\0'.repeat(20)}\x01\x0aOpusHead\x01\x01`, 'latin1')

/** A brown parcel on a white ground, as a PNG. */
function picture(): Buffer {
  const size = 96
  const png = new PNG({ width: size, height: size })
  for (let pixel = 0; pixel < size * size; pixel += 1) {
    const [x, y] = [pixel % size, Math.floor(pixel / size)]
    const isParcel = Math.max(Math.abs(x - size / 2), Math.abs(y - size / 2)) < size / 3
    png.data.set(isParcel ? [160, 110, 60, 255] : [255, 255, 255, 255], pixel * 4)
  }
  return PNG.sync.write(png)
}
