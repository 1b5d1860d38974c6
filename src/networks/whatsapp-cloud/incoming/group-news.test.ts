import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupNewsIn } from './group-news.ts'

const group_id = 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD'
const seconds = 1_739_321_024

const newsOf = (field: string, ...groups: unknown[]) => {
  const change = { field, value: { groups }, account: '1', number: '2', at: 2_000_000_000_000 }
  return [...groupNewsIn(change)].flatMap((news) => {
    if (!news) return []
    const { kind, group, at, ...told } = news
    assert.deepEqual([kind, group, at], ['group-changed', group_id, seconds * 1_000])
    return [told]
  })
}
const about = (more: object) => ({ group_id, timestamp: String(seconds), ...more })
const failed = { errors: [{ code: 131000, title: 'Something went wrong' }] }

test('a group that is made or deleted is told, and one that could not be is not', () => {
  const made = {
    type: 'group_create',
    request_id: 'r',
    subject: 'Trip',
    invite_link: 'https://chat.whatsapp.com/a',
  }
  assert.deepEqual(
    newsOf(
      'group_lifecycle_update',
      about(made),
      about({ ...made, ...failed }),
      about({ type: 'group_delete' }),
    ),
    [{ change: 'created', subject: 'Trip' }, { change: 'account_left' }],
  )
})

test('members who join, leave and are removed are told, and who asks to join or no longer does', () => {
  const [ada, hidden] = [{ wa_id: '4915112345678' }, { user_id: 'US.13491208655302741918' }]
  assert.deepEqual(
    newsOf(
      'group_participants_update',
      about({ type: 'group_participants_add', reason: 'invite_link', added_participants: [ada, hidden] }),
      about({ type: 'group_participants_remove', removed_participants: [ada], initiated_by: 'business' }),
      about({ type: 'group_participants_remove', removed_participants: [ada], initiated_by: 'participant' }),
      about({ type: 'group_participants_remove', removed_participants: [ada], ...failed }),
      about({ type: 'group_participants_remove', ...failed }),
      about({ type: 'group_join_request_created', join_request_id: 'j', wa_id: ada.wa_id }),
      about({ type: 'group_join_request_revoked', join_request_id: 'j', user_id: hidden.user_id }),
      about({ type: 'group_join_request_created', join_request_id: 'j' }),
    ),
    [
      { change: 'members_added', members: ['+4915112345678', 'US.13491208655302741918'] },
      { change: 'members_removed', members: ['+4915112345678'] },
      { change: 'members_removed', members: ['+4915112345678'], by: '+4915112345678' },
      { change: 'members_removed', members: ['+4915112345678'] },
      { change: 'join_requested', members: ['+4915112345678'] },
      { change: 'join_request_withdrawn', members: ['US.13491208655302741918'] },
    ],
  )
})

test('members whom the business removed are named as the request named them, and those whom it could not remove are not told', () => {
  const input = '+49 151 12345678'
  assert.deepEqual(
    newsOf(
      'group_participants_update',
      about({ type: 'group_participants_remove', removed_participants: [{ input }], ...failed }),
      about({ type: 'group_participants_remove', failed_participants: [{ input }], ...failed }),
    ),
    [{ change: 'members_removed', members: ['+4915112345678'] }],
  )
})

test('a new subject is told, also if something else could not be changed', () => {
  const subject = (update_successful: boolean) => ({ group_subject: { text: 'Rome', update_successful } })
  assert.deepEqual(
    newsOf(
      'group_settings_update',
      about(subject(true)),
      about({ ...subject(true), ...failed }),
      about({ ...subject(false), ...failed }),
    ),
    [
      { change: 'renamed', subject: 'Rome' },
      { change: 'renamed', subject: 'Rome' },
    ],
  )
})

test('other settings, and a suspension, are told as a change', () => {
  assert.deepEqual(newsOf('group_settings_update', about({}), about(failed)), [{ change: 'changed' }])
  assert.deepEqual(newsOf('group_status_update', about({})), [{ change: 'changed' }])
})

test('what is not of a group says nothing', () => {
  const odd = [{}, { group_id: 7 }, { group_id: '+4915112345678' }, 'odd', null]
  assert.deepEqual(newsOf('group_lifecycle_update', ...odd), [])
  assert.deepEqual(newsOf('messages', about({ type: 'group_delete' })), [])
})
