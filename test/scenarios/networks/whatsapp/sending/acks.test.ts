import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { editMessage } from '../../../../../src/contract/operations/following-operations.ts'
import { getMessage } from '../../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../../src/contract/resources/message.ts'
import { whatsappIdOf } from '../../../../../src/networks/whatsapp/message-id.ts'
import { allEvents } from '../../../../kit/http/feed.ts'
import { hastyDriver, linkByPicture, onlyWhatsApp } from '../../../../kit/networks/whatsapp/stage.ts'
import { eventually, text } from '../../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../../kit/posthorn.ts'
import type { Fault } from '../../../../simulators/whatsapp/faults.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'

/** Milliseconds that WhatsApp may take. */
const ackTimeoutMs = 3_000

/** Milliseconds after which clients accept no edit. */
const maxEditAgeMs = 1_000

/*
 * Nothing is called sent before WhatsApp has said so. The phones are off, so that no receipt can say it instead.
 */

describe('while WhatsApp does not say that it has a message', { timeout: 180_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn
  let people = 0

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    const driver = hastyDriver(whatsapp, { ackTimeoutMs, maxEditAgeMs })
    posthorn = await startPosthorn({ drivers: [driver], environment: onlyWhatsApp })
    await whatsapp.control.createPerson({ phone: shop, name: 'Shop' })
    await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
  })
  after(async () => {
    await posthorn?.stop()
    await whatsapp?.stop()
  })

  /** Makes a person whose phone is off. */
  const newPerson = async () => {
    const phone = `49151000001${String(people++).padStart(2, '0')}`
    await whatsapp.control.createPerson({ phone })
    await whatsapp.control.change({ person: phone, isAway: true })
    return phone
  }
  const say = (to: string, words: string) =>
    text(posthorn.admin, { instance: 'shop', to: `+${to}`, text: words })
  const goWrong = (fault: Fault, times = 1) =>
    whatsapp.control.fault({ on: 'message', account: shop, times, fault })
  const now = async ({ id }: Message) => (await posthorn.admin.call(getMessage, { params: { id } })).body
  const idAtWhatsApp = ({ id }: Message) => whatsappIdOf(id.replace(/^msg_/, ''))
  const attempts = (message: Message, count: number) =>
    whatsapp.control.messages({ id: idAtWhatsApp(message), count })
  const becomesSent = (message: Message) =>
    eventually(
      `${message.text} to be sent`,
      () => now(message),
      ({ status }) => status === 'sent',
    )
  /** Returns the messages of a phone that is on again, with the number of their copies. */
  const shown = async (person: string, count: number) => {
    await whatsapp.control.change({ person, isAway: false })
    const seen = await whatsapp.control.received({ person, count })
    const { reusedKeys, undecryptable } = await whatsapp.control.trouble({ person })
    assert.deepEqual({ reusedKeys, undecryptable }, { reusedKeys: 0, undecryptable: 0 })
    return seen.map(({ text: words }) => words)
  }

  test('the message is not sent; it is repeated with its id on a new connection, and shown once', async () => {
    const [ana, bert] = [await newPerson(), await newPerson()]
    // WhatsApp takes the first message, and loses the second.
    await goWrong({ kind: 'drop', taken: true })
    const taken = await say(ana, 'taken')
    await attempts(taken, 1)
    await goWrong({ kind: 'drop', taken: false })
    const lost = await say(bert, 'lost')
    await attempts(lost, 1)
    for (const message of [taken, lost]) {
      const { status } = await now(message)
      assert.ok(status === 'sending' || status === 'queued', `${message.text} is ${status}`)
    }
    await Promise.all([attempts(taken, 2), attempts(lost, 2)])
    await Promise.all([becomesSent(taken), becomesSent(lost)])
    assert.deepEqual([await shown(ana, 1), await shown(bert, 1)], [['taken'], ['lost']])
  })

  test('a connection that is cut before it says so does not lose, double or overtake anything', async () => {
    const ana = await newPerson()
    await goWrong({ kind: 'cut', taken: true })
    const words = ['first', 'second', 'third']
    const messages: Message[] = []
    for (const each of words) messages.push(await say(ana, each))
    for (const message of messages) await becomesSent(message)
    assert.deepEqual(await shown(ana, 3), words)
  })

  test('an answer that comes after the attempt was given up is enough, and another one changes nothing', async () => {
    const ana = await newPerson()
    await goWrong({ kind: 'drop', taken: true }, 2)
    const message = await say(ana, 'taken')
    await attempts(message, 2)
    assert.notEqual((await now(message)).status, 'sent')
    const late = { person: shop, to: ana, id: idAtWhatsApp(message) }
    await whatsapp.control.acknowledge(late)
    await becomesSent(message)
    await whatsapp.control.acknowledge(late)
    await becomesSent(await say(ana, 'the next one'))
    assert.equal((await now(message)).status, 'sent')
    const events = (await allEvents(posthorn.admin)).filter(
      ({ type, data }) => type === 'message.sent' && JSON.stringify(data).includes(message.id),
    )
    assert.equal(events.length, 1)
    assert.deepEqual(await shown(ana, 2), ['taken', 'the next one'])
  })

  test('what takes long before it is sent is not taken for silence', async () => {
    const ana = await newPerson()
    const { opened } = await whatsapp.control.streams({})
    const slow = { kind: 'delay', milliseconds: ackTimeoutMs + 500 } as const
    await whatsapp.control.fault({ on: 'iq', account: shop, xmlns: 'encrypt', fault: slow })
    const message = await say(ana, 'slow')
    await becomesSent(message)
    assert.equal(await attempts(message, 1), 1)
    assert.equal((await whatsapp.control.streams({})).opened, opened)
    assert.deepEqual(await shown(ana, 1), ['slow'])
  })

  test('an edit that left too late fails, and says why', async () => {
    const to = await newPerson()
    const first = await say(to, 'At six')
    await becomesSent(first)
    const params = { id: first.id }
    await new Promise((resolve) => setTimeout(resolve, maxEditAgeMs))
    const { body: late } = await posthorn.admin.call(editMessage, { params, body: { text: 'At 7' } })
    const failed = await eventually(
      'its end',
      () => now(late),
      ({ status }) => status === 'failed',
    )
    assert.deepEqual([failed.error?.code, failed.error?.permanent], ['edit_window_over', true])
    assert.equal(await attempts(late, 0), 0)
  })
})
