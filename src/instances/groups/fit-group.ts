import {
  type Group,
  type GroupMemberError,
  type GroupWithMembers,
  type JoinRequest,
  maxChangedMembers,
  maxGroupDescription,
  maxGroupMembers,
  maxGroupName,
  maxGroupSubject,
} from '../../contract/resources/people/group.ts'
import { carried } from '../../messages/content/carried.ts'
import type { FoundGroup, FoundRequest, MemberResults } from '../../networks/driver/abilities/groups.ts'
import type { NetworkError } from '../../networks/driver/outcome.ts'
import { cutText } from '../../networks/kit/received-text.ts'
import { isMoment, timestamp } from '../../runtime/clock.ts'

/*
 * What networks say about groups, within the bounds of the contract: people choose subjects and names, and a server may send anything.
 */

/** The longest address, in bytes of UTF-8: as long as one that callers may name. */
const longestAddress = 1024

export function fitsAsAddress(address: string): boolean {
  return address !== '' && Buffer.byteLength(address) <= longestAddress && carried(address) === address
}

/** A subject, or another text of a group, that can be stored and shown; null if there is none. */
export function fitGroupText(text: string | null | undefined, longest = maxGroupSubject): string | null {
  return text ? carried(cutText(text, longest)) : null
}

/** The group as callers see it; undefined if its address cannot be named. */
export function fitGroup(found: FoundGroup): Group | undefined {
  if (!fitsAsAddress(found.address)) return undefined
  const { address, size = null, role = null, approval = null, created_at: at = null } = found
  return {
    address,
    subject: fitGroupText(found.subject),
    description: fitGroupText(found.description, maxGroupDescription),
    size: size !== null && Number.isSafeInteger(size) && size >= 0 ? size : null,
    role,
    approval,
    created_at: at !== null && isMoment(at) ? timestamp(at) : null,
  }
}

/** The same with its members. */
export function fitGroupWithMembers(found: FoundGroup): GroupWithMembers | undefined {
  const group = fitGroup(found)
  if (!group) return undefined
  if (!found.members) return { ...group, members: null, members_left_out: 0 }
  const members = found.members
    .slice(0, maxGroupMembers)
    .filter(({ address }) => fitsAsAddress(address))
    .map(({ address, name, role }) => ({ address, name: fitGroupText(name, maxGroupName), role }))
  return { ...group, members, members_left_out: found.members.length - members.length }
}

/** A request to join as callers see it; none if its address cannot be named. */
export function fitRequest({ address, name, at = null }: FoundRequest): JoinRequest[] {
  if (!fitsAsAddress(address)) return []
  const asked_at = at !== null && isMoment(at) ? timestamp(at) : null
  return [{ address, name: fitGroupText(name, maxGroupName), asked_at }]
}

/** The fate of a member that was named; `unknown` if the network did not say. */
export interface MemberFate {
  readonly address: string
  readonly result: 'done' | 'refused' | 'unknown'
  readonly error: GroupMemberError | null
}

/** The fate of each of these members. */
export function fitFates(asked: readonly string[], told: MemberResults): MemberFate[] {
  const byAddress = new Map(told.slice(0, maxChangedMembers).map(({ address, error }) => [address, error]))
  return asked.map((address) => {
    const error = byAddress.get(address)
    if (error === undefined) return { address, result: 'unknown', error: null }
    return { address, result: error ? 'refused' : 'done', error: error && errorOf(error) }
  })
}

function errorOf({ code, detail, network_code }: NetworkError): GroupMemberError {
  return { code, detail, network_code: network_code ?? null }
}
