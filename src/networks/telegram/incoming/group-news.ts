import type { GroupChange } from '../../../contract/statuses.ts'
import type { GroupChanged } from '../../driver/abilities/groups.ts'
import { integerIn, type Json, objectIn, objectsIn, textIn } from '../../kit/json.ts'
import { ownCopy } from '../../kit/received-text.ts'
import { isGroup } from '../address.ts'
import type { ToldRequest } from '../join-requests.ts'
import { chatIn } from './people.ts'
import { timeOf } from './time.ts'

/**
 * The updates that tell of groups, besides messages (https://core.telegram.org/bots/api#chatmemberupdated and #chatjoinrequest). Only
 * administrators who may invite get the last.
 */
export const groupUpdateTypes = ['my_chat_member', 'chat_member', 'chat_join_request'] as const

/** The most people of one message about new members that are told. */
const maxNewMembers = 100

/** The account that stands for administrators who hide behind their group (https://core.telegram.org/bots/api#message). */
const anonymousAdministrator = '1087968824'

/**
 * Returns the changes of groups that an update tells; `bot` is the id of the bot. Where it is an administrator, Telegram tells of a
 * member twice, by a message of the group and by an update.
 */
export function groupNewsIn(update: Json, bot: number, now: number): GroupChanged[] {
  const own = objectIn(update, 'my_chat_member')
  if (own) return withPlace(own, now, ownChanges(own))
  const other = objectIn(update, 'chat_member')
  if (other) return withPlace(other, now, memberChanges(other, bot))
  const request = joinRequestIn(update, now)
  if (request) {
    const { group, person, at } = request
    return [{ kind: 'group-changed', group, change: 'join_requested', members: [person], by: person, at }]
  }
  const message = objectIn(update, 'message') ?? objectIn(update, 'channel_post')
  return message ? withPlace(message, now, serviceChanges(message, bot)) : []
}

/** A request to join a group or channel; null if an update is none. */
export function joinRequestIn(update: Json, now: number): ToldRequest | null {
  const request = objectIn(update, 'chat_join_request')
  if (!request) return null
  const [group, person] = [chatIn(request, 'chat'), chatIn(request, 'from')]
  if (group === null || !isGroup(group) || person === null || isGroup(person)) return null
  return { group, person, at: timeOf(request, ['date'], now) }
}

interface Change {
  readonly change: GroupChange
  readonly subject?: string
  readonly members?: readonly string[]
}

function withPlace(json: Json, now: number, changes: readonly Change[]): GroupChanged[] {
  const group = chatIn(json, 'chat')
  if (group === null || !isGroup(group)) return []
  const by = objectIn(json, 'sender_chat') ? null : chatIn(json, 'from')
  const place = { group, by: by === anonymousAdministrator ? null : by, at: timeOf(json, ['date'], now) }
  return changes.map((change) => ownCopy({ kind: 'group-changed', ...place, ...change }))
}

/** A change of the bot's own part. */
function ownChanges(json: Json): Change[] {
  const [before, after] = partsIn(json)
  if (!before || !after || before === after) return []
  const subject = textIn(objectIn(json, 'chat') ?? {}, 'title')
  if (before === 'out') return [{ change: 'account_joined', ...(subject !== null && { subject }) }]
  return [{ change: after === 'out' ? 'account_left' : 'changed' }]
}

/** A change of the part of another. */
function memberChanges(json: Json, bot: number): Change[] {
  const [before, after] = partsIn(json)
  const user = chatIn(objectIn(json, 'new_chat_member') ?? {}, 'user')
  if (!before || !after || before === after || user === null || user === String(bot)) return []
  const members = [user]
  if (after === 'out') return [{ change: 'members_removed', members }]
  const added = before === 'out' ? [{ change: 'members_added', members } as const] : []
  if (after === 'leading') return [...added, { change: 'members_promoted', members }]
  return before === 'leading' ? [{ change: 'members_demoted', members }] : added
}

type Part = 'out' | 'in' | 'leading'

/** The part of a member in a group, before and after. */
function partsIn(json: Json): [Part | null, Part | null] {
  return [partOf(objectIn(json, 'old_chat_member')), partOf(objectIn(json, 'new_chat_member'))]
}

/** A member who is restricted may be in the group or not. */
function partOf(member: Json | null): Part | null {
  switch (member?.status) {
    case 'creator':
    case 'administrator':
      return 'leading'
    case 'member':
      return 'in'
    case 'restricted':
      return member.is_member === false ? 'out' : 'in'
    case 'left':
    case 'kicked':
      return 'out'
    default:
      return null
  }
}

/** The changes that a message of Telegram itself tells. Of the bot's own part, it is told otherwise. */
function serviceChanges(message: Json, bot: number): Change[] {
  const subject = textIn(message, 'new_chat_title')
  if (subject !== null) return [{ change: 'renamed', subject }]
  const joined = objectsIn(message, 'new_chat_members')
    .slice(0, maxNewMembers)
    .map((user) => chatIn({ user }, 'user'))
  const left = chatIn(message, 'left_chat_member')
  const others = (ids: readonly (string | null)[]) =>
    ids.filter((id) => id !== null && id !== String(bot)) as string[]
  if (others(joined).length > 0) return [{ change: 'members_added', members: others(joined) }]
  if (others([left]).length > 0) return [{ change: 'members_removed', members: others([left]) }]
  const isOther =
    integerIn(message, 'migrate_from_chat_id') !== null ||
    Array.isArray(message.new_chat_photo) ||
    message.delete_chat_photo === true
  return isOther ? [{ change: 'changed' }] : []
}
