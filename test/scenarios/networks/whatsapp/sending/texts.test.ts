import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { getMessage } from '../../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../../src/contract/resources/message.ts'
import { whatsappIdOf } from '../../../../../src/networks/whatsapp/message-id.ts'
import { becomes, environmentFor, linkByPicture } from '../../../../kit/networks/whatsapp/stage.ts'
import { eventually, everythingReceived, reaches, text } from '../../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../../kit/posthorn.ts'
import type { Fault } from '../../../../simulators/whatsapp/faults.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'

/** The id of a message at WhatsApp. */
const idAtWhatsApp = (id: string) => whatsappIdOf(id.replace(/^msg_/, ''))

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

const newNumber = () => `4915100${String(1000 + people++).padStart(6, '0')}`
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
/** Gives the shop the privacy token of a person, and waits until it has it. */
const trusts = async (person: string, { daysAgo = 0 } = {}) => {
  await whatsapp.control.trust({ person, other: shop, daysAgo })
  await isTold()
}
/** Waits until the shop has taken everything that WhatsApp told it. */
const isTold = async () => {
  const waiting = async () => (await whatsapp.control.devices({ person: shop }))[0]?.waiting
  await eventually('everything to be taken', waiting, (count) => count === 0)
}
const wordsOf = (shown: readonly { text?: string }[]) => shown.map(({ text: words }) => words)
const isSent = ({ status }: Message) => ['sent', 'delivered', 'read'].includes(status)
const fails = ({ id }: Message) => reaches(posthorn.admin, id, 'failed')
const becomesSent = ({ id }: Message) => eventually(`${id} to be sent`, () => now(id), isSent)
const lookUps = async () => {
  const { asked } = await whatsapp.control.questions({})
  const ofPeople = Object.entries(asked).filter(([name]) => name.startsWith('usync'))
  return ofPeople.reduce((sum, [, count]) => sum + count, 0)
}

describe('whom a shop may write to', { timeout: 180_000 }, () => {
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
    await becomesSent(await say(ana, 'Before'))
    const asked = await lookUps()
    await goWrong({ kind: 'refuse', code: 479 })
    const message = await becomesSent(await say(ana, 'Once more'))
    assert.equal(await attemptsFor(message), 2)
    assert.equal(await lookUps(), asked + 1)
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

  test('a contact is given a token to know the shop by once, and not with each message', async () => {
    const ana = await newPerson()
    const tokens = async () => (await whatsapp.control.questions({})).asked['privacy/tokens'] ?? 0
    const before = await tokens()
    for (const words of ['One', 'Two', 'Three']) await becomesSent(await say(ana, words))
    assert.equal(await tokens(), before + 1)
  })

  test('for a number without an account WhatsApp is asked once', async () => {
    const unusedNumber = newNumber()
    const first = await reaches(posthorn.admin, (await say(unusedNumber, 'Hello?')).id, 'failed')
    assert.equal(first.error?.code, 'recipient_not_on_network')
    const before = await lookUps()
    const second = await reaches(posthorn.admin, (await say(unusedNumber, 'Hello?')).id, 'failed')
    assert.equal(second.error?.code, 'recipient_not_on_network')
    assert.equal(await lookUps(), before)
    assert.equal(await attemptsFor(first), 0)
  })

  test('a person who can be written to only with their privacy token gets it with the message', async () => {
    const ana = await newPerson()
    await whatsapp.control.change({ person: ana, demandsToken: true })
    const refused = await fails(await say(ana, 'Without'))
    assert.deepEqual([refused.error?.code, await attemptsFor(refused)], ['recipient_refused', 1])
    await trusts(ana, { daysAgo: 60 })
    const late = await fails(await say(ana, 'With one that is too old'))
    assert.equal(late.error?.code, 'recipient_refused')
    await trusts(ana)
    await becomesSent(await say(ana, 'With it'))
    const shown = await whatsapp.control.received({ person: ana, count: 1 })
    assert.deepEqual(wordsOf(shown), ['With it'])
  })

  test('a message is not sent while no device of the recipient is known, and is as soon as there is one', async () => {
    const ana = await newPerson()
    await whatsapp.control.change({ person: ana, hidesDevices: true })
    const message = await say(ana, 'Is anybody there?')
    const waiting = await eventually(
      'its first attempt',
      () => now(message.id),
      ({ error }) => error !== null,
    )
    assert.equal(waiting.error?.code, 'recipient_unreachable')
    assert.equal(await attemptsFor(message), 0)
    await whatsapp.control.change({ person: ana, hidesDevices: false })
    await becomesSent(message)
    assert.equal(await attemptsFor(message), 1)
  })

  test('a person is written to by their LID as by their number, one message after the other', async () => {
    const ana = newNumber()
    const lid = await whatsapp.control.createPerson({ phone: ana })
    await whatsapp.control.change({ person: ana, isMigrated: true })
    const messages: Message[] = []
    for (const words of ['One', 'Two', 'Three', 'Four']) {
      const to = messages.length % 2 === 0 ? `${lid}@lid` : `+${ana}`
      messages.push(await text(posthorn.admin, { instance: 'shop', to, text: words }))
    }
    for (const { id } of messages) await reaches(posthorn.admin, id, 'delivered')
    const shown = await whatsapp.control.received({ person: ana, count: 4 })
    assert.deepEqual(wordsOf(shown).toSorted(), ['Four', 'One', 'Three', 'Two'])
    assert.ok(shown.every(({ copies }) => copies === 1))
    // The phone of the shop shows all of it, in one conversation.
    const own = await whatsapp.control.received({ person: shop, chat: ana, count: 4 })
    assert.deepEqual(wordsOf(own).toSorted(), ['Four', 'One', 'Three', 'Two'])
    assert.ok(own.every(({ isOwn }) => isOwn))
  })
})

describe('a shop that writes to itself', { timeout: 180_000 }, () => {
  test('reads it on its phone', async () => {
    await becomesSent(await say(shop, 'Buy tape'))
    const own = await whatsapp.control.received({ person: shop, chat: shop, count: 1 })
    assert.deepEqual([wordsOf(own), own[0]?.isOwn], [['Buy tape'], true])
  })
})

describe('a person with several devices', { timeout: 180_000 }, () => {
  test('reads each message once on each device, also on those that were linked just now', async () => {
    const desk = await newPerson()
    await becomesSent(await say(desk, 'To the phone'))
    const shown = async (name: string, words: readonly string[]) => {
      const all = () => everythingReceived(posthorn.admin, name)
      const seen = await eventually(`${words} at ${name}`, all, ({ length }) => length >= words.length)
      assert.deepEqual(wordsOf(seen), words)
    }
    for (const name of ['desk-1', 'desk-2']) {
      await linkByPicture({ whatsapp, posthorn }, { name, phone: desk })
      await isTold()
      await becomesSent(await say(desk, `After ${name}`))
    }
    await shown('desk-1', ['After desk-1', 'After desk-2'])
    await shown('desk-2', ['After desk-2'])
    const [first] = await whatsapp.control.devices({ person: desk, connected: 2 })
    await whatsapp.control.unlink({ person: desk, device: first?.device ?? 0 })
    await isTold()
    await becomesSent(await say(desk, 'After the first was removed'))
    await shown('desk-2', ['After desk-2', 'After the first was removed'])
    await whatsapp.control.change({ person: desk, changesUntold: true })
    await linkByPicture({ whatsapp, posthorn }, { name: 'desk-3', phone: desk })
    await becomesSent(await say(desk, 'Before the third is known'))
    await becomesSent(await say(desk, 'After WhatsApp said that one was missing'))
    await shown('desk-3', ['After WhatsApp said that one was missing'])
    const onPhone = await whatsapp.control.received({ person: desk, count: 6 })
    assert.ok(onPhone.every(({ copies }) => copies === 1))
    assert.equal((await whatsapp.control.trouble({ person: desk })).undecryptable, 0)
  })
})

describe('what WhatsApp may answer to a message', { timeout: 180_000 }, () => {
  test('475 is final, and the instance shows that it may begin no more chats, and until when', async () => {
    const [ana, until] = [await newPerson(), (Math.floor(Date.now() / 1000) + 86_400) * 1000]
    const capping = { capping_status: 'CAPPED', cycle_end_timestamp: String(until / 1000) }
    await whatsapp.control.set({ capping })
    await goWrong({ kind: 'refuse', code: 475 })
    const failed = await fails(await say(ana, 'One too many'))
    assert.deepEqual([failed.error?.code, failed.error?.network_code], ['new_chats_limit', '475'])
    assert.equal(await attemptsFor(failed), 1)
    const { restriction } = await becomes(posthorn, 'shop', 'connected')
    assert.deepEqual([restriction?.code, Date.parse(restriction?.ends_at ?? '')], ['new_chats_limit', until])
    await whatsapp.control.set({ capping: { capping_status: 'NONE' } })
    await whatsapp.control.cap({ person: shop, status: 'NONE', until })
  })

  for (const [answer, code] of [
    [400, 'message_refused'],
    [499, 'message_refused'],
  ] as const) {
    test(`${answer} is final: ${code}, after one attempt`, async () => {
      const ana = await newPerson()
      await goWrong({ kind: 'refuse', code: answer })
      const failed = await fails(await say(ana, `Refused with ${answer}`))
      assert.deepEqual([failed.error?.code, failed.error?.network_code], [code, String(answer)])
      assert.equal(await attemptsFor(failed), 1)
      await becomesSent(await say(ana, 'The next one'))
    })
  }

  for (const [answer, code] of [
    [429, 'rate_limited'],
    [500, 'server_error'],
    [503, 'server_error'],
  ] as const) {
    test(`${answer} passes: ${code}, and the message is sent later, before the next one`, async () => {
      const ana = await newPerson()
      await goWrong({ kind: 'refuse', code: answer })
      const messages = [await say(ana, 'First'), await say(ana, 'Second')] as const
      const waiting = await eventually(
        'the refusal',
        () => now(messages[0].id),
        ({ error }) => error !== null,
      )
      assert.deepEqual([waiting.error?.code, waiting.error?.network_code], [code, String(answer)])
      for (const message of messages) await becomesSent(message)
      assert.deepEqual(wordsOf(await whatsapp.control.received({ person: ana, count: 2 })), [
        'First',
        'Second',
      ])
      assert.equal(await attemptsFor(messages[0]), 2)
    })
  }
})

describe('what WhatsApp restricts an account in', { timeout: 180_000 }, () => {
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
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [stranger, shop] })
    await becomesSent(
      await text(posthorn.admin, { instance: 'shop', to: `${group}@g.us`, text: 'Everybody' }),
    )
    const still = await becomes(posthorn, 'shop', 'connected')
    assert.equal(Date.parse(still.restriction?.ends_at ?? ''), until)
    await whatsapp.control.lock({ person: shop, until: 0 })
    await eventually(
      'the end of the restriction',
      () => becomes(posthorn, 'shop', 'connected'),
      ({ restriction }) => restriction === null,
    )
  })

  test('a restriction of which WhatsApp has said nothing is found by the first refusal, and new people are reached after it', async () => {
    const unknownPerson = await newPerson()
    const until = (Math.floor(Date.now() / 1000) + 3600) * 1000
    await whatsapp.control.change({ person: shop, lockedUntil: until })
    const refused = await fails(await say(unknownPerson, 'Hello, stranger'))
    assert.equal(refused.error?.code, 'reach_out_restricted')
    const { restriction } = await becomes(posthorn, 'shop', 'connected')
    assert.equal(Date.parse(restriction?.ends_at ?? ''), until)
    await whatsapp.control.lock({ person: shop, until: 0 })
    await becomesSent(await say(unknownPerson, 'Hello again'))
    assert.deepEqual(wordsOf(await whatsapp.control.received({ person: unknownPerson, count: 1 })), [
      'Hello again',
    ])
    assert.equal(await attemptsFor(refused), 1)
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
