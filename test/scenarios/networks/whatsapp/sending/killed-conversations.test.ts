import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getInstance } from '../../../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../../../src/contract/operations/message-operations.ts'
import { ownIdFrom } from '../../../../../src/networks/whatsapp/message-id.ts'
import { countConversations, type SeenAbout } from '../../../../kit/crash/count-conversations.ts'
import { KilledServer } from '../../../../kit/crash/killed-server.ts'
import { type Said, TalkativeSender } from '../../../../kit/crash/talkative-sender.ts'
import { becomes, environmentFor, linkByPicture } from '../../../../kit/networks/whatsapp/stage.ts'
import { eventually } from '../../../../kit/play.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const people = ['4915100000011', '4915100000012', '4915100000013']

let whatsapp: WhatsAppProcess
let server: KilledServer

before(async () => {
  whatsapp = await startWhatsApp({ after: () => {} })
  server = new KilledServer(environmentFor(whatsapp), (running) =>
    becomes({ admin: running.admin }, 'shop', 'connected'),
  )
  await server.start()
  for (const phone of [shop, ...people]) await whatsapp.control.createPerson({ phone })
  await linkByPicture({ whatsapp, posthorn: server.running }, { name: 'shop', phone: shop })
})
after(async () => {
  await server?.remove()
  await whatsapp?.stop()
})

test('over kills, phones show replies, reactions and edits once, in order, and each finds its message', async (context) => {
  const sender = new TalkativeSender(
    server.running,
    'shop',
    people.map((phone) => `+${phone}`),
  )
  await server.killRepeatedly((running) => sender.moveTo(running))
  await sender.finish()
  const depth = async () =>
    (await server.running.admin.call(getInstance, { params: { name: 'shop' } })).body.queue.depth
  await eventually('an empty queue', depth, (left) => left === 0)
  const seen: SeenAbout[] = []
  const texts = new Map<string, string | undefined>()
  let copies = 0
  for (const person of people) {
    for (const { id, about, target, text, copies: came } of await whatsapp.control.received({ person })) {
      copies += came
      texts.set(ownIdFrom(id) ?? id, text)
      seen.push({ id: ownIdFrom(id) ?? id, ...(about !== undefined && { about: ownIdFrom(about) ?? about }) })
      if (about !== undefined)
        assert.deepEqual(target, { author: shop, isKnown: true, isWellNamed: true }, `the target of ${id}`)
    }
    const { reusedKeys, undecryptable } = await whatsapp.control.trouble({ person })
    assert.deepEqual({ reusedKeys, undecryptable }, { reusedKeys: 0, undecryptable: 0 })
  }
  const arrived = []
  for (const said of sender.said) if (!(await isInPlace(said, texts))) arrived.push(said)
  const { repeats, ...faults } = countConversations(arrived, seen)
  assert.deepEqual(faults, { lost: [], doubled: [], early: [], overtaking: [], strayed: [] })
  assert.equal(repeats, 0)
  context.diagnostic(
    `seed ${server.seed}: ${server.kills} kills, ${sender.said.length} acknowledged, ${copies} copies reached a phone`,
  )
})

/** True for an edit of a message that still waited: that message arrived with the new text instead. */
async function isInPlace({ networkMessageId, about }: Said, texts: ReadonlyMap<string, string | undefined>) {
  if (about === undefined || texts.has(networkMessageId)) return false
  const params = { id: `msg_${networkMessageId}` }
  const { body } = await server.running.admin.call(getMessage, { params })
  return body.relation?.type === 'correction' && body.status === 'sent' && texts.get(about) === body.text
}
