import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stanza } from '../incoming/stanza.ts'
import { groupChangesIn } from './group-changes.ts'

const own = { number: '4915100000001:7@s.whatsapp.net', lid: '999999999999999:7@lid' }
const me = { jid: '999999999999999@lid' }
const ana = { jid: '123456789012345@lid', phone_number: '4915112345678@s.whatsapp.net' }
const market = '120363021033254949@g.us'
const now = 1_800_000_000_000

const node = (tag: string, attrs: Stanza['attrs'] = {}, content?: unknown): Stanza => ({
  tag,
  attrs,
  content,
})
const members = (...all: Stanza['attrs'][]) => all.map((attrs) => node('participant', attrs))

function changesIn(content: readonly Stanza[], attrs: Stanza['attrs'] = {}, communities = new Set<string>()) {
  const by = { participant: ana.jid, participant_pn: ana.phone_number, t: '1700000000' }
  const told = groupChangesIn(node('notification', { from: market, ...by, ...attrs }, content), {
    own,
    now,
    isCommunity: (address) => communities.has(address),
    onCommunity: (address) => communities.add(address),
  })
  return told.map(({ kind: _, group: __, at: ___, ...change }) => change)
}

test('who changed it is named by the number, if it is told, and when is never in the future', () => {
  const [change] = groupChangesIn(
    node('notification', { from: market, participant: ana.jid, t: '99999999999' }, [node('locked')]),
    { own, now, isCommunity: () => false, onCommunity: () => assert.fail() },
  )
  assert.deepEqual(change, { kind: 'group-changed', group: market, change: 'changed', by: ana.jid, at: now })
  const told = changesIn([node('locked')])
  assert.deepEqual(told, [{ change: 'changed', by: '+4915112345678' }])
  assert.deepEqual(changesIn([node('locked')], { participant: me.jid, participant_pn: undefined }), [
    { change: 'changed', by: '+4915100000001' },
  ])
})

test('a change of the account itself and one of others are told apart, also if they come together', () => {
  const by = '+4915112345678'
  const others = { by, members: ['+4915112345678', '1234567@lid'] }
  for (const [tag, ownChange, othersChange] of [
    ['add', 'account_joined', 'members_added'],
    ['remove', 'account_left', 'members_removed'],
    ['promote', 'changed', 'members_promoted'],
    ['demote', 'changed', 'members_demoted'],
  ] as const)
    assert.deepEqual(changesIn([node(tag, {}, members(ana, me, { jid: '1234567@lid' }, ana))]), [
      { change: ownChange, by },
      { change: othersChange, ...others },
    ])
})

test('a group that the account is in from now on is made or joined, and a community is neither, nor are its changes', () => {
  const group = (...more: Stanza[]) =>
    node('group', { id: 'other', subject: 'Market' }, [...members(ana, me), ...more])
  const joined = [{ change: 'account_joined', by: '+4915112345678', subject: 'Market' }]
  assert.deepEqual(changesIn([node('create', { type: 'new' }, [group()])]), joined)
  assert.deepEqual(changesIn([node('create', { reason: 'invite' }, [group()])]), joined)
  const byMe = { participant: me.jid, participant_pn: undefined }
  const made = [{ change: 'created', by: '+4915100000001', subject: 'Market' }]
  assert.deepEqual(changesIn([node('create', { type: 'new' }, [group()])], byMe), made)
  for (const tag of ['parent', 'default_sub_group']) {
    const communities = new Set<string>()
    assert.deepEqual(changesIn([node('create', {}, [group(node(tag))])], {}, communities), [])
    assert.deepEqual(changesIn([node('subject', { subject: 'Other' })], {}, communities), [])
  }
})

test('people who ask to join are told, as the news names them, and the account itself is none of them', () => {
  const by = '+4915112345678'
  const ben = { jid: '1234567@lid', phone_number: '4915100000009@s.whatsapp.net' }
  const asked = [node('requested_user', ben), node('requested_user', { jid: '7654321@lid' })]
  const both = ['+4915100000009', '7654321@lid']
  assert.deepEqual(
    changesIn([node('created_membership_requests', { request_method: 'invite_link' }, asked)]),
    [{ change: 'join_requested', by, members: both }],
  )
  for (const tag of ['created_membership_requests', 'membership_approval_request'])
    assert.deepEqual(changesIn([node(tag)]), [{ change: 'join_requested', by, members: [by] }])
  assert.deepEqual(changesIn([node('revoked_membership_requests', {}, members(ben, ben))]), [
    { change: 'join_request_withdrawn', by, members: ['+4915100000009'] },
  ])
  const mine = { participant: me.jid, participant_pn: undefined }
  assert.deepEqual(changesIn([node('membership_approval_request')], mine), [])
  assert.deepEqual(changesIn([node('created_membership_requests', {}, members(me))]), [])
  const strange = [node('requested_user', { jid: market }), node('requested_user'), node('other', ben)]
  assert.deepEqual(changesIn([node('created_membership_requests', {}, strange)]), [])
  const unnamed = { participant: 'x', participant_pn: undefined }
  assert.deepEqual(changesIn([node('created_membership_requests')], unnamed), [])
  const many = Array.from({ length: 5_000 }, (_, index) =>
    node('requested_user', { jid: `${index + 1}@lid` }),
  )
  const [told] = changesIn([node('created_membership_requests', {}, many)])
  assert.equal(told?.members?.length, 2_000)
})

test('what is no change of a group, or of no group, is not told', () => {
  for (const tag of ['link', 'constructor', ''])
    assert.deepEqual(changesIn([node(tag, {}, members(ana))]), [])
  for (const from of ['', ana.jid, 'status@broadcast', '120363@newsletter'])
    assert.deepEqual(changesIn([node('locked')], { from }), [])
  assert.deepEqual(changesIn([node('add', {}, members({ jid: market }, { jid: 'x' }, {}))]), [])
  assert.equal(changesIn(Array.from({ length: 1000 }, () => node('locked'))).length, 8)
})
