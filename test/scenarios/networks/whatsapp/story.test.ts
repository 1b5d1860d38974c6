import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listMessages } from '../../../../src/contract/operations/message-operations.ts'
import { becomes, environmentFor, linkByPicture } from '../../../kit/networks/whatsapp/stage.ts'
import { eventually, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const ana = '4915100000002'

describe('a shop links its WhatsApp, and talks to Ana', { timeout: 120_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    posthorn = await startPosthorn({ environment: environmentFor(whatsapp) })
    await whatsapp.control.createPerson({ phone: shop, name: 'Shop' })
    await whatsapp.control.createPerson({ phone: ana, name: 'Ana' })
  })
  after(async () => {
    await posthorn?.stop()
    await whatsapp?.stop()
  })

  const say = (words: string) => text(posthorn.admin, { instance: 'shop', to: `+${ana}`, text: words }, 20)
  const received = (words: string) =>
    eventually(
      `the message “${words}”`,
      async () => {
        const query = { instance: 'shop', direction: 'inbound' } as const
        return (await posthorn.admin.call(listMessages, { query })).body.data
      },
      (found) => found.some((message) => message.text === words),
    )

  test('a phone reads the picture, and the instance is connected', async () => {
    const { account, status } = await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
    assert.equal(status, 'connected')
    assert.equal(account?.address, `+${shop}`)
  })

  test('a text reaches the phone of Ana, and its receipts come back', async () => {
    const message = await say('Until six.')
    assert.ok(['sent', 'delivered', 'read'].includes(message.status), JSON.stringify(message.error))
    const [seen] = await whatsapp.control.received({ person: ana, count: 1 })
    assert.equal(seen?.text, 'Until six.')
    await reaches(posthorn.admin, message.id, 'delivered')
    await whatsapp.control.read({ person: ana, ids: [seen.id] })
    await reaches(posthorn.admin, message.id, 'read')
  })

  test('what Ana writes comes in', async () => {
    await whatsapp.control.write({ from: ana, to: shop, text: 'Is it open today?' })
    await received('Is it open today?')
  })

  test('it is connected again after a restart, without a person', async () => {
    posthorn = await posthorn.restart()
    await becomes(posthorn, 'shop', 'connected')
    const message = await say('We are back.')
    assert.ok(['sent', 'delivered', 'read'].includes(message.status), JSON.stringify(message.error))
  })
})
