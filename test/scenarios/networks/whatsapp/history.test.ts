import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { getMessage } from '../../../../src/contract/operations/message-operations.ts'
import { startHttpProxy } from '../../../kit/far-ends/proxies.ts'
import { readMetrics } from '../../../kit/http/metrics.ts'
import { becomes, environmentFor, linkByPicture } from '../../../kit/networks/whatsapp/stage.ts'
import { eventually, everythingReceived, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const megabyte = 2 ** 20
const day = 24 * 60 * 60
const metricsToken = 'metrics-token-of-this-very-test-1'
const readLine = 'the phone transferred a part of the history'

/*
 * The history that a phone hands over, from the time before its account was linked. Without the privacy tokens in it,
 * WhatsApp refuses messages to known contacts.
 */

describe('the history from before the link', { timeout: 300_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn
  let log = ''
  let people = 0

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    const write = (line: string) => {
      log += line
    }
    const environment = {
      ...environmentFor(whatsapp),
      POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.1/32',
      POSTHORN_METRICS_TOKEN: metricsToken,
    }
    posthorn = await startPosthorn({ environment, log: { write } })
    await whatsapp.control.createPerson({ phone: shop })
    await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
  })
  after(async () => {
    await posthorn?.stop()
    await whatsapp?.stop()
  })

  /** Makes a person to whom WhatsApp lets no account write without a privacy token. */
  const wary = async () => {
    const phone = `4915200${String(1000 + people++).padStart(6, '0')}`
    await whatsapp.control.createPerson({ phone })
    await whatsapp.control.change({ person: phone, demandsToken: true })
    return phone
  }
  const partsRead = () => log.split(readLine).length - 1
  const isRead = (before: number) =>
    eventually(
      'the part to be read',
      async () => partsRead(),
      (parts) => parts > before,
    )
  const dropped = async (what: string) => {
    const metrics = await readMetrics(posthorn.url, metricsToken)
    const line = new RegExp(`^posthorn_whatsapp_dropped_total\\{what="${what}"\\} (\\d+)$`, 'm').exec(metrics)
    return Number(line?.[1] ?? 0)
  }
  const says = async (to: string, words: string, instance = 'shop') =>
    (await text(posthorn.admin, { instance, to: `+${to}`, text: words })).id
  const arrives = async (to: string, words: string, instance?: string) => {
    await reaches(posthorn.admin, await says(to, words, instance), 'delivered')
    const seen = await whatsapp.control.received({ person: to })
    assert.equal(seen.at(-1)?.text, words)
  }
  const isRefused = async (to: string, words: string) => {
    const id = await says(to, words)
    const { body } = await eventually(
      'it to be refused',
      () => posthorn.admin.call(getMessage, { params: { id } }),
      ({ body: { status } }) => status === 'failed',
    )
    assert.equal(body.error?.code, 'recipient_refused')
  }

  for (const [title, handover, chat] of [
    ['in a message', { kind: 'inline' }, {}],
    ['in a file', { kind: 'reference' }, {}],
    ['in a file that says LIDs apart from chats', { kind: 'reference' }, { isByNumber: true }],
  ] as const)
    test(`a person who demands a token gets texts once it came ${title}, and after a restart`, async () => {
      const ana = await wary()
      await isRefused(ana, 'Nobody knows us')
      const before = partsRead()
      const chats = [{ with: ana, text: 'Earlier', trustedDaysAgo: 3, ...chat }]
      const id = await whatsapp.control.shareHistory({ person: shop, chats, handover })
      await isRead(before)
      await whatsapp.control.settled({ id, type: 'hist_sync' })
      await arrives(ana, 'We know each other')
      posthorn = await posthorn.restart()
      await becomes(posthorn, 'shop', 'connected')
      await arrives(ana, 'Still')
      // Messages from before the link are not messages of the instance.
      assert.deepEqual(await everythingReceived(posthorn.admin, 'shop'), [])
    })

  test('a token that has expired is of no use, and one that is older takes the place of none', async () => {
    const ana = await wary()
    const handover = { kind: 'reference' } as const
    const before = partsRead()
    await whatsapp.control.shareHistory({
      person: shop,
      chats: [{ with: ana, trustedDaysAgo: 60 }],
      handover,
    })
    await isRead(before)
    await isRefused(ana, 'Too long ago')
    await whatsapp.control.trust({ person: ana, other: shop })
    await whatsapp.control.shareHistory({
      person: shop,
      chats: [{ with: ana, trustedDaysAgo: 60 }],
      handover,
    })
    await isRead(before + 1)
    await arrives(ana, 'Anew')
  })

  test('messages disappear where the history says so', async () => {
    const ana = await wary()
    const before = partsRead()
    const chats = [{ with: ana, trustedDaysAgo: 1, expiration: 7 * day }]
    await whatsapp.control.shareHistory({ person: shop, chats, handover: { kind: 'reference' } })
    await isRead(before)
    await arrives(ana, 'Goes after a week')
    const [seen] = await whatsapp.control.received({ person: ana })
    assert.equal(seen?.expiration, 7 * day)
  })

  test('a part is fetched again if the host has no time, and nobody waits meanwhile', async () => {
    const [ana, ben] = [await wary(), await wary()]
    await whatsapp.control.change({ person: ben, demandsToken: false })
    const before = partsRead()
    const fetched = await whatsapp.control.downloads({})
    await whatsapp.control.fault({ on: 'download', fault: { kind: 'refuse', code: 503 } })
    const chats = [{ with: ana, trustedDaysAgo: 1 }]
    await whatsapp.control.shareHistory({ person: shop, chats, handover: { kind: 'reference' } })
    await whatsapp.control.downloads({ count: fetched + 1 })
    await arrives(ben, 'While it waits')
    await whatsapp.control.write({ from: ben, to: shop, text: 'Me too' })
    await eventually(
      'his answer',
      () => everythingReceived(posthorn.admin, 'shop'),
      (all) => all.some((message) => message.text === 'Me too'),
    )
    assert.equal(partsRead(), before)
    await isRead(before)
    assert.equal((await whatsapp.control.downloads({})) - fetched, 2)
    await arrives(ana, 'Now it is there')
  })

  test('a part that was not fetched before the server ended is fetched by the next one', async () => {
    const ana = await wary()
    const before = partsRead()
    const fetched = await whatsapp.control.downloads({})
    await whatsapp.control.fault({ on: 'download', times: 'always', fault: { kind: 'stall' } })
    const chats = [{ with: ana, trustedDaysAgo: 1 }]
    const id = await whatsapp.control.shareHistory({ person: shop, chats, handover: { kind: 'reference' } })
    await whatsapp.control.settled({ id, type: 'ack' })
    await whatsapp.control.downloads({ count: fetched + 1 })
    posthorn = await posthorn.restart()
    await whatsapp.control.clearFaults({})
    await isRead(before)
    await arrives(ana, 'After a kill')
  })

  for (const { title, what, act } of [
    {
      title: 'that is said to be too large',
      what: 'history',
      act: () => whatsapp.control.throwFile({ person: shop, bytes: 1_000, lie: { size: 9 * megabyte } }),
    },
    {
      title: 'that is too large, whatever is said',
      what: 'history',
      act: () => whatsapp.control.throwFile({ person: shop, bytes: 9 * megabyte, lie: { size: 1_000 } }),
    },
    {
      title: 'that never ends',
      what: 'history',
      act: async () => {
        await whatsapp.control.fault({ on: 'download', fault: { kind: 'endless' } })
        return whatsapp.control.throwFile({ person: shop, bytes: 1_000 })
      },
    },
    {
      title: 'that unfolds to 100 MB',
      what: 'history',
      act: () => whatsapp.control.throwHistory({ person: shop, bytes: 100 * megabyte, isFile: true }),
    },
    {
      title: 'of other bytes than were encrypted',
      what: 'history_file',
      act: () =>
        whatsapp.control.throwFile({ person: shop, bytes: 1_000, lie: { about: 'encrypted digest' } }),
    },
    {
      title: 'with another digest',
      what: 'history_file',
      act: () => whatsapp.control.throwFile({ person: shop, bytes: 1_000, lie: { about: 'digest' } }),
    },
    {
      title: 'whose MAC is not that of its key',
      what: 'history_file',
      act: () => whatsapp.control.throwFile({ person: shop, bytes: 1_000, lie: { about: 'mac' } }),
    },
    {
      title: 'that WhatsApp no longer has',
      what: 'history_file',
      act: () => whatsapp.control.throwFile({ person: shop, bytes: 1_000, path: '/v/t62.7118-24/gone.enc' }),
    },
  ])
    test(`a part in a file ${title} is dropped, counted and told, and the account stays linked`, async () => {
      const { opened } = await whatsapp.control.streams({})
      const before = await dropped(what)
      await act()
      await eventually(
        'it to be dropped',
        () => dropped(what),
        (count) => count === before + 1,
      )
      assert.ok(log.includes(`"what":"${what}"`), 'the log does not say so')
      const ana = await wary()
      await whatsapp.control.change({ person: ana, demandsToken: false })
      await arrives(ana, `After one ${title}`)
      assert.equal((await whatsapp.control.streams({})).opened, opened)
    })

  test('nothing is fetched from elsewhere: not from where a phone says, nor where the operator lets nobody go, nor for a stranger', async (t) => {
    let taken = 0
    const server = createServer((socket) => {
      taken += 1
      socket.destroy()
    })
    await once(server.listen(0, '127.0.0.2'), 'listening')
    t.after(() => server.close())
    const elsewhere = `127.0.0.2:${(server.address() as AddressInfo).port}`
    const fetched = await whatsapp.control.downloads({})
    const before = await dropped('history_file')
    const paths = [`https://${elsewhere}/a`, `//${elsewhere}/a`, `@${elsewhere}/a`, `/a/../../${elsewhere}`]
    for (const path of paths) await whatsapp.control.throwFile({ person: shop, bytes: 1_000, path })
    await eventually(
      'all of them to be dropped',
      () => dropped('history_file'),
      (count) => count === before + paths.length,
    )
    const mallory = await wary()
    const forged = await whatsapp.control.forge({ from: mallory, to: shop, what: 'history', isFile: true })
    await whatsapp.control.settled({ id: forged, type: 'ack' })
    assert.equal(await whatsapp.control.downloads({}), fetched)

    // A new connection asks anew for the host of files.
    const host = await whatsapp.control.moveMedia({ host: elsewhere })
    t.after(() => whatsapp.control.moveMedia({ host }))
    posthorn = await posthorn.restart()
    await becomes(posthorn, 'shop', 'connected')
    const had = await dropped('history_file')
    await whatsapp.control.throwFile({ person: shop, bytes: 1_000 })
    await eventually(
      'it to be dropped',
      () => dropped('history_file'),
      (count) => count === had + 1,
    )
    assert.deepEqual([taken, await whatsapp.control.downloads({})], [0, fetched])
  })

  test('it is fetched through the proxy of the instance', async (t) => {
    const phone = '4915100000002'
    const here = new URL(whatsapp.url).host
    const proxy = await startHttpProxy(t, { routes: { [here]: Number(new URL(whatsapp.url).port) } })
    const settings = { proxy: `http://127.0.0.1:${proxy.port}` }
    await whatsapp.control.createPerson({ phone })
    await linkByPicture({ whatsapp, posthorn }, { name: 'proxied', phone, settings })
    const ana = await wary()
    const before = partsRead()
    const linking = proxy.taken
    const chats = [{ with: ana, trustedDaysAgo: 1 }]
    await whatsapp.control.shareHistory({ person: phone, chats, handover: { kind: 'reference' } })
    await isRead(before)
    await arrives(ana, 'Through the proxy', 'proxied')
    assert.equal(proxy.taken, linking + 1)
  })
})
