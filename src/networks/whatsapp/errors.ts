import { sentencesOf } from '../../contract/codes.ts'
import type { Restriction } from '../driver/observation.ts'
import { coded } from '../kit/coded.ts'
import { errors, notices, type RestrictionCode, reasons, restrictions } from './codes.ts'

export const { endingOf, errorOf, noticeOf } = coded({ reasons, errors, notices })

/** For whom each restriction counts. */
const scopes: Readonly<Record<RestrictionCode, Restriction['scope']>> = {
  reach_out_restricted: 'new_contacts',
  temporarily_banned: 'all_messages',
  new_chats_limit_near: 'none',
  new_chats_limit: 'new_contacts',
}

/** A restriction between two times, in milliseconds since the epoch; `ends_at` is null if WhatsApp does not say when it ends. */
export function restrictionOf(
  code: RestrictionCode,
  { since, ends_at }: Pick<Restriction, 'since' | 'ends_at'>,
): Restriction {
  return { code, detail: sentencesOf(restrictions[code]), scope: scopes[code], since, ends_at }
}
