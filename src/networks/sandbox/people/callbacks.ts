import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Static } from 'typebox'
import { contentFields } from '../../../contract/resources/content.ts'
import { relationTypes } from '../../../contract/statuses.ts'
import Type from '../../../contract/type.ts'
import { type Validate, validator } from '../../../contract/validate.ts'
import type { CallbackRequest, Callbacks, CallbackVerification } from '../../driver/abilities/callbacks.ts'
import type { SealedCredentials } from '../../driver/account.ts'
import type { ReceivedRelation } from '../../driver/observation.ts'
import { isWithin, type JsonLimits } from '../../kit/json.ts'
import { parseAddress } from '../address.ts'
import type { SandboxCredentials } from '../settings.ts'
import type { ScriptedMessage } from './answer.ts'
import { newsIn, type SandboxNews, told } from './news.ts'

const signatureHeader = 'x-sandbox-signature'

/** A callback of the sandbox: a person wrote to the account. */
const said = Type.Object(
  {
    from: Type.String(),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    content: Type.Optional(Type.Object(contentFields, { additionalProperties: false })),
    relation: Type.Optional(
      Type.Object(
        {
          type: Type.Enum([...relationTypes]),
          message: Type.String({ minLength: 1, maxLength: 255 }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

/** Messages that are played by a request, signed with the token of the instance. */
export const callbacks: Callbacks = {
  maxBytes: 64 * 1024,
  headers: [signatureHeader],
  verify({ method, headers, rawBody }: CallbackRequest, _settings, credentials): CallbackVerification {
    if (method !== 'POST') return { kind: 'response', status: 200, body: 'ok', contentType: 'text/plain' }
    if (!isSigned(rawBody, headers[signatureHeader], credentials)) return unsigned
    try {
      readCallback(rawBody)
      return { kind: 'keep' }
    } catch {
      return unfit
    }
  },
}

const unsigned: CallbackVerification = {
  kind: 'refused',
  status: 401,
  detail:
    'Sign the body with the token in the credentials of the instance: X-Sandbox-Signature: sha256=<HMAC-SHA256 in hexadecimal>.',
}

const unfit: CallbackVerification = {
  kind: 'refused',
  status: 400,
  detail:
    'The body must be a JSON object with `from`, an address of the sandbox, and `text` or `content`; or with `marketing` or `template`.',
}

function isSigned(body: Buffer, signature: string | undefined, credentials: SealedCredentials): boolean {
  const { token } = credentials as SandboxCredentials
  if (token === undefined || signature === undefined) return false
  const expected = Buffer.from(`sha256=${createHmac('sha256', token).update(body).digest('hex')}`)
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The fields of any content, and some for the mistakes that people make. */
const limits: JsonLimits = { structure: 5_000, depth: 15 }

/** Compiled when the first callback comes. */
let faultsIn: { readonly said: Validate; readonly told: Validate } | undefined

/** The content of a callback: a person writes, or there is news of the account. */
export type ReadCallback =
  | { readonly said: ScriptedMessage & { readonly from: string } }
  | { readonly news: SandboxNews }

/** Reads the body of a callback; throws if it does not fit. */
export function readCallback(body: Buffer): ReadCallback {
  faultsIn ??= { said: validator(said), told: validator(told) }
  if (!isWithin(body, limits)) throw new Error('the callback has too many parts')
  const given: unknown = JSON.parse(body.toString('utf8'))
  const news = faultsIn.told(given).length === 0 ? newsIn(given as Static<typeof told>) : null
  if (news) return { news }
  if (faultsIn.said(given).length > 0) throw new Error('the callback has another form')
  return { said: saidIn(given) }
}

function saidIn(given: unknown): ScriptedMessage & { readonly from: string } {
  const { from, text, content, relation } = given as Static<typeof said>
  const parsed = parseAddress(from)
  const says = text !== undefined || content !== undefined || relation?.type === 'retraction'
  const isCarried = text === undefined || (text.isWellFormed() && !text.includes('\0'))
  if (!parsed.ok || !says || !isCarried) throw new Error('the callback does not fit')
  return {
    from: parsed.address,
    ...(text !== undefined && { text }),
    ...(content && { content }),
    ...(relation && { relation: relation as ReceivedRelation }),
  }
}
