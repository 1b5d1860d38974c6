import type { ErrorCode, ReasonCode, RestrictionCode } from './codes.ts'

/** What an error code of the Cloud API means for a message. */
export interface GraphCode {
  readonly error: ErrorCode
  /**
   * `once`: for now, the first time. `recipient`, `number` and `account`: a limit of the pair, of the number, of the app or its
   * account. `restriction`: of the account, for an hour. A reason ends the connection, and the message is sent later.
   */
  readonly effect: 'permanent' | 'temporary' | 'once' | 'recipient' | 'number' | 'account' | Restricted | Ends
}

type Restricted = { readonly restriction: RestrictionCode; readonly scope: 'all_messages' | 'new_contacts' }
type Ends = { readonly reason: ReasonCode }

const permanent = (error: ErrorCode): GraphCode => ({ error, effect: 'permanent' })
const temporary = (error: ErrorCode): GraphCode => ({ error, effect: 'temporary' })
const ends = (error: ErrorCode, reason: ReasonCode): GraphCode => ({ error, effect: { reason } })
const restricted = (error: ErrorCode & RestrictionCode, scope: Restricted['scope']): GraphCode => ({
  error,
  effect: { restriction: error, scope },
})

const refusedToken = ends('token_refused', 'token_refused')
const missingPermission = ends('token_refused', 'missing_permission')

/** Source: WhatsApp Cloud API, Support, Error codes (May 2026). */
const codes: Readonly<Record<number, GraphCode>> = {
  0: refusedToken,
  190: refusedToken,
  3: missingPermission,
  10: missingPermission,
  33: ends('number_refused', 'number_unknown'),
  133010: ends('number_refused', 'number_not_registered'),
  131031: ends('number_refused', 'account_locked'),
  2500: ends('number_refused', 'version_refused'),
  2635: ends('number_refused', 'version_refused'),

  1: temporary('server_error'),
  2: temporary('server_error'),
  131000: temporary('server_error'),
  131016: temporary('server_error'),
  133004: temporary('server_error'),
  131057: temporary('number_in_maintenance'),
  131042: temporary('payment_problem'),
  131044: temporary('payment_problem'),
  131037: temporary('number_not_ready'),
  131045: temporary('number_not_ready'),

  4: { error: 'account_rate_limited', effect: 'account' },
  80007: { error: 'account_rate_limited', effect: 'account' },
  130429: { error: 'number_rate_limited', effect: 'number' },
  131056: { error: 'recipient_rate_limited', effect: 'recipient' },
  131048: restricted('spam_limit', 'all_messages'),
  368: restricted('policy_block', 'all_messages'),
  131064: restricted('messaging_limit', 'new_contacts'),

  131047: permanent('outside_reply_window'),
  131026: permanent('recipient_unreachable'),
  131021: permanent('recipient_is_sender'),
  131030: permanent('recipient_not_allowed'),
  131049: permanent('recipient_limit_reached'),
  131050: permanent('recipient_opted_out'),
  131062: permanent('user_id_not_supported'),
  130472: permanent('recipient_in_experiment'),
  130497: permanent('country_restricted'),
  137000: permanent('recipient_changed'),

  100: permanent('message_invalid'),
  131008: permanent('message_invalid'),
  131009: permanent('message_invalid'),
  131051: permanent('message_type_not_supported'),
  131052: { error: 'file_refused', effect: 'once' },
  131053: { error: 'file_refused', effect: 'once' },

  132000: permanent('template_parameters_wrong'),
  132001: permanent('template_unknown'),
  132005: permanent('template_too_long'),
  132007: permanent('template_policy'),
  132008: permanent('template_policy'),
  132012: permanent('template_parameters_wrong'),
  132015: permanent('template_paused'),
  132016: permanent('template_disabled'),
  132018: permanent('template_parameters_wrong'),
  131063: permanent('template_refused'),
  139200: permanent('template_refused'),
}

/** What the API says, with the code 100, of the id of an object that it does not have, or does not show to the token. */
const unknownObject = 33

/** What a code means; undefined if it is not known. */
export function graphCode(code: number, subcode: number | null = null): GraphCode | undefined {
  if (code === 100 && subcode === unknownObject) return codes[33]
  // Permissions of the Graph API have a hundred codes.
  if (code >= 200 && code <= 299) return missingPermission
  return Object.hasOwn(codes, code) ? codes[code] : undefined
}
