import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { getMessage } from '../../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../../src/contract/resources/message.ts'
import { whatsappIdOf } from '../../../../../src/networks/whatsapp/message-id.ts'
import { environmentFor, linkByPicture } from '../../../../kit/networks/whatsapp/stage.ts'
import { eventually, everythingReceived, reaches, text } from '../../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'

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

const newPerson = async () => {
  const phone = `4915100${String(1000 + people++).padStart(6, '0')}`
  await whatsapp.control.createPerson({ phone })
  return phone
}
const now = async (id: string) => (await posthorn.admin.call(getMessage, { params: { id } })).body
const attemptsFor = ({ id }: Message) =>
  whatsapp.control.messages({ id: whatsappIdOf(id.replace(/^msg_/, '')) })
const wordsOf = (shown: readonly { text?: string }[]) => shown.map(({ text: words }) => words)
const isSent = ({ status }: Message) => ['sent', 'delivered', 'read'].includes(status)
const fails = ({ id }: Message) => reaches(posthorn.admin, id, 'failed')
const becomesSent = ({ id }: Message) => eventually(`${id} to be sent`, () => now(id), isSent)

describe('what a shop writes in groups', { timeout: 180_000 }, () => {
  const newGroup = async (members: readonly string[], addressing: 'lid' | 'pn' = 'lid') =>
    whatsapp.control.createGroup({ subject: 'Market', members, addressing })
  const sayIn = (group: string, words: string) =>
    text(posthorn.admin, { instance: 'shop', to: `${group}@g.us`, text: words })
  /** Returns the messages of the group that each of them shows, each once and without trouble. */
  const shows = async (person: string, group: string, words: readonly string[]) => {
    const shown = await whatsapp.control.received({ person, chat: group, count: words.length })
    assert.deepEqual(wordsOf(shown), words)
    assert.ok(shown.every(({ copies }) => copies === 1))
    const { undecryptable, reusedKeys } = await whatsapp.control.trouble({ person })
    assert.deepEqual({ undecryptable, reusedKeys }, { undecryptable: 0, reusedKeys: 0 })
  }

  for (const addressing of ['lid', 'pn'] as const)
    test(`everybody in a group by ${addressing} decrypts every message once`, async () => {
      const people: string[] = []
      while (people.length < 40) people.push(await newPerson())
      const group = await newGroup([...people, shop], addressing)
      const words = ['Good morning', 'Until six', 'Good night']
      for (const each of words) await becomesSent(await sayIn(group, each))
      for (const person of people) await shows(person, group, words)
      assert.equal((await whatsapp.control.received({ person: shop, chat: group, count: 3 })).length, 3)
    })

  test('who joins later decrypts what comes from then on, and who leaves gets no more', async () => {
    const [ana, ben, cleo] = [await newPerson(), await newPerson(), await newPerson()]
    const group = await newGroup([ana, ben, shop])
    await becomesSent(await sayIn(group, 'Before'))
    await whatsapp.control.join({ group, person: cleo })
    await becomesSent(await sayIn(group, 'With Cleo'))
    await shows(cleo, group, ['With Cleo'])
    await whatsapp.control.leave({ group, person: ben })
    await becomesSent(await sayIn(group, 'Without Ben'))
    await shows(ana, group, ['Before', 'With Cleo', 'Without Ben'])
    await shows(ben, group, ['Before', 'With Cleo'])
    await shows(cleo, group, ['With Cleo', 'Without Ben'])
  })

  test('who joined without the shop being told asks for the key, and gets the message', async () => {
    const [ana, ben] = [await newPerson(), await newPerson()]
    const group = await newGroup([ana, shop])
    await becomesSent(await sayIn(group, 'Before'))
    await whatsapp.control.join({ group, person: ben, isUntold: true })
    await becomesSent(await sayIn(group, 'Is Ben here?'))
    const shown = await whatsapp.control.received({ person: ben, chat: group, count: 1 })
    assert.deepEqual(wordsOf(shown), ['Is Ben here?'])
    await becomesSent(await sayIn(group, 'Yes'))
    assert.equal((await whatsapp.control.trouble({ person: ben })).undecryptable, 1)
  })

  test('who left cannot read what is said from then on, though the server hands it to them', async () => {
    const [ana, ben] = [await newPerson(), await newPerson()]
    const group = await newGroup([ana, ben, shop])
    await becomesSent(await sayIn(group, 'With Ben'))
    await whatsapp.control.received({ person: ben, chat: group, count: 1 })
    await whatsapp.control.leave({ group, person: ben, overhears: true })
    for (const words of ['Without Ben', 'Still without']) await becomesSent(await sayIn(group, words))
    await shows(ana, group, ['With Ben', 'Without Ben', 'Still without'])
    const trouble = async () => (await whatsapp.control.trouble({ person: ben })).undecryptable
    await eventually('both to come to Ben, too', trouble, (count) => count >= 2)
    const waiting = async () => (await whatsapp.control.devices({ person: shop }))[0]?.waiting
    await eventually('what Ben asks for to be answered', waiting, (count) => count === 0)
    assert.deepEqual(wordsOf(await whatsapp.control.received({ person: ben, chat: group })), ['With Ben'])
  })

  /** The person reads these messages of the group alone, and could not decrypt so many others. */
  const readsOnly = async (person: string, group: string, words: readonly string[], others: number) => {
    const trouble = async () => (await whatsapp.control.trouble({ person })).undecryptable
    await eventually(`${others} to come to who left`, trouble, (count) => count >= others)
    assert.equal(await trouble(), others)
    assert.deepEqual(wordsOf(await whatsapp.control.received({ person, chat: group })), words)
  }

  for (const xmlns of ['w:g2', 'usync', 'encrypt'])
    test(`who leaves while a message is prepared, at its ${xmlns}, cannot read it`, async () => {
      const [ana, ben, cleo] = [await newPerson(), await newPerson(), await newPerson()]
      const group = await newGroup([ana, ben, shop])
      await becomesSent(await sayIn(group, 'With Ben'))
      await whatsapp.control.received({ person: ben, chat: group, count: 1 })
      await whatsapp.control.join({ group, person: cleo })
      await whatsapp.control.leaveBeforeAnswer({ asker: shop, xmlns, group, person: ben, overhears: true })
      for (const words of ['Without Ben', 'Still without']) await becomesSent(await sayIn(group, words))
      await shows(ana, group, ['With Ben', 'Without Ben', 'Still without'])
      await shows(cleo, group, ['Without Ben', 'Still without'])
      await readsOnly(ben, group, ['With Ben'], 2)
    })

  for (const addressing of ['lid', 'pn'] as const)
    test(`who got the key once more, and left, cannot read what follows: by ${addressing}`, async () => {
      const [ana, ben, cleo] = [await newPerson(), await newPerson(), await newPerson()]
      const group = await newGroup([ana, ben, shop], addressing)
      await becomesSent(await sayIn(group, 'Before'))
      const [{ device } = { device: 0 }] = await whatsapp.control.devices({ person: shop })
      await whatsapp.control.loseGroupKey({ group, person: ben, of: shop, device })
      await whatsapp.control.join({ group, person: cleo, isUntold: true })
      await becomesSent(await sayIn(group, 'With both'))
      await whatsapp.control.received({ person: ben, chat: group, count: 2 })
      await whatsapp.control.received({ person: cleo, chat: group, count: 1 })
      for (const person of [ben, cleo]) await whatsapp.control.leave({ group, person, overhears: true })
      for (const words of ['Without them', 'Still without']) await becomesSent(await sayIn(group, words))
      await shows(ana, group, ['Before', 'With both', 'Without them', 'Still without'])
      await readsOnly(ben, group, ['Before', 'With both'], 3)
      await readsOnly(cleo, group, ['With both'], 3)
    })

  for (const addressing of ['lid', 'pn'] as const)
    test(`a new device of a member, of which nobody was told, is found by the list of devices: by ${addressing}`, async () => {
      const ana = await newPerson()
      await whatsapp.control.change({ person: ana, changesUntold: true })
      const group = await newGroup([ana, shop], addressing)
      const { wrong, right } = await whatsapp.control.lists({})
      await becomesSent(await sayIn(group, 'To the phone'))
      assert.deepEqual(await whatsapp.control.lists({}), { wrong, right: right + 1 })
      await linkByPicture({ whatsapp, posthorn }, { name: `desk-${addressing}`, phone: ana })
      await becomesSent(await sayIn(group, 'Before the desk is known'))
      await becomesSent(await sayIn(group, 'To the desk, too'))
      assert.deepEqual(await whatsapp.control.lists({}), { wrong: wrong + 1, right: right + 2 })
      const shown = await eventually(
        'what came to the desk',
        () => everythingReceived(posthorn.admin, `desk-${addressing}`),
        (seen) => wordsOf(seen).includes('To the desk, too'),
      )
      assert.equal(wordsOf(shown).at(-1), 'To the desk, too')
    })

  test('who lost the key to the group gets the message again, and nobody else does', async () => {
    const members = [await newPerson(), await newPerson(), await newPerson()]
    const [ana = ''] = members
    const group = await newGroup([...members, shop])
    await becomesSent(await sayIn(group, 'Before'))
    const [{ device } = { device: 0 }] = await whatsapp.control.devices({ person: shop })
    await whatsapp.control.loseGroupKey({ group, person: ana, of: shop, device })
    for (const words of ['The next one', 'The last one']) await becomesSent(await sayIn(group, words))
    for (const person of members) await whatsapp.control.received({ person, chat: group, count: 3 })
    for (const person of members.slice(1)) {
      await shows(person, group, ['Before', 'The next one', 'The last one'])
      assert.equal((await whatsapp.control.trouble({ person })).duplicates, 0)
    }
  })

  test('who asks for a message without end gets it a few times, and who left gets nothing', async () => {
    const [ana, ben] = [await newPerson(), await newPerson()]
    const group = await newGroup([ana, ben, shop])
    const message = await becomesSent(await sayIn(group, 'To Ana and Ben'))
    const id = whatsappIdOf(message.id.replace(/^msg_/, ''))
    for (const person of [ana, ben]) await whatsapp.control.received({ person, chat: group, count: 1 })
    await whatsapp.control.leave({ group, person: ben })
    for (let count = 1; count <= 20; count++)
      for (const person of [ana, ben])
        await whatsapp.control.askAgain({ person, of: shop, id, group, count: Math.min(count, 5) })
    const waiting = async () => (await whatsapp.control.devices({ person: shop }))[0]?.waiting
    await eventually('everything to be answered', waiting, (count) => count === 0)
    const copies = (person: string) => whatsapp.control.copies({ person, id })
    await eventually(
      'five more copies',
      () => copies(ana),
      (count) => count === 6,
    )
    assert.equal(await copies(ben), 1)
    await becomesSent(await sayIn(group, 'To Ana'))
    await whatsapp.control.received({ person: ana, chat: group, count: 2 })
    assert.equal(await copies(ana), 6)
  })

  test('a group that changed how it addresses its members is asked for them again, once', async () => {
    const ana = await newPerson()
    const group = await newGroup([ana, shop])
    await becomesSent(await sayIn(group, 'Before'))
    const questions = async () => (await whatsapp.control.questions({})).asked['w:g2/query'] ?? 0
    const asked = await questions()
    await whatsapp.control.fault({ on: 'message', account: shop, fault: { kind: 'refuse', code: 421 } })
    await becomesSent(await sayIn(group, 'After'))
    assert.equal(await questions(), asked + 1)
    await shows(ana, group, ['Before', 'After'])
  })

  test('a group without the account is a permanent error: never in it, no longer in it, or there is none', async () => {
    const ana = await newPerson()
    const [foreign, left] = [await newGroup([ana]), await newGroup([ana, shop])]
    await becomesSent(await sayIn(left, 'Goodbye'))
    await whatsapp.control.leave({ group: left, person: shop, isUntold: true })
    for (const [group, attempts, code] of [
      [foreign, 0, '403'],
      [left, 1, '403'],
      ['120363999999999999', 0, '404'],
    ] as const) {
      const failed = await fails(await sayIn(group, 'Hello?'))
      assert.deepEqual([failed.error?.code, failed.error?.network_code], ['not_in_group', code])
      assert.equal(await attemptsFor(failed), attempts)
    }
    await whatsapp.control.join({ group: left, person: shop })
    await becomesSent(await sayIn(left, 'Back again'))
    await shows(ana, left, ['Goodbye', 'Back again'])
  })
})
