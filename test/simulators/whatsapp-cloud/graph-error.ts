import { randomBytes } from 'node:crypto'
import type { ErrorAnswer } from './schemas/answer.ts'
import type { Failure } from './schemas/webhook.ts'

/** HTTP status and title of each code. Source: WhatsApp Cloud API, Error codes, May 2026. */
const codes = {
  0: [401, 'AuthException'],
  1: [400, 'API Unknown'],
  2: [503, 'API Service'],
  3: [403, 'API Method'],
  4: [400, 'API Too Many Calls'],
  10: [403, 'Permission Denied'],
  17: [400, 'User request limit reached'],
  32: [400, 'Page request limit reached'],
  33: [400, 'Parameter value is not valid'],
  100: [400, 'Invalid parameter'],
  102: [401, 'API Session'],
  190: [401, 'Access token has expired'],
  200: [403, 'API Permission'],
  341: [400, 'Application limit reached'],
  368: [403, 'Temporarily blocked for policies violations'],
  613: [400, 'Calls to this API have exceeded the rate limit'],
  803: [404, 'Some of the aliases you requested do not exist'],
  2200: [400, 'Callback verification failed'],
  2500: [400, 'Unknown path components'],
  2635: [400, 'You are calling a deprecated version of the API'],
  80002: [400, 'There have been too many calls to this account'],
  80004: [400, 'There have been too many calls to this ad account'],
  80007: [429, 'Rate limit issues'],
  80008: [400, 'There have been too many calls to this WhatsApp Business account'],
  80014: [400, 'There have been too many calls to this catalog account'],
  130429: [429, 'Rate limit hit'],
  130472: [400, "User's number is part of an experiment"],
  130497: [403, 'Business account is restricted from messaging users in this country'],
  131000: [500, 'Something went wrong'],
  131005: [403, 'Access denied'],
  131008: [400, 'Required parameter is missing'],
  131009: [400, 'Parameter value is not valid'],
  131016: [500, 'Service unavailable'],
  131020: [400, 'Bad Group'],
  131021: [400, 'Recipient cannot be sender'],
  131026: [400, 'Message undeliverable'],
  131030: [400, 'Recipient phone number not in allowed list'],
  131031: [403, 'Account has been locked'],
  131037: [400, 'Display name approval required'],
  131041: [400, 'Group unknown'],
  131042: [400, 'Business eligibility payment issue'],
  131044: [400, 'Payment method missing'],
  131045: [500, 'Incorrect certificate'],
  131047: [400, 'Re-engagement message'],
  131048: [429, 'Spam rate limit hit'],
  131049: [400, 'Message not delivered to maintain healthy ecosystem engagement'],
  131050: [400, 'User has stopped receipt of marketing messages'],
  131051: [400, 'Message type unknown'],
  131052: [400, 'Media download error'],
  131053: [400, 'Media upload error'],
  131056: [429, '(Business Account, Consumer Account) pair rate limit hit'],
  131057: [500, 'Account in maintenance mode'],
  131062: [400, 'Business-scoped user id recipients are not supported for this message'],
  131063: [400, 'Marketing templates are turned off'],
  131064: [400, 'Messaging limit reached'],
  131059: [400, 'Invalid cursor'],
  131201: [206, 'Request partially succeeded'],
  131202: [400, 'Duplicate participant'],
  131203: [400, 'Unable to add participant to group'],
  131204: [400, 'Participant overlimit'],
  131207: [403, 'Group suspended'],
  131208: [429, 'Group Rate Limit Hit'],
  131211: [400, 'Group create limit reached'],
  131212: [400, 'Participant is not a part of the group.'],
  131214: [400, 'Group creation is temporarily disabled'],
  131215: [400, 'This phone number is not eligible to access Groups APIs'],
  132000: [400, 'Number of parameters does not match the expected number of params'],
  132001: [404, 'Template name does not exist in the translation'],
  132005: [400, 'Translated text too long'],
  132007: [400, 'Template format character policy violated'],
  132008: [400, 'Template translation is rejected by policy'],
  132012: [400, 'Parameter format does not match format in the created template'],
  132015: [400, 'Template is paused'],
  132016: [400, 'Template is disabled'],
  132018: [400, 'There is an issue with the parameters of the template'],
  132068: [400, 'Flow is in blocked state'],
  132069: [400, 'Flow is in throttled state'],
  133004: [503, 'Server temporarily unavailable'],
  133010: [400, 'Phone number not registered'],
  137000: [400, 'Identity hash mismatch'],
  139200: [400, 'Direct Send is blocked'],
} as const satisfies Readonly<Record<number, readonly [status: number, title: string]>>

export type ErrorCode = keyof typeof codes

/** True for a code that the network has. */
export function isErrorCode(code: number): code is ErrorCode {
  return Object.hasOwn(codes, code)
}

/** A refusal in the form of the Graph API. */
export class GraphError extends Error {
  readonly code: ErrorCode
  readonly subcode: number | undefined
  readonly details: string | undefined

  constructor(code: ErrorCode, details?: string, subcode?: number) {
    super(`(#${code}) ${codes[code][1]}`)
    this.code = code
    this.details = details
    this.subcode = subcode
  }

  get status(): number {
    return codes[this.code][0]
  }

  protected get type(): ErrorAnswer['error']['type'] {
    return this.subcode === 33 ? 'GraphMethodException' : 'OAuthException'
  }

  body(): ErrorAnswer {
    return {
      error: {
        message: this.message,
        type: this.type,
        code: this.code,
        ...(this.subcode !== undefined && { error_subcode: this.subcode }),
        ...(this.status === 503 && { is_transient: true }),
        ...(this.details !== undefined && {
          error_data: { messaging_product: 'whatsapp', details: this.details },
        }),
        fbtrace_id: `A${randomBytes(16).toString('base64url')}`,
      },
    }
  }
}

/** An error that a fault asks for: one of the list, or one that no list has, with its status and whether it passes. */
export function errorOfFault({ code = 131000, subcode, status, transient, proof }: ErrorFault): ErrorReply {
  if (!isErrorCode(code) && status === undefined) throw new Error(`the network has no error ${code}`)
  const known = proof
    ? new ProofError(null)
    : new GraphError(isErrorCode(code) ? code : 131000, 'Something went wrong.', subcode)
  const { error } = known.body()
  const message = isErrorCode(code) ? error.message : `(#${code}) Something new went wrong`
  const passes = transient === undefined ? {} : { is_transient: transient }
  return { status: status ?? known.status, body: { error: { ...error, code, message, ...passes } } }
}

interface ErrorFault {
  readonly code?: number
  readonly subcode?: number
  readonly status?: number
  readonly transient?: boolean
  readonly proof?: boolean
}

interface ErrorReply {
  readonly status: number
  readonly body: ErrorAnswer
}

/** The same error as a webhook has it. */
export function failureOf(code: ErrorCode, details: string): Failure {
  const title = codes[code][1]
  const href = 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/'
  return { code, title, message: title, error_data: { details }, href }
}

/** The error for a proof that is missing, or not of the app for which the token was made. */
export class ProofError extends GraphError {
  constructor(given: string | null) {
    super(100)
    this.message =
      given === null
        ? 'API calls from the server require an appsecret_proof argument'
        : 'Invalid appsecret_proof provided in the API argument'
  }

  protected override get type(): 'GraphMethodException' {
    return 'GraphMethodException'
  }
}

/** The error for a file that a number does not have. */
export function unknownFile(id: string): GraphError {
  return new GraphError(131009, `Media id ${id} was not found for this phone number.`)
}

/** The error for an id that does not exist, or that the token may not see. */
export function unknownObject(id: string): GraphError {
  const why =
    'does not exist, cannot be loaded due to missing permissions, or does not support this operation'
  return new GraphError(100, `Object with ID '${id}' ${why}`, 33)
}
