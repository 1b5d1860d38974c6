import type { GroupChanged } from '../../driver/abilities/groups.ts'
import { eachObjectIn, type Json, textIn } from '../../kit/json.ts'
import { groupConversation } from '../address.ts'
import { addressesIn, addressOf } from '../people.ts'
import { type NotifiedChange, timeIn } from './notifications.ts'

const fields = new Set([
  'group_lifecycle_update',
  'group_participants_update',
  'group_settings_update',
  'group_status_update',
])

/** Members of one change that are looked at: a group has eight (Groups API, Quick facts). */
const maxMembers = 50

/** Yields what a change says of groups, and null after every little work. Source: Groups API, Webhooks for Groups API (February 2026). */
export function* groupNewsIn({
  field,
  value,
  at,
}: NotifiedChange): Generator<GroupChanged | null, void, undefined> {
  if (!fields.has(field)) return
  for (const about of eachObjectIn(value, 'groups')) yield changeIn(field, about, at)
}

function changeIn(field: string, about: Json, now: number): GroupChanged | null {
  const id = textIn(about, 'group_id')
  const group = id && groupConversation(id)
  if (group === null) return null
  const told = { kind: 'group-changed', group, at: timeIn(about, 'timestamp', now) } as const
  const added = membersIn(about, 'added_participants')
  const removed = membersIn(about, 'removed_participants')
  if (added.length > 0) return { ...told, change: 'members_added', members: added }
  if (removed.length > 0) {
    // Of a person who leaves by themselves, only they are named.
    const [left] = textIn(about, 'initiated_by') === 'participant' ? removed : []
    return { ...told, change: 'members_removed', members: removed, ...(left !== undefined && { by: left }) }
  }
  const [fault] = eachObjectIn(about, 'errors').take(1)
  if (fault) return null
  switch (textIn(about, 'type')) {
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

/** The reference names people by `wa_id` alone; those who hide their phone have a user id where others have seen one. */
const names = { user: 'user_id', parent: 'parent_user_id', phone: 'wa_id' }

function membersIn(about: Json, name: string): string[] {
  const members = eachObjectIn(about, name)
    .take(maxMembers)
    .map((member) => addressOf(addressesIn(member, names)))
  return [...members].filter((address) => address !== null)
}
