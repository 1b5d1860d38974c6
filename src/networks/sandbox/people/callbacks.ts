import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Static } from 'typebox'
import type { InvalidValue } from '../../../contract/problem.ts'
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
    } catch (error) {
      return { kind: 'refused', status: 400, detail: error instanceof UnfitCallback ? error.message : unfit }
    }
  },
}

const unsigned: CallbackVerification = {
  kind: 'refused',
  status: 401,
  detail:
    'Sign the body with the token in the credentials of the instance: X-Sandbox-Signature: sha256=<HMAC-SHA256 in hexadecimal>.',
}

/** A callback that is not as the sandbox takes it; the message says which field, and repeats nothing of the callback. */
class UnfitCallback extends Error {
  override readonly name = 'UnfitCallback'
}

const unfit =
  'The body must be a JSON object with `from`, an address of the sandbox, and `text` or `content`; or with `marketing` or `template`.'

/** The most faults that a response names. */
const maxFaultsNamed = 5

/** Throws if there are faults. The name of an unknown field is left out: it is the caller's. */
function refuseFaults(faults: readonly InvalidValue[]): void {
  const named = faults.slice(0, maxFaultsNamed).map(({ pointer, code, detail }) => {
    if (code !== 'unknown_field') return `${pointer}: ${detail}`
    const place = pointer.slice(0, pointer.lastIndexOf('/'))
    return `${place === '' ? 'the body' : place}: There is a field that is not known here.`
  })
  if (named.length > 0) throw new UnfitCallback(`${unfit} ${[...new Set(named)].join(' ')}`)
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
  if (!isWithin(body, limits)) throw new UnfitCallback(`${unfit} This one is no JSON, or has too many parts.`)
  const given: unknown = JSON.parse(body.toString('utf8'))
  if (!isNews(given)) {
    refuseFaults(faultsIn.said(given))
    return { said: saidIn(given) }
  }
  refuseFaults(faultsIn.told(given))
  const news = newsIn(given as Static<typeof told>)
  if (news) return { news }
  throw new UnfitCallback(`${unfit} /marketing/from: The value must be an address of the sandbox.`)
}

/** True for the form of `told`: an empty object has it, too, but says nothing. */
function isNews(given: unknown): boolean {
  return typeof given === 'object' && given !== null && ('marketing' in given || 'template' in given)
}

function saidIn(given: unknown): ScriptedMessage & { readonly from: string } {
  const { from, text, content, relation } = given as Static<typeof said>
  const parsed = parseAddress(from)
  const says = text !== undefined || content !== undefined || relation?.type === 'retraction'
  const isCarried = text === undefined || (text.isWellFormed() && !text.includes('\0'))
  if (!parsed.ok) throw new UnfitCallback(`${unfit} /from: ${parsed.detail}`)
  if (!says)
    throw new UnfitCallback(`${unfit} Without both, the \`type\` of \`relation\` must be \`retraction\`.`)
  if (!isCarried) throw new UnfitCallback(`${unfit} /text: The text has U+0000, or half of a character.`)
  return {
    from: parsed.address,
    ...(text !== undefined && { text }),
    ...(content && { content }),
    ...(relation && { relation: relation as ReceivedRelation }),
  }
}
