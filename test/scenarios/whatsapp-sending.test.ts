import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { getMessage } from '../../src/contract/operations/message-operations.ts'
import type { Message } from '../../src/contract/resources/message.ts'
import { whatsappIdOf } from '../../src/networks/whatsapp/message-id.ts'
import { becomes, environmentFor, linkByPicture } from '../kit/networks/whatsapp-stage.ts'
import { eventually, reaches, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import type { Fault } from '../simulators/whatsapp/faults.ts'
import { startWhatsApp, type WhatsAppProcess } from '../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'

/** The id of a message at WhatsApp. */
const idAtWhatsApp = (id: string) => whatsappIdOf(id.replace(/^msg_/, ''))

describe('what a shop sends over WhatsApp', { timeout: 180_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn
  let people = 0

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    posthorn = await startPosthorn({ environment: environmentFor(whatsapp) })
    await whatsapp.control.createPerson({ phone: shop, name: 'Shop' })
    await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
  })
  after(async () => {
    await posthorn?.stop()
    await whatsapp?.stop()
  })

  const newNumber = () => `49151000001${String(people++).padStart(2, '0')}`
  const newPerson = async () => {
    const phone = newNumber()
    await whatsapp.control.createPerson({ phone })
    return phone
  }
  const say = (to: string, words: string) =>
    text(posthorn.admin, { instance: 'shop', to: `+${to}`, text: words })
  const goWrong = (fault: Fault, times = 1) =>
    whatsapp.control.fault({ on: 'message', account: shop, times, fault })
  const now = async (id: string) => (await posthorn.admin.call(getMessage, { params: { id } })).body
  const attemptsFor = ({ id }: Message) => whatsapp.control.messages({ id: idAtWhatsApp(id) })
  const isSent = ({ status }: Message) => ['sent', 'delivered', 'read'].includes(status)
  const becomesSent = ({ id }: Message) => eventually(`${id} to be sent`, () => now(id), isSent)
  const lookUps = async () => {
    const { asked } = await whatsapp.control.questions({})
    const ofPeople = Object.entries(asked).filter(([name]) => name.startsWith('usync'))
    return ofPeople.reduce((sum, [, count]) => sum + count, 0)
  }

  test('a refusal that would count against the account is not repeated', async () => {
    const ana = await newPerson()
    await goWrong({ kind: 'refuse', code: 463 })
    const { id } = await say(ana, 'Hello, stranger')
    const message = await reaches(posthorn.admin, id, 'failed')
    assert.equal(message.error?.code, 'recipient_refused')
    assert.equal(message.error?.network_code, '463')
    assert.equal(await attemptsFor(message), 1)
  })

  test('a message that WhatsApp calls malformed is sent once more, with the devices that there are now', async () => {
    const ana = await newPerson()
    await goWrong({ kind: 'refuse', code: 479 })
    const message = await becomesSent(await say(ana, 'Once more'))
    assert.equal(await attemptsFor(message), 2)
    await goWrong({ kind: 'refuse', code: 479 }, 2)
    const { id } = await say(ana, 'Never')
    const failed = await reaches(posthorn.admin, id, 'failed')
    assert.equal(failed.error?.code, 'message_malformed')
    assert.equal(await attemptsFor(failed), 2)
  })

  test('a contact that refuses its number is addressed by its LID, and looked up once', async () => {
    const ana = await newPerson()
    await whatsapp.control.change({ person: ana, isMigrated: true })
    await becomesSent(await say(ana, 'One'))
    const before = await lookUps()
    for (const words of ['Two', 'Three']) await becomesSent(await say(ana, words))
    assert.equal(await lookUps(), before)
    const seen = await whatsapp.control.received({ person: ana, count: 3 })
    assert.ok(seen.every(({ addressing }) => addressing === 'lid'))
  })

  test('for a number without an account WhatsApp is asked once', async () => {
    const nobody = newNumber()
    const first = await reaches(posthorn.admin, (await say(nobody, 'Hello?')).id, 'failed')
    assert.equal(first.error?.code, 'recipient_not_on_network')
    const before = await lookUps()
    const second = await reaches(posthorn.admin, (await say(nobody, 'Hello?')).id, 'failed')
    assert.equal(second.error?.code, 'recipient_not_on_network')
    assert.equal(await lookUps(), before)
    assert.equal(await attemptsFor(first), 0)
  })

  test('an account that may not write to new people says until when, and goes on with others', async () => {
    const [known, stranger] = [await newPerson(), await newPerson()]
    await becomesSent(await say(known, 'Welcome'))
    const until = (Math.floor(Date.now() / 1000) + 3600) * 1000
    await whatsapp.control.lock({ person: shop, until })
    const restricted = await eventually(
      'the restriction',
      () => becomes(posthorn, 'shop', 'connected'),
      ({ restriction }) => restriction?.code === 'reach_out_restricted',
    )
    assert.equal(Date.parse(restricted.restriction?.ends_at ?? ''), until)
    const { id } = await say(stranger, 'Hello, stranger')
    const failed = await reaches(posthorn.admin, id, 'failed')
    assert.equal(failed.error?.code, 'reach_out_restricted')
    assert.equal(await attemptsFor(failed), 1)
    await becomesSent(await say(known, 'As always'))
    const still = await becomes(posthorn, 'shop', 'connected')
    assert.equal(Date.parse(still.restriction?.ends_at ?? ''), until)
    await whatsapp.control.lock({ person: shop, until: 0 })
    await eventually(
      'the end of the restriction',
      () => becomes(posthorn, 'shop', 'connected'),
      ({ restriction }) => restriction === null,
    )
  })

  test('an account is warned of how many new chats it may begin, and says when it may begin no more', async () => {
    const until = (Math.floor(Date.now() / 1000) + 86_400) * 1000
    const restriction = async (code: string | undefined) => {
      const shown = await eventually(
        `the restriction ${code}`,
        () => becomes(posthorn, 'shop', 'connected'),
        (now) => now.restriction?.code === code,
      )
      return shown.restriction
    }
    await whatsapp.control.cap({ person: shop, status: 'FIRST_WARNING', until })
    assert.equal((await restriction('new_chats_limit_near'))?.scope, 'none')
    await whatsapp.control.cap({ person: shop, status: 'CAPPED', until })
    const capped = await restriction('new_chats_limit')
    assert.deepEqual([capped?.scope, Date.parse(capped?.ends_at ?? '')], ['new_contacts', until])
    // A time-lock is wider, and what was said before counts again when it is lifted.
    await whatsapp.control.lock({ person: shop, until })
    await restriction('reach_out_restricted')
    await whatsapp.control.lock({ person: shop, until: 0 })
    await restriction('new_chats_limit')
    await whatsapp.control.cap({ person: shop, status: 'NONE', until })
    await restriction(undefined)
  })
})
