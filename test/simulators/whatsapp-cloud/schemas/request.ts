import Type, { type Static, type TObject, type TProperties } from 'typebox'
import { checker, type SchemaFault } from './check.ts'
import { contactCards, faultsOfCards, faultsOfInteractive, interactive } from './interactive.ts'
import { callbackData, graphId, groupId, oneOf, strict, userId, wamid } from './scalars.ts'
import { template } from './template.ts'

/*
 * Requests that a business may send to the Cloud API. Written from the reference of messages and of media (v26.0); the
 * lengths of texts are those of the reference and of providers that publish them.
 */

const caption = Type.Optional(Type.String({ maxLength: 1024 }))

/** A file by the id of its upload, or by a link that the network fetches. */
const media = <P extends TProperties>(more: P) =>
  strict({ id: Type.Optional(graphId), link: Type.Optional(Type.String({ maxLength: 2048 })), ...more })

const image = media({ caption })
const filename = Type.Optional(Type.String({ minLength: 1, maxLength: 240 }))

const contents = {
  text: strict({
    body: Type.String({ minLength: 1, maxLength: 4096 }),
    preview_url: Type.Optional(Type.Boolean()),
  }),
  image,
  document: media({ caption, filename }),
  audio: media({ voice: Type.Optional(Type.Boolean()) }),
  video: media({ caption }),
  sticker: media({}),
  location: strict({
    latitude: Type.Number({ minimum: -90, maximum: 90 }),
    longitude: Type.Number({ minimum: -180, maximum: 180 }),
    name: Type.Optional(Type.String()),
    address: Type.Optional(Type.String()),
  }),
  // An empty emoji takes a reaction back.
  reaction: strict({ message_id: wamid, emoji: Type.String({ maxLength: 64 }) }),
  contacts: contactCards,
  interactive,
  template,
}

export type SendType = keyof typeof contents
export interface MediaContent {
  readonly id?: string
  readonly link?: string
  readonly caption?: string
  readonly filename?: string
  readonly voice?: boolean
}

const envelope = {
  messaging_product: Type.Literal('whatsapp'),
  recipient_type: Type.Optional(oneOf('individual', 'group')),
  to: Type.Optional(Type.Union([Type.String({ pattern: '^\\+?[0-9][0-9 ()-]{5,24}$' }), groupId])),
  recipient: Type.Optional(userId),
  context: Type.Optional(strict({ message_id: wamid })),
  biz_opaque_callback_data: Type.Optional(callbackData),
}

const envelopeSchema = Type.Object(envelope)

/** A message to a person; the content stands under the name of its type. */
export type SendRequest = Static<typeof envelopeSchema> & { readonly type: SendType } & {
  readonly [type in SendType]?: Static<(typeof contents)[type]>
}

const readSchema = strict({
  messaging_product: Type.Literal('whatsapp'),
  status: Type.Literal('read'),
  message_id: wamid,
  typing_indicator: Type.Optional(strict({ type: Type.Literal('text') })),
})

export type ReadRequest = Static<typeof readSchema>

const sendChecks = new Map(
  Object.entries(contents).map(([type, content]): [string, ReturnType<typeof checker>] => {
    // A text is the only type that need not be named.
    const named = type === 'text' ? Type.Optional(Type.Literal(type)) : Type.Literal(type)
    const schema: TObject = strict({ ...envelope, type: named, [type]: content })
    return [type, checker(schema)]
  }),
)
const checkRead = checker(readSchema)

const rule = (pointer: string, message: string): SchemaFault => ({ keyword: 'rule', pointer, message })

/** Everything that does not fit in the body of a POST to `/{phone-number-id}/messages`. */
export function faultsOfMessageRequest(body: unknown): SchemaFault[] {
  if (typeof body !== 'object' || body === null) return [rule('', 'The body must be a JSON object.')]
  if ('status' in body) return checkRead(body)
  const type = 'type' in body ? body.type : 'text'
  const check = typeof type === 'string' ? sendChecks.get(type) : undefined
  if (!check)
    return [rule('/type', `Param type must be one of {${[...sendChecks.keys()].join(', ').toUpperCase()}}`)]
  const faults = check(body)
  return faults.length > 0 ? faults : faultsOfParts(body as SendRequest)
}

function faultsOfParts(body: SendRequest): SchemaFault[] {
  return [
    ...recipientFaults(body),
    ...mediaFaults(body),
    ...(body.interactive ? faultsOfInteractive(body.interactive) : []),
    ...(body.contacts ? faultsOfCards(body.contacts) : []),
    ...(body.type === 'reaction' && body.context ? [rule('/context', 'A reaction has no context.')] : []),
  ]
}

function recipientFaults(body: object): SchemaFault[] {
  const { to, recipient, recipient_type } = body as Pick<SendRequest, 'to' | 'recipient' | 'recipient_type'>
  if (to === undefined && recipient === undefined)
    return [{ keyword: 'required', pointer: '', message: 'The parameter to is required.' }]
  const isPhone = to === undefined || /^\+?[0-9][0-9 ()-]{5,24}$/.test(to)
  return isPhone === (recipient_type !== 'group') ? [] : [rule('/to', 'The recipient is of another type.')]
}

function mediaFaults(body: SendRequest): SchemaFault[] {
  const content = mediaOf(body)
  if (content === undefined || (content.id === undefined) !== (content.link === undefined)) return []
  return [rule(`/${body.type}`, 'There must be either an id or a link.')]
}

/** The file of a message that has one. */
export function mediaOf(body: SendRequest): MediaContent | undefined {
  return body.image ?? body.document ?? body.audio ?? body.video ?? body.sticker
}

/** The fields of an upload beside its file. */
export const faultsOfUploadFields = checker(
  strict({
    messaging_product: Type.Literal('whatsapp'),
    type: Type.Optional(Type.String({ pattern: '^[a-z]+/[a-z0-9.+-]+( *;.*)?$' })),
  }),
)

/** The body of a POST to `/{waba-id}/subscribed_apps`, which may be absent. */
export const faultsOfSubscription = checker(
  strict({
    override_callback_uri: Type.Optional(Type.String({ pattern: '^https?://' })),
    verify_token: Type.Optional(Type.String({ minLength: 1 })),
  }),
)
