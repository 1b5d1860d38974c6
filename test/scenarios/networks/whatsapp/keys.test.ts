import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startInstance } from '../../../../src/contract/operations/instance-operations.ts'
import { becomes, environmentFor, linkByPicture, relink } from '../../../kit/networks/whatsapp/stage.ts'
import { eventually, text } from '../../../kit/play.ts'
import { startPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp } from '../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const ana = '4915100000002'

test('an account with too many keys is linked again as its reason says', { timeout: 120_000 }, async (t) => {
  const whatsapp = await startWhatsApp(t)
  let posthorn = await startPosthorn({ environment: environmentFor(whatsapp) })
  t.after(() => posthorn.stop())
  for (const phone of [shop, ana]) await whatsapp.control.createPerson({ phone })
  await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })

  posthorn = await posthorn.restart({ POSTHORN_KEY_LIMIT: '10' })
  await text(posthorn.admin, { instance: 'shop', to: `+${ana}`, text: 'One key too many.' })
  const { reason } = await becomes(posthorn, 'shop', 'failed')
  assert.equal(reason?.code, 'too_many_keys')
  assert.match(reason.detail, /Remove this device in WhatsApp on the phone .* start the instance, and link/)

  const [device] = await whatsapp.control.devices({ person: shop })
  await whatsapp.control.unlink({ person: shop, device: device?.device ?? 0 })
  await posthorn.admin.call(startInstance, { params: { name: 'shop' } })
  await becomes(posthorn, 'shop', 'logged_out')

  posthorn = await posthorn.restart({ POSTHORN_KEY_LIMIT: '100000' })
  await relink({ whatsapp, posthorn }, { name: 'shop', phone: shop })
})

test('each time WhatsApp asks for keys, it gets fifty, however few are left', async (t) => {
  const whatsapp = await startWhatsApp(t)
  const posthorn = await startPosthorn({ environment: environmentFor(whatsapp) })
  t.after(() => posthorn.stop())
  await whatsapp.control.createPerson({ phone: shop })
  await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
  const keys = async () => (await whatsapp.control.devices({ person: shop }))[0]?.keysLeft ?? 0
  await eventually('the first keys', keys, (left) => left > 50)
  for (const left of [7, 2, 0]) {
    await whatsapp.control.spendKeys({ person: shop, left })
    assert.equal(await eventually('more keys', keys, (count) => count > left), left + 50)
  }
})
