import type { Call, Caller } from '../../contract/handler.ts'
import type { Operation } from '../../contract/operation.ts'
import { type InvalidValue, invalid, Problem } from '../../contract/problem.ts'
import { problems } from '../../contract/problems.ts'
import type { MessageContent } from '../../contract/resources/content.ts'
import type { Message } from '../../contract/resources/message.ts'
import type { RelationType } from '../../contract/statuses.ts'
import type { Driver, ParsedAddress } from '../../networks/driver/driver.ts'
import {
  answeredBefore,
  createdAt,
  idempotencyMismatch,
  idempotencyOf,
  type Recalled,
} from '../../organizations/idempotency.ts'
import { timestamp } from '../../runtime/clock.ts'
import { newId } from '../../runtime/ids.ts'
import { findLastWritten } from '../contacts/contact-store.ts'
import { isWindowOver, windowEnd } from '../contacts/reply-window.ts'
import { wordsOfContent } from '../content/content.ts'
import { isSettled } from '../life.ts'
import { findMessage } from '../list/find-message.ts'
import { type NewMessage, renderNewMessage } from '../message.ts'
import type { NewMessageFile } from '../message-file.ts'
import { type AcceptResult, acceptMessage } from '../outbox/accept/accept.ts'
import type { Refused } from '../outbox/accept/capacity.ts'
import { scheduleFaults, scheduleOf } from '../outbox/accept/schedule.ts'
import type { SendingInstance } from '../outbox/accept/sender-cache.ts'
import type { MessageOperationsContext } from './context.ts'
import { type FoundTarget, findInConversation, relationTo } from './find-target.ts'
import { isRelation, mustNotBeRetracted, notEditable } from './referable.ts'
import { abilityFaults, mentionsIn, topicToSend } from './sending-abilities.ts'

/** The fields of every request to send, for any content. */
export interface SendingBody {
  readonly instance: string
  readonly to: string
  readonly client_ref?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly send_at?: string
  readonly expires_at?: string
  /** The message that this one replies to. */
  readonly reply_to?: string
  /** The people whom its text mentions. */
  readonly mentions?: readonly string[]
  /** The topic of a group in which it is to be shown. */
  readonly topic?: string
}

export type SendingCall<Body extends SendingBody> = Pick<
  Call<Operation>,
  'caller' | 'idempotency' | 'waitMs' | 'signal' | 'turn' | 'trace'
> & { readonly body: Body }

/** The part of a call that a message is composed from. */
type ComposingCall<Body extends SendingBody> = Pick<SendingCall<Body>, 'caller' | 'turn' | 'trace' | 'body'>

/** The content to send: a text, a file with its caption, or content of another kind with words that tell of it. */
export interface SendingContent {
  readonly kind: NewMessage['kind']
  readonly text: string | null
  readonly content?: MessageContent
  readonly file?: NewMessageFile
}

/** Content of its own kind, with the words that tell of it. */
export function sendingContent(kind: SendingContent['kind'], content: MessageContent): SendingContent {
  return { kind, text: wordsOfContent(content), content }
}

/** The message that the one to send changes, and how. */
export interface Following {
  readonly type: RelationType
  readonly target: FoundTarget
}

/** The recipient of a message, normalized, and the turn of its caller. */
export interface PreparedFor {
  readonly address: string
  readonly organizationId: string
  readonly turn: SendingCall<SendingBody>['turn']
}

/** An operation's knowledge of the content that it sends. */
export interface SendingOperation<Body> {
  /** The faults that the network finds in the content, as far as the given fields show them. */
  faults(body: Partial<Body>, driver: Driver): InvalidValue[]
  /** Prepares the content for storing, once there are no faults; throws the problem if it finds one then. */
  prepare(sender: SendingInstance, now: number, to: PreparedFor): Promise<SendingContent> | SendingContent
  /** Present if it may be sent outside the reply window, too. */
  readonly outsideWindow?: true
  /** Present if it changes another message. */
  readonly following?: Following
}

/**
 * Answers a request to send: has the message accepted, under one commit with its key and its file, and waits for its outcome
 * for as long as the caller wants.
 */
export async function sendMessage<Body extends SendingBody>(
  context: MessageOperationsContext,
  operation: Operation,
  call: SendingCall<Body>,
  sending: SendingOperation<Body>,
) {
  const begun = context.clock.monotonic()
  let sent: Awaited<ReturnType<typeof accept>>
  try {
    sent = await accept(context, operation, call, sending)
  } catch (refusal) {
    return answerAgain(context, call, await answeredBefore(context.store, call, operation, refusal))
  }
  const { accepted, message, wake } = sent
  if (accepted.kind === 'replay' || accepted.kind === 'mismatch') return answerAgain(context, call, accepted)
  if (accepted.kind !== 'accepted') {
    noticeRefusal(context, call.caller.organizationId, accepted)
    throw problemOfRefusal(accepted)
  }
  const seconds = (context.clock.monotonic() - begun) / 1000
  // The response is written first.
  setImmediate(() => {
    context.metrics.accepted(seconds)
    wake()
  })
  return answer(context, call, message, false)
}

async function answer(
  context: MessageOperationsContext,
  call: SendingCall<SendingBody>,
  message: Message,
  isRepeated: boolean,
) {
  const headers = createdAt(`/v1/messages/${message.id}`, isRepeated)
  return { status: 202 as const, body: await settledWithin(context, call, message), headers }
}

/** Answers a repetition with the message of the first call. */
function answerAgain(context: MessageOperationsContext, call: SendingCall<SendingBody>, recalled: Recalled) {
  if (recalled.kind === 'mismatch') throw idempotencyMismatch()
  return answer(context, call, JSON.parse(recalled.reply.body), true)
}

/** Finds the sender, and has the message accepted; a second time if the remembered sender is gone by now. */
async function accept<Body extends SendingBody>(
  context: MessageOperationsContext,
  operation: Operation,
  call: SendingCall<Body>,
  sending: SendingOperation<Body>,
  again = true,
): Promise<{ accepted: AcceptResult; message: Message; wake: () => void }> {
  const { store, senders, queueLimit, quotas } = context
  const sender = await senders.find(call.caller.organizationId, call.body.instance)
  const { message, file, target } = await composeMessage(context, call, sender, sending)
  const body = renderNewMessage(message, file)
  const location = `/v1/messages/${message.id}`
  const idempotency = idempotencyOf(call, operation, { status: 202, location, body })
  const wake = () => {
    context.supervisor.wake(sender.instanceId)
    if (file && file.fetch_at !== null) context.filesToFetch.notify('outbound')
  }
  const accepted = await store
    .transact(
      acceptMessage,
      {
        message,
        ...(file ? { file } : {}),
        ...(target === undefined ? {} : { target }),
        idempotency,
        queueLimit,
        unsettledLimit: quotas.unsettled_messages,
        storedLimit: quotas.stored_bytes,
      },
      call.turn,
    )
    .catch((error) => {
      // If only the store's answer was lost, the message is stored, and nothing else would wake its instance.
      wake()
      throw error
    })
  if (accepted.kind === 'instance_gone') {
    senders.forget(call.caller.organizationId, call.body.instance)
    if (again) return accept(context, operation, call, sending, false)
  }
  return { accepted, message: body, wake }
}

/** The faults of the fields that fit the contract, as far as they can be judged if other fields do not fit. */
export async function findSendingFaults<Body extends SendingBody>(
  { senders, clock }: MessageOperationsContext,
  { caller, body }: { readonly caller: Caller; readonly body: Partial<Body> },
  faultsOf: SendingOperation<Body>['faults'],
): Promise<InvalidValue[]> {
  const { instance, to } = body
  // A missing instance is reported only once the request fits.
  const sender = instance && (await senders.find(caller.organizationId, instance).catch(() => undefined))
  if (!sender) return scheduleFaults(body, clock.now())
  const { driver } = sender
  const recipient = to === undefined ? undefined : driver.parseAddress(to)
  return [
    ...recipientFaults(recipient),
    ...abilityFaults(body, driver, recipient),
    ...faultsOf(body, driver),
    ...scheduleFaults(body, clock.now()),
  ]
}

function recipientFaults(recipient: ParsedAddress | undefined): InvalidValue[] {
  if (recipient?.ok !== false) return []
  return [{ pointer: '/to', code: 'recipient_invalid', detail: recipient.detail }]
}

/** Checks what only the network knows, and fixes everything about the message that will not change again. */
export async function composeMessage<Body extends SendingBody>(
  { store, clock }: MessageOperationsContext,
  call: ComposingCall<Body>,
  sender: SendingInstance,
  sending: SendingOperation<Body>,
) {
  const { body, caller, turn, trace } = call
  const now = clock.now()
  const { driver, instanceId, instanceName, replyWindow } = sender
  const recipient = driver.parseAddress(body.to)
  const faults = [
    ...recipientFaults(recipient),
    ...abilityFaults(body, driver, recipient),
    ...sending.faults(body, driver),
    ...scheduleFaults(body, now),
  ]
  if (!recipient.ok || faults.length > 0) throw invalid(...faults)
  const following =
    sending.following ?? (await replyIn(store, call, { instanceId, recipient: recipient.address }))
  const { sendAt, expiresAt } = scheduleOf(body, now)
  // Nothing is asked where a recipient can be answered at any time.
  const lastWritten =
    replyWindow === null
      ? null
      : await store.read(findLastWritten, { instance: instanceId, address: recipient.address }, turn)
  const windowEndsAt = lastWritten && windowEnd(lastWritten.at, replyWindow)
  // One that is scheduled is looked at again then: until its time, the recipient may write.
  const isDue = (sendAt ?? now) <= now
  if (lastWritten && !sending.outsideWindow && isDue && isWindowOver(lastWritten, replyWindow, now))
    throw outsideWindow(windowEndsAt ?? now)
  const { file, kind, text, content } = await sending.prepare(sender, now, {
    address: recipient.address,
    organizationId: caller.organizationId,
    turn,
  })
  const replied = following?.type === 'reply' ? following.target.topic : null
  const whole = { ...content, ...mentionsIn(body, driver), ...topicToSend(body, replied, driver) }
  const message: NewMessage = {
    id: newId('msg'),
    organization_id: caller.organizationId,
    instance_id: instanceId,
    instance_name: instanceName,
    recipient: recipient.address,
    kind,
    text,
    relation: following ? relationTo(following.type, following.target) : null,
    content: Object.keys(whole).length > 0 ? JSON.stringify(whole) : null,
    client_ref: body.client_ref ?? null,
    metadata: body.metadata ? JSON.stringify(body.metadata) : null,
    created_at: now,
    send_at: sendAt,
    expires_at: body.expires_at === undefined ? Math.max(expiresAt, endOf(following)) : expiresAt,
    id_assigned: driver.abilities.message_ids === 'assigned' ? 1 : 0,
    window_ends_at: windowEndsAt,
    trace,
  }
  return { message, file, target: following?.target.seq }
}

/** Until when a message may have to wait for the one that it follows. */
function endOf(following: Following | undefined): number {
  const { status, expires_at } = following?.target ?? {}
  return status === 'queued' || status === 'sending' ? (expires_at ?? 0) : 0
}

/** The message that a request to send replies to, if it names one. */
async function replyIn(
  store: MessageOperationsContext['store'],
  { body, caller, turn }: ComposingCall<SendingBody>,
  conversation: { readonly instanceId: string; readonly recipient: string },
): Promise<Following | undefined> {
  if (body.reply_to === undefined) return undefined
  const { organizationId } = caller
  const target = await store.read(
    findInConversation,
    { organizationId, ...conversation, name: body.reply_to },
    turn,
  )
  if (!target) throw invalid(notInConversation)
  if (isRelation(target)) throw notEditable('A reaction or a retraction gets no replies.')
  await mustNotBeRetracted(store, { ...target, organizationId }, turn)
  return { type: 'reply', target }
}

const notInConversation: InvalidValue = {
  pointer: '/reply_to',
  code: 'not_found',
  detail:
    'The conversation with this recipient has no such message. Give the `id` or the `network_message_id` of one of its messages.',
}

function outsideWindow(endedAt: number): Problem {
  return new Problem('outside_reply_window', {
    detail:
      `By what the network has told so far, you could answer the recipient freely until ${timestamp(endedAt)}. ` +
      'Send a message from a template, if the network has them, or wait until the recipient writes again.',
  })
}

/** The faults of a text that the network does not take: for its length, and for what it cannot carry. */
export function textFaults(part: 'text' | 'caption', text: string, driver: Driver): InvalidValue[] {
  const pointer = `/${part}`
  const limit = driver.limits[`${part}_characters`]
  const detail = driver.textFault(text, part)
  const unsendable = detail === null ? [] : [{ pointer, code: 'text_not_representable', detail }]
  return [...lengthFault(pointer, text, limit), ...unsendable]
}

/** The length is counted in Unicode characters: an emoji is one. */
function lengthFault(pointer: string, text: string, limit: number): InvalidValue[] {
  // Few texts are long enough to be counted.
  if (text.length <= limit || [...text].length <= limit) return []
  return [{ pointer, code: 'too_long', detail: `The network takes at most ${limit} characters.` }]
}

/** Tells an organization that it has reached one of its quotas, if it has. */
export function noticeRefusal(
  { notices }: MessageOperationsContext,
  organizationId: string,
  { kind }: Refused,
): void {
  if (kind === 'unsettled_quota_exceeded') notices.refused(organizationId, 'unsettled_messages')
  if (kind === 'stored_quota_exceeded') notices.refused(organizationId, 'stored_bytes')
}

export function problemOfRefusal(refused: Refused): Problem {
  const { kind } = refused
  const retryLater = { 'retry-after': '5' }
  if (kind === 'unsettled_quota_exceeded')
    return new Problem(kind, { detail: quotaDetail(kind, unsettledWords(refused)), headers: retryLater })
  if (kind === 'stored_quota_exceeded')
    return new Problem(kind, { detail: quotaDetail(kind, storedWords(refused)) })
  if (kind === 'queue_full') return new Problem(kind, { headers: retryLater })
  return new Problem(kind === 'instance_gone' ? 'instance_not_found' : kind)
}

/** Returns how much is used, and then what to do. */
function quotaDetail(kind: keyof typeof problems, used: string): string {
  return `${used} ${problems[kind].explanation}`
}

function unsettledWords({ used, limit }: { readonly used: number; readonly limit: number }): string {
  return `Your organization has ${inFull(used)} unsettled messages, and may have ${inFull(limit)}.`
}

type StoredUsed = Record<'used' | 'limit' | 'needed', number>

/** To the byte: close to the limit, units of a thousand would say the same of what is used and of what may be. */
function storedWords({ used, limit, needed }: StoredUsed): string {
  return (
    `The messages of your organization use ${inFull(used)} bytes, and may use ${inFull(limit)}: ` +
    `this one needs ${inFull(needed)}.`
  )
}

const inFull = (number: number) => number.toLocaleString('en')

/** The message once it has left the queue, or as it is when the caller waits no longer. */
async function settledWithin(
  context: MessageOperationsContext,
  call: SendingCall<SendingBody>,
  message: Message,
): Promise<Message> {
  if (call.waitMs === 0) return message
  const { store, clock, messageChanges } = context
  const wait = { ms: call.waitMs, signal: call.signal }
  const { organizationId, instances } = call.caller
  const place = { organizationId, instances, id: message.id }
  const read = () => store.read(findMessage, { ...place, now: clock.now() }, call.turn)
  return (
    (await messageChanges.until(message.id, wait, read, (now) => !now || isSettled(now.status))) ?? message
  )
}
