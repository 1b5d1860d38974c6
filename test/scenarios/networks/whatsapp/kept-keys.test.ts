import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listAudit } from '../../../../src/contract/operations/audit-operations.ts'
import {
  createInstance,
  deleteInstance,
  restartInstance,
} from '../../../../src/contract/operations/instance-operations.ts'
import { getLink, logOutInstance, startLink } from '../../../../src/contract/operations/link-operations.ts'
import type { ConnectContext } from '../../../../src/networks/driver/connection.ts'
import type { Driver } from '../../../../src/networks/driver/driver.ts'
import type { KeyChange } from '../../../../src/networks/driver/keys.ts'
import { allEvents } from '../../../kit/http/feed.ts'
import { becomes, hastyDriver, onlyWhatsApp, relink, unpaced } from '../../../kit/networks/whatsapp/stage.ts'
import { eventually, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { rowsIn } from '../../../kit/rows.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const ana = '4915100000002'

/** The driver, which tells what keys are stored. */
function watched(driver: Driver, saw: (changes: readonly KeyChange[]) => void): Driver {
  const connect = (context: ConnectContext) => {
    const { keys } = context
    const set: typeof keys.set = (changes) => {
      saw(changes)
      return keys.set(changes)
    }
    const watching = { get: keys.get.bind(keys), set, clear: keys.clear.bind(keys) } as typeof keys
    return driver.connect({ ...context, keys: watching })
  }
  return { ...driver, connect }
}

describe('the keys of a link', { timeout: 180_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn
  let log = ''
  const stored: KeyChange[] = []
  /** Link steps that people were shown. */
  const shown: string[] = []

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    const driver = watched(hastyDriver(whatsapp, {}), (changes) => stored.push(...changes))
    const write = (line: string): void => {
      log += line
    }
    posthorn = await startPosthorn({ drivers: [driver], environment: onlyWhatsApp, log: { write } })
    for (const phone of [shop, ana]) await whatsapp.control.createPerson({ phone })
    const body = { name: 'shop', network: 'whatsapp', settings: unpaced }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    const { link } = (await posthorn.admin.call(getLink, { params })).body
    const value = link?.value ?? ''
    shown.push(value)
    await whatsapp.control.scan({ person: shop, qr: value })
    await becomes(posthorn, 'shop', 'connected')
    await arrives()
  })
  after(async () => {
    await posthorn?.stop()
    await whatsapp?.stop()
  })

  const params = { name: 'shop' }
  const rows = async (): Promise<string[]> => {
    const found = await rowsIn<{ type: string; id: string }>(
      posthorn.data,
      'select type, id from network_keys',
    )
    return found.map(({ type, id }) => `${type} ${id}`).sort()
  }
  const areGone = () => eventually('no keys', rows, (left) => left.length === 0)
  const arrives = async () => {
    const { id } = await text(posthorn.admin, { instance: 'shop', to: `+${ana}`, text: 'Hello' })
    await reaches(posthorn.admin, id, 'delivered')
  }

  for (const [what, happen] of [
    ['somebody else uses the link', () => whatsapp.control.replace({ person: shop })],
    [
      'WhatsApp ends the stream',
      () => whatsapp.control.disturb({ person: shop, fault: { kind: 'stream-error', name: '500' } }),
    ],
  ] as const) {
    test(`are all kept when ${what}, and the phone of Ana knows them again`, async () => {
      const had = await rows()
      assert.ok(had.length > 5, `${had.length} keys`)
      await happen()
      await becomes(posthorn, 'shop', 'reconnecting')
      const kept = await rows()
      assert.deepEqual(
        had.filter((row) => !kept.includes(row)),
        [],
      )
      await posthorn.admin.call(restartInstance, { params, waitSeconds: 20 })
      await becomes(posthorn, 'shop', 'connected')
      await arrives()
      assert.equal((await whatsapp.control.trouble({ person: ana })).undecryptable, 0)
    })
  }

  test('are gone when it is logged out', async () => {
    await posthorn.admin.call(logOutInstance, { params })
    await areGone()
    await relink({ whatsapp, posthorn }, { name: 'shop', phone: shop })
    assert.ok((await rows()).length > 0)
  })

  test('are gone when somebody removes it on the phone; a code links it again', async () => {
    const [device] = await whatsapp.control.devices({ person: shop, connected: 1 })
    await whatsapp.control.unlink({ person: shop, device: device?.device ?? 0 })
    await becomes(posthorn, 'shop', 'logged_out')
    await areGone()
    const body = { kind: 'code', phone: `+${shop}` } as const
    const { link } = (await posthorn.admin.call(startLink, { params, body, waitSeconds: 20 })).body
    const code = link?.value ?? ''
    shown.push(code, code.replace('-', ''))
    await whatsapp.control.enterCode({ person: shop, code: code.replace('-', '') })
    await becomes(posthorn, 'shop', 'connected')
    assert.ok((await rows()).length > 0)
  })

  test('are gone with the instance', async () => {
    await posthorn.admin.call(deleteInstance, { params })
    await areGone()
  })

  test('stand in no line of the log, no event and no audit, nor does what people are shown', async () => {
    const audit = (await posthorn.admin.call(listAudit, { query: { limit: 200 } })).body
    const everything = [log, JSON.stringify(await allEvents(posthorn.admin)), JSON.stringify(audit)]
    const secrets = shown.filter((value) => value.length >= 8)
    assert.equal(secrets.length, 3)
    for (const { value } of stored) {
      const bytes = Buffer.from(value ?? [])
      if (bytes.length < 32) continue
      const words = bytes.toString('latin1').match(/[\w+/]{40,}={0,2}/g) ?? []
      secrets.push(...words, bytes.subarray(-32).toString('hex'), bytes.toString('base64').slice(-40, -4))
    }
    assert.ok(secrets.length > 100, `${secrets.length} secrets`)
    for (const said of everything) {
      assert.ok(said.length > 100)
      for (const secret of secrets) assert.equal(said.includes(secret), false, 'a secret is shown')
    }
  })
})
