import {
  isProblem,
  type MediaKind,
  type Posthorn,
  ProblemError,
} from '../../../clients/javascript/src/index.ts'
import type { Chatwoot, ChatwootAttachment, ChatwootMessage } from './chatwoot.ts'
import { ChatwootError } from './chatwoot-request.ts'
import { cleanName, messageIdIn } from './content.ts'
import { FileRefused, type Files } from './files.ts'
import type { LaneWork } from './lane-work.ts'
import type { Log } from './log.ts'
import { isReply, metadataOf, type Piece, piecesOf, replyOf, type TextLimits } from './reply-parts.ts'
import type { State } from './state.ts'

export interface RepliesParts {
  readonly state: State
  readonly posthorn: Posthorn
  readonly chatwoot: Chatwoot
  readonly files: Files
  readonly log: Log
  readonly instance: string
  /** The account, which is part of the idempotency key. */
  readonly accountId: number
  readonly inboxName: string
  readonly limits: TextLimits
  readonly signal: AbortSignal
}

/** Replies of a conversation that one visit sends. More are left to the next visit. */
const maxReplies = 50
/** Posthorn remembers an idempotency key for 72 hours. A reply that is older than this is looked for first. */
const lookUpAfterMs = 3_600_000
const downloadTimeoutMs = 300_000

/**
 * Returns the work that looks for the replies in a conversation, and passes those to Posthorn that it does not have. Webhooks only say
 * where to look: it does not matter whether they come twice, in another order, or from another sender than Chatwoot.
 */
export function visitWork(parts: RepliesParts): LaneWork {
  return async ({ key, deep }) => {
    try {
      await visit(parts, Number(key), deep === 1)
    } catch (error) {
      // A conversation that is gone has no replies.
      if (!(error instanceof ChatwootError && error.status === 404)) throw error
    }
  }
}

async function visit(parts: RepliesParts, conversationId: number, isDeep: boolean): Promise<void> {
  const { replies, isAll } = await newReplies(parts, conversationId, isDeep)
  if (replies.length === 0) return
  const address = await addressOf(parts, conversationId)
  if (address === 'elsewhere') return
  for (const reply of replies) {
    if (address !== undefined) await sendReply(parts, reply, conversationId, address)
    else
      refuse(
        parts,
        { reply, conversationId, count: 1 },
        'The contact has no address that Posthorn could write to.',
      )
  }
  parts.log(`Took ${replies.length} replies of conversation ${conversationId}.`)
  if (!isAll) parts.state.want('visit', conversationId)
}

/** Returns the oldest replies of a conversation that are not with Posthorn yet, since the time up to which all were found. */
async function newReplies(
  { state, chatwoot }: RepliesParts,
  conversationId: number,
  isDeep: boolean,
): Promise<{ replies: ChatwootMessage[]; isAll: boolean }> {
  const floor = Number(state.fact('floor'))
  let found: ChatwootMessage[] = []
  let isAll = true
  for await (const page of chatwoot.pagesBack(conversationId, floor)) {
    const replies = page.filter((message) => message.created_at >= floor && isReply(message))
    const fresh = replies.filter(({ id }) => isUnfinished(state, id))
    found = [...fresh, ...found].sort((one, other) => one.id - other.id)
    if (found.length > maxReplies) isAll = false
    found.length = Math.min(found.length, maxReplies)
    if (!isDeep && replies.length > 0 && fresh.length === 0) break
  }
  return { replies: found, isAll }
}

function isUnfinished(state: State, messageId: number): boolean {
  const known = state.partsOf(messageId)
  return known.length === 0 || known.length < (known[0]?.parts ?? 0)
}

/** Returns the address of the contact; undefined if there is none, and `elsewhere` if the conversation is not of the inbox. */
async function addressOf(
  { state, chatwoot }: RepliesParts,
  conversationId: number,
): Promise<string | 'elsewhere' | undefined> {
  const known = state.addressOf(conversationId)
  if (known !== undefined) return known
  const conversation = await chatwoot.conversation(conversationId)
  if (!conversation) return 'elsewhere'
  const noted = conversation.additional_attributes?.posthorn_address
  const address =
    typeof noted === 'string' && noted !== ''
      ? noted
      : await contactAddress(chatwoot, conversation.meta?.sender?.id)
  // The contact answers in the conversation in which an agent wrote first.
  if (address !== undefined && state.conversationOf(address) === undefined)
    state.setPlace({ address, conversation_id: conversationId })
  return address
}

/** Chatwoot's own id of a contact in an inbox, if the contact was created there. */
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

async function contactAddress(
  chatwoot: Chatwoot,
  contactId: number | undefined,
): Promise<string | undefined> {
  const contact = contactId === undefined ? undefined : await chatwoot.contactOf(contactId)
  if (!contact) return undefined
  const own = chatwoot.sourceIdsOf(contact).findLast((id) => !uuid.test(id))
  return own ?? (contact.phone_number || contact.identifier || undefined)
}

async function sendReply(
  parts: RepliesParts,
  reply: ChatwootMessage,
  conversationId: number,
  address: string,
): Promise<void> {
  const { state, instance, limits } = parts
  const pieces = piecesOf(reply, limits)
  const count = Math.max(1, pieces.length)
  const clientRef = keyOf(parts, reply)
  const replyTo = await targetOf(parts, reply)
  const hasPart = (part: number) => state.partsOf(reply.id).some((known) => known.part === part)
  if (Date.now() - reply.created_at * 1_000 > lookUpAfterMs) await learnSent(parts, clientRef)
  for (const [part, piece] of pieces.entries()) {
    if (hasPart(part)) continue
    const row = { message_id: reply.id, part, parts: count, conversation_id: conversationId }
    const recipient = {
      instance,
      to: address,
      client_ref: clientRef,
      metadata: metadataOf(row, parts.inboxName),
    }
    try {
      await sendPart(parts, { piece, recipient, replyTo: part === 0 ? replyTo : undefined }, part)
      state.setPart({ ...row, rank: 0, error: null })
    } catch (error) {
      // The agent changed the reply after Posthorn had taken it.
      if (isProblem(error, 'idempotency_mismatch')) await learnSent(parts, clientRef)
      if (hasPart(part)) continue
      const why = refusalIn(error)
      if (why === undefined) throw error
      return refuse(parts, { reply, conversationId, count }, why)
    }
  }
  if (pieces.length === 0) refuse(parts, { reply, conversationId, count }, 'It is empty.')
}

/** The message of the contact, or an earlier reply, to which the agent replied; undefined if there is none that Posthorn knows. */
async function targetOf(parts: RepliesParts, reply: ChatwootMessage): Promise<string | undefined> {
  const { in_reply_to: id, in_reply_to_external_id: sourceId } = reply.content_attributes ?? {}
  const named = typeof sourceId === 'string' ? messageIdIn(sourceId) : undefined
  if (named !== undefined || typeof id !== 'number') return named
  const { posthorn, instance } = parts
  const query = { instance, client_ref: keyOf(parts, { id }), direction: 'outbound', limit: 1 } as const
  const [earlier] = await posthorn.messages.list(query).toArray(1)
  return earlier?.id
}

interface ReplyPiece {
  readonly piece: Piece
  readonly recipient: Recipient
  readonly replyTo: string | undefined
}

/** Sends a piece as a reply if the network can do that, and if not, without. */
async function sendPart(
  parts: RepliesParts,
  { piece, recipient, replyTo }: ReplyPiece,
  part: number,
): Promise<void> {
  const { client_ref: clientRef } = recipient
  const send = (to: Recipient) =>
    sendPiece(parts, piece, to, part === 0 ? clientRef : `${clientRef}-${part + 1}`)
  if (replyTo === undefined) return await send(recipient)
  try {
    await send({ ...recipient, reply_to: replyTo })
  } catch (error) {
    if (
      !isProblem(
        error,
        'not_supported_by_network',
        'target_not_sent',
        'message_not_editable',
        'invalid_request',
      )
    )
      throw error
    await send(recipient)
  }
}

function keyOf({ accountId }: RepliesParts, { id }: Pick<ChatwootMessage, 'id'>): string {
  return `chatwoot-${accountId}-${id}`
}

/** Notes the parts of a reply that Posthorn has. */
async function learnSent(
  { state, posthorn, instance, inboxName }: RepliesParts,
  clientRef: string,
): Promise<void> {
  const query = { instance, client_ref: clientRef, direction: 'outbound', limit: 100 } as const
  for (const message of await posthorn.messages.list(query).toArray(100)) {
    const part = replyOf(message, inboxName)
    if (part) state.setPart({ ...part, rank: 0, error: null })
  }
}

interface RefusedReply {
  readonly reply: ChatwootMessage
  readonly conversationId: number
  /** The number of parts that it would have had. */
  readonly count: number
}

/** Notes that what is left of a reply will not be sent, and why. */
function refuse(
  { state, log }: RepliesParts,
  { reply, conversationId, count }: RefusedReply,
  why: string,
): void {
  const known = new Set(state.partsOf(reply.id).map(({ part }) => part))
  state.transact(() => {
    for (let part = 0; part < count; part++) {
      const row = { message_id: reply.id, part, parts: count, conversation_id: conversationId }
      if (!known.has(part)) state.setPart({ ...row, rank: 9, error: why })
    }
    state.want('tick', reply.id)
  })
  log(`Reply ${reply.id} is not sent: ${why}`)
}

/** Returns why Posthorn will never take it, for the agent; undefined if it may take it later. */
function refusalIn(error: unknown): string | undefined {
  if (error instanceof FileRefused) return error.message
  if (!(error instanceof ProblemError)) return undefined
  const isFinal =
    [400, 413, 415, 422].includes(error.status) ||
    isProblem(error, 'not_supported_by_network', 'outside_reply_window')
  const invalid = error.errors.map(({ detail }) => detail).join(' ')
  return isFinal ? `${error.detail} ${invalid}`.trim().slice(0, 300) : undefined
}

interface Recipient {
  readonly instance: string
  readonly to: string
  readonly client_ref: string
  readonly metadata: Record<string, string>
  readonly reply_to?: string
}

async function sendPiece(
  parts: RepliesParts,
  piece: Piece,
  recipient: Recipient,
  idempotencyKey: string,
): Promise<void> {
  const { posthorn, files } = parts
  if (piece.kind === 'text') {
    await posthorn.messages.sendText({ ...recipient, text: piece.text }, { idempotencyKey })
    return
  }
  const { attachment, caption } = piece
  if (files.isTooLarge(attachment.file_size)) throw new FileRefused(files.tooLarge)
  const response = await download(parts, attachment)
  const filename = fileNameOf(attachment)
  const words = caption === '' ? {} : { caption }
  await files.keep(response, async ({ path }) => {
    const send = (kind: MediaKind) =>
      posthorn.messages.sendMedia(
        { ...recipient, ...words, kind, filename, file: { path } },
        { idempotencyKey },
      )
    const { file_type: type } = attachment
    const kind = type === 'image' || type === 'audio' || type === 'video' ? type : 'document'
    try {
      await send(kind)
    } catch (error) {
      // A picture, a sound or a video that the network does not show as such goes as a document.
      if (kind === 'document' || refusalIn(error) === undefined) throw error
      await send('document')
    }
  })
}

/** Fetches a file from the place that Chatwoot names, without the token. */
async function download({ signal }: RepliesParts, { data_url }: ChatwootAttachment): Promise<Response> {
  if (!data_url || !/^https?:$/.test(URL.parse(data_url)?.protocol ?? ''))
    throw new FileRefused('Chatwoot has no such file.')
  const response = await fetch(data_url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(downloadTimeoutMs)]),
  })
  if (response.ok) return response
  await response.body?.cancel()
  if (response.status === 404 || response.status === 410)
    throw new FileRefused('Chatwoot no longer has the file.')
  throw new Error(`The file of a reply was answered with ${response.status}.`)
}

/** Returns the name at the end of the URL, which is where Chatwoot puts it. */
function fileNameOf({ data_url }: ChatwootAttachment): string {
  const last =
    URL.parse(data_url ?? '')
      ?.pathname.split('/')
      .pop() ?? ''
  try {
    return cleanName(decodeURIComponent(last)).slice(0, 100)
  } catch {
    return 'file'
  }
}
