import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Driver } from '../../../../../src/networks/driver/driver.ts'
import { linkedConnection } from '../../../../kit/networks/whatsapp/linked.ts'
import { hastyDriver } from '../../../../kit/networks/whatsapp/stage.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

const never = new AbortController().signal

let whatsapp: WhatsAppProcess
let driver: Driver
let people = 0

const newPerson = async () => {
  const phone = `4915100${String(1000 + people++).padStart(6, '0')}`
  await whatsapp.control.createPerson({ phone })
  return phone
}
const link = async () => {
  const phone = await newPerson()
  return { phone, ...(await linkedConnection(whatsapp, driver, { phone })) }
}

before(async () => {
  whatsapp = await startWhatsApp({ after: () => {} })
  driver = hastyDriver(whatsapp, {})
})
after(() => whatsapp?.stop())

/* Accounts of all organizations share a worker: what a group, or a server, does to one of them must not reach the others. */
describe('groups that somebody else fills', { timeout: 240_000 }, () => {
  test('of sixty thousand members, some are told, and a neighbour goes on sending', async (context) => {
    const [shop, neighbour, ana] = [await link(), await link(), await newPerson()]
    const group = await whatsapp.control.createGroup({
      subject: 'Crowd',
      members: [shop.phone],
      traits: { phantoms: 60_000 },
    })
    const began = performance.now()
    const asked = shop.session.connection.groups?.get?.(`${group}@g.us`, never)
    const sent = await neighbour.session.send(`+${ana}`, 'Meanwhile').outcome
    context.diagnostic(`the neighbour's text took ${Math.round(performance.now() - began)} ms`)
    assert.equal(sent.kind, 'accepted')
    const found = await asked
    assert.ok(found?.kind === 'done')
    assert.deepEqual([found.value.size, found.value.members?.length], [60_001, 2_000])
    const listed = await shop.session.connection.groups?.list?.({ limit: 5, after: null }, never)
    assert.ok(listed?.kind === 'done' && listed.value.groups.length === 1)
    for (const { session } of [shop, neighbour]) await session.close()
  })

  test('of a million members cost their account its connection, and nobody else', async () => {
    const [shop, neighbour, ana] = [await link(), await link(), await newPerson()]
    for (let group = 0; group < 17; group++)
      await whatsapp.control.createGroup({
        subject: 'Crowd',
        members: [shop.phone],
        traits: { phantoms: 60_000 },
      })
    const asked = shop.session.connection.groups?.list?.({ limit: 5, after: null }, never)
    assert.equal((await neighbour.session.send(`+${ana}`, 'Meanwhile').outcome).kind, 'accepted')
    assert.equal((await asked)?.kind, 'unanswered')
    await assert.rejects(shop.session.sees('typing-seen'), /the connection ended/)
    assert.equal((await neighbour.session.send(`+${ana}`, 'Afterwards').outcome).kind, 'accepted')
    for (const { session } of [shop, neighbour]) await session.close()
  })

  test('that change ten thousand times are told of in order, while a neighbour goes on', async (context) => {
    const [shop, neighbour, ana] = [await link(), await link(), await newPerson()]
    const group = await whatsapp.control.createGroup({ subject: 'Noise', members: [shop.phone] })
    const times = 10_000
    const changes = [{ tag: 'subject', attrs: { subject: 'Noise' } }]
    await whatsapp.control.pretendChange({ group, changes, times })
    const began = performance.now()
    assert.equal((await neighbour.session.send(`+${ana}`, 'Meanwhile').outcome).kind, 'accepted')
    context.diagnostic(`the neighbour's text took ${Math.round(performance.now() - began)} ms`)
    await whatsapp.control.pretendChange({ group, changes: [{ tag: 'subject', attrs: { subject: 'Last' } }] })
    await shop.session.sees('group-changed', ({ subject }) => subject === 'Last')
    const heard = shop.session.kinds().filter((kind) => kind === 'group-changed').length
    assert.equal(heard, times + 1)
    for (const { session } of [shop, neighbour]) await session.close()
  })
})
