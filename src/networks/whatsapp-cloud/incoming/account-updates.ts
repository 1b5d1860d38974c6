import type { Restriction } from '../../driver/observation.ts'
import { eachObjectIn, objectIn, textIn } from '../../kit/json.ts'
import type { RestrictionCode } from '../codes.ts'
import { day, hour, type RestrictionChange, restrictionOf } from '../graph/restrictions.ts'
import { expiryIn, type NotifiedChange } from './notifications.ts'

/** Meta's names of the restrictions that keep the account from writing to people; there are others, for example of calls. */
const scopes: ReadonlyMap<string, Restriction['scope']> = new Map([
  ['RESTRICTED_BIZ_INITIATED_MESSAGING', 'new_contacts'],
  ['RESTRICTED_CUSTOMER_INITIATED_MESSAGING', 'all_messages'],
])

/** Everything that a reinstated account is free of. */
const ofAccount: readonly RestrictionCode[] = [
  'account_restricted',
  'account_disabled',
  'account_disabled_soon',
  'account_violation',
  'account_deleted',
]

/**
 * Returns the restrictions that a change about the account makes or lifts. Of those that Meta does not end at a time, a
 * block is tried again after a while, and a warning is shown for a week. Source: Webhooks, Reference, account_update (April
 * 2026) and account_review_update.
 */
export function restrictionsIn({ field, value, at }: NotifiedChange): RestrictionChange {
  const lasting = (code: RestrictionCode, scope: Restriction['scope'], time: number): RestrictionChange => ({
    restricted: [restrictionOf(code, { scope, since: at, ends_at: at + time })],
  })
  if (field === 'account_review_update')
    return textIn(value, 'decision') === 'APPROVED'
      ? { lifted: ['account_not_approved'] }
      : lasting('account_not_approved', 'none', 7 * day)
  switch (textIn(value, 'event')) {
    case 'ACCOUNT_RESTRICTION':
      return restricted({ value, at })
    case 'ACCOUNT_VIOLATION':
      return lasting('account_violation', 'none', 7 * day)
    case 'ACCOUNT_OFFBOARDED':
      return lasting('account_offboarded', 'all_messages', hour)
    case 'ACCOUNT_RECONNECTED':
      return { lifted: ['account_offboarded'] }
    case 'ACCOUNT_DELETED':
      return lasting('account_deleted', 'all_messages', day)
    // The business took the account, or the permissions of an app, away from a partner.
    case 'PARTNER_REMOVED':
    case 'PARTNER_APP_UNINSTALLED':
      return lasting('partner_removed', 'none', 7 * day)
    case 'PARTNER_ADDED':
    case 'PARTNER_APP_INSTALLED':
      return { lifted: ['partner_removed'] }
    case 'DISABLED_UPDATE':
      switch (textIn(objectIn(value, 'ban_info') ?? {}, 'waba_ban_state')) {
        case 'DISABLE':
          return lasting('account_disabled', 'all_messages', day)
        case 'SCHEDULE_FOR_DISABLE':
          return lasting('account_disabled_soon', 'none', 7 * day)
        case 'REINSTATE':
          return { lifted: ofAccount }
      }
  }
  return {}
}

/** Restrictions of one account that are looked at. */
const maxRestrictions = 100

/** The list is what is restricted now. */
function restricted({ value, at }: Pick<NotifiedChange, 'value' | 'at'>): RestrictionChange {
  const infos = eachObjectIn(value, 'restriction_info').take(maxRestrictions)
  const restricted = Array.from(infos, (info) => {
    const type = textIn(info, 'restriction_type') ?? ''
    const named = /^[A-Z_]{1,100}$/.test(type) ? ` Meta calls the restriction ${type}.` : ''
    const ends_at = expiryIn(info, 'expiration') ?? at + day
    return restrictionOf(
      'account_restricted',
      { scope: scopes.get(type) ?? 'none', since: at, ends_at },
      named,
    )
  })
  return { lifted: ['account_restricted'], restricted }
}
