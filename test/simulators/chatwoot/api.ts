import type { IncomingHttpHeaders } from 'node:http'
import {
  type Attachment,
  messageTypes,
  type NewStoredMessage,
  Refusal,
  type StoredContact,
  type StoredConversation,
  type StoredMessage,
  type World,
} from './world.ts'

/*
 * The part of Chatwoot's application API and public API that its documents describe for an API channel
 * (https://developers.chatwoot.com/api-reference), with the shapes of version 4.
 */

export interface ApiRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface ApiContext {
  readonly world: World
  readonly token: string
  /** The address of the server itself, which stands in URLs of files. */
  readonly baseUrl: () => string
  readonly onMessage: (message: StoredMessage, event: 'message_created' | 'message_updated') => void
}

type Route = (context: ApiContext, request: ApiRequest, values: readonly string[]) => Promise<unknown>

const routes: readonly (readonly [method: string, path: RegExp, route: Route])[] = [
  ['POST', /^\/public\/api\/v1\/inboxes\/([^/]+)\/contacts$/, createContact],
  ['GET', /^\/api\/v1\/accounts\/(\d+)\/inboxes\/(\d+)$/, showInbox],
  ['GET', /^\/api\/v1\/accounts\/(\d+)\/contacts\/(\d+)$/, showContact],
  ['PUT', /^\/api\/v1\/accounts\/(\d+)\/contacts\/(\d+)$/, updateContact],
  ['GET', /^\/api\/v1\/accounts\/(\d+)\/contacts\/(\d+)\/conversations$/, contactConversations],
  ['GET', /^\/api\/v1\/accounts\/(\d+)\/conversations$/, listConversations],
  ['POST', /^\/api\/v1\/accounts\/(\d+)\/conversations$/, createConversation],
  ['GET', /^\/api\/v1\/accounts\/(\d+)\/conversations\/(\d+)$/, showConversation],
  ['GET', /^\/api\/v1\/accounts\/(\d+)\/conversations\/(\d+)\/messages$/, listMessages],
  ['POST', /^\/api\/v1\/accounts\/(\d+)\/conversations\/(\d+)\/messages$/, createMessage],
  ['PATCH', /^\/api\/v1\/accounts\/(\d+)\/conversations\/(\d+)\/messages\/(\d+)$/, updateMessage],
]

/** Does what a request asks for, and returns the body of the response. Throws a `Refusal` if it must not. */
export async function serveApi(context: ApiContext, request: ApiRequest): Promise<unknown> {
  const { pathname } = request.url
  for (const [method, path, route] of routes) {
    const match = method === request.method ? path.exec(pathname) : null
    if (!match) continue
    const values = match.slice(1)
    if (!pathname.startsWith('/public/')) {
      if (request.headers.api_access_token !== context.token) throw new Refusal(401, 'Invalid Access Token')
      if (Number(values[0]) !== context.world.accountId) throw new Refusal(401, 'You are not authorized')
    }
    return route(context, request, values)
  }
  throw new Refusal(404, `No route matches ${request.method} ${pathname}`)
}

async function createContact({ world }: ApiContext, request: ApiRequest, [identifier]: readonly string[]) {
  if (identifier !== world.inboxIdentifier) throw new Refusal(404, 'Resource could not be found')
  const { source_id, name, phone_number } = jsonOf(request)
  const sourceId = String(source_id)
  const contact = world.contact(
    sourceId,
    String(name),
    phone_number === undefined ? null : String(phone_number),
  )
  const { id, phoneNumber } = contact
  return {
    source_id: sourceId,
    pubsub_token: 'token',
    id,
    name: contact.name,
    email: null,
    phone_number: phoneNumber,
  }
}

async function showInbox({ world }: ApiContext, _: ApiRequest, [, id]: readonly string[]) {
  if (Number(id) !== world.inboxId) throw new Refusal(404, 'Resource could not be found')
  return {
    id: world.inboxId,
    name: 'Shop',
    channel_type: 'Channel::Api',
    inbox_identifier: world.inboxIdentifier,
  }
}

async function showContact({ world }: ApiContext, _: ApiRequest, [, id]: readonly string[]) {
  const contact = world.contacts.find((one) => one.id === Number(id))
  if (!contact) throw new Refusal(404, 'Resource could not be found')
  return { payload: contactBody(contact) }
}

async function updateContact({ world }: ApiContext, request: ApiRequest, [, id]: readonly string[]) {
  const contact = world.contacts.find((one) => one.id === Number(id))
  if (!contact) throw new Refusal(404, 'Resource could not be found')
  const [avatar] = (await formOf(request, 'avatar')).files
  if (avatar) contact.avatar = avatar
  return { payload: contactBody(contact) }
}

async function contactConversations({ world }: ApiContext, _: ApiRequest, [, id]: readonly string[]) {
  const own = world.conversations.filter(({ contact }) => contact.id === Number(id))
  return { payload: own.slice(-20).map(conversationBody) }
}

async function listConversations({ world }: ApiContext, { url }: ApiRequest) {
  const { searchParams: query } = url
  const status = query.get('status') ?? 'open'
  const page = Number(query.get('page') ?? 1)
  const found = world.conversations
    .filter((one) => query.get('inbox_id') === null || one.inboxId === Number(query.get('inbox_id')))
    .filter((one) => status === 'all' || one.status === status)
    .sort((one, other) => other.lastActivityAt - one.lastActivityAt)
  const meta = { mine_count: 0, unassigned_count: found.length, all_count: found.length }
  return { data: { meta, payload: found.slice((page - 1) * 25, page * 25).map(conversationBody) } }
}

async function createConversation({ world }: ApiContext, request: ApiRequest) {
  const { contact_id, source_id, inbox_id, additional_attributes } = jsonOf(request)
  if (inbox_id !== world.inboxId) throw new Refusal(404, 'Resource could not be found')
  const sourceId = source_id === undefined ? undefined : String(source_id)
  return conversationBody(
    world.converse(Number(contact_id), sourceId, additional_attributes as Record<string, unknown>),
  )
}

async function showConversation({ world }: ApiContext, _: ApiRequest, [, id]: readonly string[]) {
  return conversationBody(world.conversation(Number(id)))
}

async function listMessages(context: ApiContext, { url }: ApiRequest, [, id]: readonly string[]) {
  const { messages, contact } = context.world.conversation(Number(id))
  const before = url.searchParams.get('before')
  const older = before === null ? messages : messages.filter((message) => message.id < Number(before))
  const payload = older.slice(-20).map((message) => messageBody(context, message))
  return { meta: { labels: [], additional_attributes: {}, contact: contactBody(contact) }, payload }
}

async function createMessage(context: ApiContext, request: ApiRequest, [, id]: readonly string[]) {
  const conversation = context.world.conversation(Number(id))
  const message = context.world.add(conversation, await givenMessage(request))
  context.onMessage(message, 'message_created')
  return messageBody(context, message)
}

async function updateMessage(
  context: ApiContext,
  request: ApiRequest,
  [, conversation, id]: readonly string[],
) {
  const message = context.world
    .conversation(Number(conversation))
    .messages.find((one) => one.id === Number(id))
  if (!message) throw new Refusal(404, 'Resource could not be found')
  const { status, external_error } = jsonOf(request)
  context.world.setStatus(message, String(status), external_error)
  context.onMessage(message, 'message_updated')
  return messageBody(context, message)
}

async function givenMessage(request: ApiRequest): Promise<NewStoredMessage> {
  const given: Readonly<Record<string, unknown>> = request.headers['content-type']?.startsWith('multipart/')
    ? await formOf(request)
    : jsonOf(request)
  const type = String(given.message_type ?? 'outgoing')
  if (type !== 'incoming' && type !== 'outgoing') throw new Refusal(422, 'Message type is not valid')
  return {
    content: given.content === undefined ? null : String(given.content),
    type,
    isPrivate: String(given.private ?? 'false') === 'true',
    sourceId: given.source_id === undefined ? null : String(given.source_id),
    contentAttributes: (given.content_attributes ?? {}) as Record<string, unknown>,
    files: (given.files ?? []) as NonNullable<NewStoredMessage['files']>,
  }
}

type Form = Readonly<Record<string, unknown>> & { readonly files: NonNullable<NewStoredMessage['files']> }

async function formOf({ headers, body }: ApiRequest, field = 'attachments[]'): Promise<Form> {
  const type = headers['content-type'] ?? ''
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const files = form.getAll(field).filter((one): one is File => one instanceof File)
  const kept = files.map(async (file) => ({
    name: file.name,
    contentType: file.type,
    bytes: Buffer.from(await file.arrayBuffer()),
  }))
  const texts = [...form].filter(([, value]) => typeof value === 'string')
  return { ...Object.fromEntries(texts), files: await Promise.all(kept) }
}

function jsonOf({ body }: ApiRequest): Record<string, unknown> {
  try {
    return JSON.parse(body.toString('utf8')) as Record<string, unknown>
  } catch {
    throw new Refusal(400, 'Error occurred while parsing request parameters')
  }
}

function contactBody({ id, name, phoneNumber, identifier, inboxes }: StoredContact) {
  const contact_inboxes = inboxes.map(({ inboxId, sourceId }) => ({
    source_id: sourceId,
    inbox: { id: inboxId },
  }))
  return { id, name, phone_number: phoneNumber, identifier, email: null, contact_inboxes }
}

function conversationBody(conversation: StoredConversation) {
  const { id, inboxId, contact, status, lastActivityAt, additionalAttributes } = conversation
  return {
    id,
    inbox_id: inboxId,
    status,
    last_activity_at: lastActivityAt,
    additional_attributes: additionalAttributes,
    meta: { sender: { id: contact.id, name: contact.name }, channel: 'Channel::Api' },
  }
}

/** Returns a message as the API lists it. */
export function messageBody(context: ApiContext, message: StoredMessage) {
  return {
    id: message.id,
    content: message.content,
    inbox_id: message.conversation.inboxId,
    conversation_id: message.conversation.id,
    message_type: messageTypes[message.type],
    content_type: message.contentType,
    content_attributes: message.contentAttributes,
    status: message.status,
    created_at: message.createdAt,
    private: message.isPrivate,
    source_id: message.sourceId,
    ...(message.attachments.length > 0 && {
      attachments: message.attachments.map((one) => attachmentBody(context, message, one)),
    }),
  }
}

export function attachmentBody({ baseUrl, world }: ApiContext, message: StoredMessage, one: Attachment) {
  const [kind = ''] = one.contentType.split('/')
  return {
    id: one.id,
    message_id: message.id,
    account_id: world.accountId,
    file_type: ['image', 'audio', 'video'].includes(kind) ? kind : 'file',
    data_url: `${baseUrl()}/rails/active_storage/blobs/redirect/${one.key}/${encodeURIComponent(one.name)}`,
    file_size: one.bytes.length,
  }
}
