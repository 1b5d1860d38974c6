import type { ErrorCode, ReasonCode, RestrictionCode } from '../codes.ts'
import type { GraphRefusal } from './graph-api.ts'
import { hour } from './restrictions.ts'

/** The meaning of an error code of the Cloud API for a message. */
export interface GraphCode {
  readonly error: ErrorCode
  /**
   * `once`: for now, the first time. `uncertain`: the message may have been taken nevertheless. A delay: for the recipient, the number,
   * or the app and its account. `restriction`: of the account, for a time. A reason ends the connection, and the message is sent later.
   */
  readonly effect: 'permanent' | 'temporary' | 'once' | 'uncertain' | Delayed | Restricted | Ends
}

/** The part that a limit defers: by name, as `sender.ts` has them. */
export type Delayed = 'recipient' | 'number' | 'account' | 'flow'
/** `time` in milliseconds. */
export type Restricted = {
  readonly restriction: RestrictionCode
  readonly scope: 'all_messages' | 'new_contacts'
  readonly time: number
}
type Ends = { readonly reason: ReasonCode }

/** For how long nothing is sent that a person can put right at Meta: once they have, it goes on soon. */
const tenMinutes = hour / 6

const permanent = (error: ErrorCode): GraphCode => ({ error, effect: 'permanent' })
const temporary = (error: ErrorCode): GraphCode => ({ error, effect: 'temporary' })
const ends = (error: ErrorCode, reason: ReasonCode): GraphCode => ({ error, effect: { reason } })
const restricted = (
  error: ErrorCode & RestrictionCode,
  scope: Restricted['scope'],
  time = hour,
): GraphCode => ({ error, effect: { restriction: error, scope, time } })

const refusedToken = ends('token_refused', 'token_refused')
const missingPermission = ends('token_refused', 'missing_permission')
const refusedProof = ends('token_refused', 'proof_refused')
const numberUnknown = ends('number_refused', 'number_unknown')
const rateLimited: GraphCode = { error: 'account_rate_limited', effect: 'account' }
const paymentProblem = restricted('payment_problem', 'all_messages', tenMinutes)
const notReady = restricted('number_not_ready', 'all_messages', tenMinutes)
const mayBeTaken: GraphCode = { error: 'server_error', effect: 'uncertain' }

/** Source: WhatsApp Cloud API, Support, Error codes (May 2026); Graph API, Error handling and Rate limits; Groups API, Error codes. */
const codes: Readonly<Record<number, GraphCode>> = {
  0: refusedToken,
  102: refusedToken,
  190: refusedToken,
  3: missingPermission,
  10: missingPermission,
  131005: missingPermission,
  33: numberUnknown,
  803: numberUnknown,
  133010: ends('number_refused', 'number_not_registered'),
  131031: ends('number_refused', 'account_locked'),
  2500: ends('number_refused', 'version_refused'),
  2635: ends('number_refused', 'version_refused'),

  // "Possibly a server error" and "due to being overloaded": neither says that nothing was done.
  1: mayBeTaken,
  2: mayBeTaken,
  131000: temporary('server_error'),
  131016: temporary('server_error'),
  133004: temporary('server_error'),
  131057: temporary('number_in_maintenance'),
  131042: paymentProblem,
  131044: paymentProblem,
  131037: notReady,
  131045: notReady,

  4: rateLimited,
  17: rateLimited,
  32: rateLimited,
  341: rateLimited,
  613: rateLimited,
  130429: { error: 'number_rate_limited', effect: 'number' },
  131056: { error: 'recipient_rate_limited', effect: 'recipient' },
  131208: { error: 'group_rate_limited', effect: 'recipient' },
  132069: { error: 'flow_rate_limited', effect: 'flow' },
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
  131020: permanent('group_unusable'),
  131041: permanent('group_unusable'),
  131207: permanent('group_unusable'),

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
  132068: permanent('template_refused'),
  139200: permanent('template_refused'),
}

/** Subcode, with the code 100, for the id of an object that the API does not have, or does not show to the token. */
const unknownObject = 33

/** Returns the meaning of a code by itself; undefined if it is not known. */
export function graphCode(code: number, subcode: number | null = null): GraphCode | undefined {
  if (code === 100 && subcode === unknownObject) return numberUnknown
  // Permissions of the Graph API have a hundred codes, and the limits of its business use cases have these.
  if (code >= 200 && code <= 299) return missingPermission
  if (code >= 80_000 && code <= 80_014) return rateLimited
  return Object.hasOwn(codes, code) ? codes[code] : undefined
}

/** Returns the meaning of a refusal: that of its code or, if it is unknown, that of the rest of the answer. */
export function meaningOf(refusal: GraphRefusal): GraphCode {
  const { status, code, subcode, isTransient, isOAuth, isAboutProof } = refusal
  if (isAboutProof) return refusedProof
  const known = graphCode(code, subcode)
  if (known) return known
  if (status === 429) return rateLimited
  if (status === 401) return refusedToken
  // A request that fails in an unknown way may have failed after the message was taken.
  if (status >= 500) return mayBeTaken
  if (isTransient) return { error: 'refused_for_now', effect: 'recipient' }
  if (status === 403 && isOAuth) return missingPermission
  return permanent('message_refused')
}
