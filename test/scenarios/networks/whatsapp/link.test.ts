import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  createInstance,
  deleteInstance,
  getInstance,
} from '../../../../src/contract/operations/instance-operations.ts'
import { getLink, startLink } from '../../../../src/contract/operations/link-operations.ts'
import type { InstanceConnectivity, StartLink } from '../../../../src/contract/resources/instance.ts'
import { problemOf } from '../../../kit/http/problem-of.ts'
import {
  becomes,
  hastyDriver,
  linkByPicture,
  onlyWhatsApp,
  scanPicture,
  unpaced,
} from '../../../kit/networks/whatsapp/stage.ts'
import { eventually } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

const phones = { shop: '4915100000001', desk: '4915100000002', till: '4915100000003', key: '4915100000004' }

describe('a person links an account', { timeout: 180_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    // A person has a minute; the play has not.
    const driver = hastyDriver(whatsapp, { codeLifetime: 3_000 })
    posthorn = await startPosthorn({ drivers: [driver], environment: onlyWhatsApp })
    for (const phone of Object.values(phones)) await whatsapp.control.createPerson({ phone })
  })
  after(async () => {
    await posthorn?.stop()
    await whatsapp?.stop()
  })

  const create = async (name: string) => {
    const body = { name, network: 'whatsapp', settings: unpaced }
    return (await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })).body
  }
  const begin = async (name: string, body: StartLink = { kind: 'qr' }): Promise<InstanceConnectivity> =>
    (await posthorn.admin.call(startLink, { params: { name }, body, waitSeconds: 20 })).body
  const step = async (name: string) => {
    const { body } = await posthorn.admin.call(getLink, { params: { name }, waitSeconds: 20 })
    return body.link ?? assert.fail('there is no step')
  }

  test('the code is renewed while it is shown, and the phone takes the newest', async () => {
    await create('shop')
    const first = await step('shop')
    let shown = first
    while (shown.value === first.value) shown = await step('shop')
    assert.ok(Date.parse(shown.expires_at) > Date.parse(first.expires_at))
    await whatsapp.control.scan({ person: phones.shop, qr: shown.value })
    await becomes(posthorn, 'shop', 'connected')
  })

  test('if nobody does it in time, it stops; another order begins anew', async () => {
    await whatsapp.control.set({ refs: 1 })
    await create('till')
    const { reason } = await becomes(posthorn, 'till', 'stopped')
    assert.equal(reason?.code, 'link_expired')
    await whatsapp.control.set({ refs: 6 })
    assert.equal((await begin('till')).status, 'awaiting_link')
    await scanPicture({ whatsapp, posthorn }, { name: 'till', phone: phones.till })
    await becomes(posthorn, 'till', 'connected')
  })

  describe('by a code that is typed on the phone', () => {
    const byCode = (phone: string): StartLink => ({ kind: 'code', phone: `+${phone}` })

    test('for a number without an account, WhatsApp refuses it', async () => {
      await create('desk')
      const { status, reason } = await begin('desk', byCode('4915199999999'))
      assert.deepEqual([status, reason?.code], ['failed', 'link_refused'])
    })

    test('typed wrongly, it links nothing, and the next attempt is not hurt', async () => {
      const { link } = await begin('desk', byCode(phones.desk))
      assert.match(link?.value ?? '', /^[1-9A-HJ-NP-TV-Z]{4}-[1-9A-HJ-NP-TV-Z]{4}$/)
      await assert.rejects(whatsapp.control.enterCode({ person: phones.desk, code: '11111111' }))
      assert.equal((await whatsapp.control.devices({ person: phones.desk })).length, 0)
      const next = await begin('desk', byCode(phones.desk))
      assert.equal(next.status, 'awaiting_link')
      assert.notEqual(next.link?.value, link?.value)
      const code = (next.link?.value ?? '').replace('-', '')
      await whatsapp.control.enterCode({ person: phones.desk, code })
      const { account } = await becomes(posthorn, 'desk', 'connected')
      assert.equal(account?.address, `+${phones.desk}`)
    })
  })

  test('that demands a passkey: it says so at once, and what can be done', async () => {
    await whatsapp.control.change({ person: phones.key, needsPasskey: true })
    await create('key')
    await scanPicture({ whatsapp, posthorn }, { name: 'key', phone: phones.key })
    const { reason } = await becomes(posthorn, 'key', 'failed')
    assert.equal(reason?.code, 'passkey_required')
    assert.match(reason?.detail ?? '', /Cloud API/)
    await whatsapp.control.change({ person: phones.key, needsPasskey: false })
    assert.equal((await begin('key')).status, 'awaiting_link')
    await scanPicture({ whatsapp, posthorn }, { name: 'key', phone: phones.key })
    await becomes(posthorn, 'key', 'connected')
  })

  test('twice, for two organizations: each is a device of its own, and neither disturbs the other', async () => {
    await posthorn.createOrganization('other')
    const admin = posthorn.client((await posthorn.createKey('other', 'admin')).key)
    const other = { admin }
    await linkByPicture({ whatsapp, posthorn: other }, { name: 'mine', phone: phones.shop })
    assert.equal((await whatsapp.control.devices({ person: phones.shop, connected: 2 })).length, 2)
    await becomes(posthorn, 'shop', 'connected')
    for (const seen of [getInstance, getLink] as const) {
      const { status } = await problemOf(admin.call(seen as typeof getLink, { params: { name: 'shop' } }))
      assert.equal(status, 404)
    }
  })

  test('never, and the instance is removed: it is gone at once, although nobody can confirm it', async () => {
    assert.equal((await create('nobody')).status, 'awaiting_link')
    await posthorn.admin.call(deleteInstance, { params: { name: 'nobody' } })
    const found = () =>
      posthorn.admin.call(getInstance, { params: { name: 'nobody' } }).then(
        () => true,
        () => false,
      )
    await eventually('no instance', found, (isThere) => !isThere)
  })

  test('with a client that is too old: both causes are named', async () => {
    await whatsapp.control.set({ oldestVersion: '9.0.0' })
    const created = await create('old')
    await whatsapp.control.set({ oldestVersion: '0' })
    assert.deepEqual([created.status, created.reason?.code], ['failed', 'client_outdated'])
    assert.match(created.reason?.detail ?? '', /VERSION.*BROWSER/)
  })
})
