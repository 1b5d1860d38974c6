import { type Json, objectsIn, textIn } from '../json.ts'
import type { Restriction } from '../observation.ts'
import { timeOf } from './notifications.ts'

/** What Meta calls the restrictions that matter for sending, and whom they keep from being written to. */
const scopes: ReadonlyMap<string, Restriction['scope']> = new Map([
  ['RESTRICTED_BIZ_INITIATED_MESSAGING', 'new_contacts'],
  ['RESTRICTED_CUSTOMER_INITIATED_MESSAGING', 'all_messages'],
])

/**
 * The restriction that an `account_update` tells of, the widest if there are several; null if it tells of none. `now` is in milliseconds
 * since the epoch. Source: Webhooks, Reference, account_update.
 */
export function restrictionIn(value: Json, now: number): Restriction | null {
  if (value.event !== 'ACCOUNT_RESTRICTION') return null
  const found = objectsIn(value, 'restriction_info').flatMap((info): Restriction[] => {
    const scope = scopes.get(textIn(info, 'restriction_type') ?? '')
    const ends_at = timeOf(info, 'expiration')
    if (scope === undefined || (ends_at !== null && ends_at <= now)) return []
    return [{ code: 'account_restricted', scope, since: now, ends_at }]
  })
  return found.find(({ scope }) => scope === 'all_messages') ?? found[0] ?? null
}
