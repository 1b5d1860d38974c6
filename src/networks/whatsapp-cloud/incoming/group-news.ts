import type { GroupChanged } from '../../driver/abilities/groups.ts'
import { eachObjectIn, type Json, textIn } from '../../kit/json.ts'
import { groupConversation } from '../address.ts'
import { addressesIn, addressOf, participantNames } from '../people.ts'
import { membersIn, settingIn } from './group-results.ts'
import { type NotifiedChange, timeIn } from './notifications.ts'

/** Webhook fields about groups. */
export const groupFieldNames: ReadonlySet<string> = new Set([
  'group_lifecycle_update',
  'group_participants_update',
  'group_settings_update',
  'group_status_update',
])

/** Yields what a change says of groups, and null after every little work. Source: Groups API, Webhooks for Groups API (February 2026). */
export function* groupNewsIn({
  field,
  value,
  at,
}: NotifiedChange): Generator<GroupChanged | null, void, undefined> {
  if (!groupFieldNames.has(field)) return
  for (const about of eachObjectIn(value, 'groups')) yield changeIn(field, about, at)
}

function changeIn(field: string, about: Json, now: number): GroupChanged | null {
  const id = textIn(about, 'group_id')
  const group = id && groupConversation(id)
  if (group === null) return null
  const told = { kind: 'group-changed', group, at: timeIn(about, 'timestamp', now) } as const
  const added = addressesOf(about, 'added_participants')
  const removed = addressesOf(about, 'removed_participants')
  if (added.length > 0) return { ...told, change: 'members_added', members: added }
  if (removed.length > 0) {
    // Of a person who leaves by themselves, only they are named.
    const [left] = textIn(about, 'initiated_by') === 'participant' ? removed : []
    return { ...told, change: 'members_removed', members: removed, ...(left !== undefined && { by: left }) }
  }
  const subject = settingIn(about, 'group_subject')
  // Of several settings, some may be changed and others not.
  if (subject?.isDone && subject.text !== null) return { ...told, change: 'renamed', subject: subject.text }
  const [fault] = eachObjectIn(about, 'errors').take(1)
  if (fault) return null
  const type = textIn(about, 'type')
  if (type === 'group_join_request_created' || type === 'group_join_request_revoked') {
    const person = addressOf(addressesIn(about, participantNames))
    const change = type === 'group_join_request_created' ? 'join_requested' : 'join_request_withdrawn'
    return person === null ? null : { ...told, change, members: [person] }
  }
  switch (type) {
    case 'group_create': {
      const subject = textIn(about, 'subject')
      return { ...told, change: 'created', ...(subject !== null && { subject }) }
    }
    case 'group_delete':
      return { ...told, change: 'account_left' }
  }
  return field === 'group_settings_update' || field === 'group_status_update'
    ? { ...told, change: 'changed' }
    : null
}

function addressesOf(about: Json, name: string): string[] {
  return membersIn(about, name).map(({ address }) => address)
}
