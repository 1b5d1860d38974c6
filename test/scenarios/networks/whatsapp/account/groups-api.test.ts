import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changeGroupMembers,
  createGroup,
  decideJoinRequests,
  getGroup,
  getInviteLink,
  joinGroup,
  leaveGroup,
  listGroups,
  listJoinRequests,
  updateGroup,
} from '../../../../../src/contract/operations/conversations/group-operations.ts'
import { listEvents } from '../../../../../src/contract/operations/event-operations.ts'
import type { GroupEventData } from '../../../../../src/contract/resources/event.ts'
import { problemOf } from '../../../../kit/http/problem-of.ts'
import { environmentFor, linkByPicture } from '../../../../kit/networks/whatsapp/stage.ts'
import { eventually } from '../../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

const [shop, ana, ben, cleo] = ['4915100000001', '4915100000002', '4915100000003', '4915100000004'] as const

/** Cleo asks to join, and is declined like one who does not ask. */
async function declines(
  { control }: WhatsAppProcess,
  admin: Posthorn['admin'],
  at: { readonly params: { readonly name: string; readonly address: string } },
): Promise<void> {
  await control.ask({ group: at.params.address.replace('@g.us', ''), person: cleo })
  const asking = async () => (await admin.call(listJoinRequests, at)).body.data.map(({ address }) => address)
  assert.deepEqual(await asking(), [`+${cleo}`])
  const body = { action: 'decline' as const, people: ['+49 151 00000004', `+${ben}`] }
  const { data } = (await admin.call(decideJoinRequests, { ...at, body })).body
  assert.deepEqual(
    data.map(({ result, error }) => [result, error?.code]),
    [
      ['done', undefined],
      ['refused', 'join_request_missing'],
    ],
  )
  assert.deepEqual(await asking(), [])
}

test('a caller makes a group, changes it, hears of it, and leaves it', { timeout: 120_000 }, async (t) => {
  const whatsapp = await startWhatsApp(t)
  const posthorn = await startPosthorn({ environment: environmentFor(whatsapp) })
  t.after(() => posthorn.stop())
  for (const phone of [shop, ana, ben, cleo]) await whatsapp.control.createPerson({ phone })
  await whatsapp.control.change({ person: cleo, addRefusal: '403' })
  await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
  const { admin } = posthorn
  const here = { params: { name: 'shop' } }

  const { body: made } = await admin.call(createGroup, {
    ...here,
    body: { subject: 'Crew', approval: true, members: [`+${ana}`] },
  })
  const at = { params: { name: 'shop', address: made.address } }
  const added = await admin.call(changeGroupMembers, {
    ...at,
    body: { action: 'add', members: ['+49 151 00000003', `+${cleo}`] },
  })
  assert.deepEqual(
    added.body.data.map(({ result, error }) => [result, error?.code, error?.network_code]),
    [
      ['done', undefined, undefined],
      ['refused', 'member_invitation_needed', '403'],
    ],
  )
  await admin.call(updateGroup, { ...at, body: { subject: 'Crew ⚓' } })
  const { body: group } = await admin.call(getGroup, at)
  assert.deepEqual([group.subject, group.role, group.size], ['Crew ⚓', 'owner', 3])
  assert.match((await admin.call(getInviteLink, at)).body.url, /^https:\/\/chat\.whatsapp\.com\//)
  const { body: page } = await admin.call(listGroups, here)
  assert.deepEqual(
    page.data.map(({ address, subject }) => [address, subject]),
    [[made.address, 'Crew ⚓']],
  )

  await declines(whatsapp, admin, at)
  await whatsapp.control.leave({ group: made.address.replace('@g.us', ''), person: ben })
  await admin.call(leaveGroup, at)
  assert.equal((await problemOf(admin.call(getGroup, at))).code, 'group_not_found')
  assert.equal(
    (await problemOf(admin.call(joinGroup, { ...here, body: { invitation: 'https://example.org/x' } }))).code,
    'network_refused',
  )
  const told = async () => {
    const { body } = await admin.call(listEvents, { query: { types: ['group.changed'], limit: 200 } })
    return body.data.map(({ data }) => (data as GroupEventData).change)
  }
  assert.deepEqual(await eventually('all changes to be told', told, (changes) => changes.length >= 7), [
    'created',
    'members_added',
    'renamed',
    'join_requested',
    'join_request_withdrawn',
    'members_removed',
    'account_left',
  ])
})
