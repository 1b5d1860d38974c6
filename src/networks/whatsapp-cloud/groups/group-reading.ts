import type { FoundGroup, FoundGroupPage, FoundMember, FoundRequest } from '../../driver/abilities/groups.ts'
import { eachObjectIn, integerIn, type Json, objectIn, textIn } from '../../kit/json.ts'
import { groupAddress } from '../address.ts'
import { maxMembers } from '../incoming/group-results.ts'
import { timeOf } from '../incoming/notifications.ts'
import { addressesIn, addressOf, participantNames } from '../people.ts'

/** Fields of a group (Groups API, Get group info). */
export const groupFields =
  'subject,description,join_approval_mode,creation_timestamp,participants,total_participant_count'

/**
 * A group as `GET /{group-id}` shows it. The business made it and is its only administrator; Meta counts and lists it in no group, and callers
 * see it as every other network shows the account.
 */
export function groupIn(json: Json, address: string, account: string | null): FoundGroup {
  const listed = Array.isArray(json.participants) ? participantsIn(json) : null
  const count = countIn(json, 'total_participant_count')
  return {
    address,
    subject: textIn(json, 'subject'),
    description: textIn(json, 'description'),
    created_at: timeOf(json, 'creation_timestamp'),
    size: count === null ? null : count + 1,
    ...(listed && { members: [...ownMember(account), ...listed] }),
    role: 'owner',
    approval: approvalIn(json),
  }
}

function approvalIn(json: Json): boolean | null {
  const mode = textIn(json, 'join_approval_mode')
  return mode === null ? null : mode === 'approval_required'
}

/** The business itself as a member of a group. */
export function ownMember(account: string | null): FoundMember[] {
  return account === null ? [] : [{ address: account, role: 'owner' }]
}

function participantsIn(json: Json): FoundMember[] {
  const members = eachObjectIn(json, 'participants')
    .take(maxMembers)
    .map((member) => addressOf(addressesIn(member, participantNames)))
  return [...members].flatMap((address) => (address === null ? [] : [{ address, role: 'member' as const }]))
}

function countIn(json: Json, name: string): number | null {
  const count = integerIn(json, name) ?? Number(/^\d{1,6}$/.exec(textIn(json, name) ?? '')?.[0])
  return Number.isSafeInteger(count) ? count : null
}

/**
 * Groups of a number (`GET /{phone-number-id}/groups`). The reference has them in `data.groups` with `created_at`; Gupshup, which passes Meta's
 * answers on, shows them as `data` with `creation_timestamp`.
 */
export function groupPageIn(json: Json): FoundGroupPage {
  const inside = objectIn(json, 'data')
  const listed = inside ? eachObjectIn(inside, 'groups') : eachObjectIn(json, 'data')
  const groups = listed.flatMap((group) => {
    const address = groupAddress(textIn(group, 'id'))
    if (address === null) return []
    const created_at = timeOf(group, 'created_at') ?? timeOf(group, 'creation_timestamp')
    return [{ address, subject: textIn(group, 'subject'), created_at, role: 'owner' as const }]
  })
  return { groups: [...groups], next: nextIn(json) }
}

/** A request to join, with the id by which it is answered. */
export interface CloudRequest extends FoundRequest {
  readonly id: string
}

/** Requests to join a group (Groups API, Get join requests). */
export function requestsIn(json: Json): { requests: CloudRequest[]; next: string | null } {
  const requests = eachObjectIn(json, 'data').flatMap((request) => {
    const id = textIn(request, 'join_request_id')
    const address = addressOf(addressesIn(request, participantNames))
    return id === null || address === null ? [] : [{ id, address, at: timeOf(request, 'creation_timestamp') }]
  })
  return { requests: [...requests], next: nextIn(json) }
}

/** Meta names a next page only if there is one (Graph API, Paginated results). */
function nextIn(json: Json): string | null {
  const paging = objectIn(json, 'paging')
  const hasMore = paging !== null && textIn(paging, 'next') !== null
  return hasMore ? textIn(objectIn(paging, 'cursors') ?? {}, 'after') : null
}
