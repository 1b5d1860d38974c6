import type { FoundRequest } from '../../driver/abilities/groups.ts'
import { addressOf } from '../address.ts'
import { partsOf, type Stanza, timeIn } from '../incoming/stanza.ts'
import { memberAddress } from './group-node.ts'

/** Requests of one group that are looked at. A group has 1,024 members at most (https://faq.whatsapp.com/, "About groups"). */
export const maxRequests = 2_000

/** A person who asks to join, and how WhatsApp names them. */
export interface ToldRequest extends FoundRequest {
  readonly jid: string
  /** Every address that is told of them. */
  readonly addresses: readonly string[]
}

/**
 * The people who ask to join a group, the oldest first (`<membership_approval_requests>`, as in `GetGroupRequestParticipants` of
 * whatsmeow). Pure and bounded, with any content.
 */
export function requestsIn(list: Stanza, now = Date.now()): ToldRequest[] {
  const told = partsOf(list, 'membership_approval_request').slice(0, maxRequests)
  const requests = told.flatMap((request): ToldRequest[] => {
    const { jid = '', phone_number = '', request_time } = request.attrs
    const address = memberAddress(request)
    if (address === null) return []
    const addresses = [jid, phone_number].map(addressOf).filter((each) => each !== null)
    return [{ jid, address, addresses, at: timeIn(request_time, now) }]
  })
  return requests.sort(byTime)
}

/** Those after a place, which comes from a caller and may be anything. */
export function requestsAfter(requests: readonly ToldRequest[], after: string): readonly ToldRequest[] {
  const [, at, address = ''] = /^(\d{1,16})\.(.{1,200})$/.exec(after) ?? []
  return at === undefined ? [] : requests.filter((each) => byTime(each, { at: Number(at), address }) > 0)
}

/** The place behind a request, of visible ASCII, as addresses are. */
export function placeOf({ at, address }: FoundRequest): string {
  return `${at ?? 0}.${address}`
}

function byTime(one: FoundRequest, other: FoundRequest): number {
  const difference = (one.at ?? 0) - (other.at ?? 0)
  return difference || (one.address < other.address ? -1 : Number(one.address > other.address))
}

/**
 * The people whom a notification about requests names. New requests name `<requested_user>` and others `<participant>`
 * (`parseGroupChange` of whatsmeow); if it names none, it is about the person who did it.
 */
export function askersIn(change: Stanza, by: string | null): string[] {
  const parts = partsOf(change).filter(({ tag }) => tag === 'requested_user' || tag === 'participant')
  if (parts.length === 0) return by === null ? [] : [by]
  const named = parts.slice(0, maxRequests).map(memberAddress)
  return [...new Set(named.filter((address) => address !== null))]
}
