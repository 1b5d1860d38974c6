import { type AnyReply, type Call, handler, type UnfitCall } from '../../contract/handler.ts'
import type { Message } from '../../contract/message.ts'
import { sendTextMessage as operation } from '../../contract/message-operations.ts'
import { type InvalidValue, invalid, Problem } from '../../contract/problem.ts'
import { createdAt } from '../../contract/reply.ts'
import type { Driver } from '../../networks/driver.ts'
import { answeredBefore, idempotencyMismatch, idempotencyOf } from '../../organizations/reply.ts'
import { newId } from '../../runtime/ids.ts'
import { type Accepted, acceptMessage } from '../accept.ts'
import { type NewMessage, renderNewMessage } from '../message.ts'
import { findMessage } from '../message-store.ts'
import { scheduleFaults, scheduleOf } from '../schedule.ts'
import type { Sender } from '../sender.ts'
import { isSettled } from '../status.ts'
import type { MessageOperationsContext } from './context.ts'

type TextCall = Call<typeof operation>
type UnfitTextCall = UnfitCall<typeof operation>

export const sendTextMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => send(context, call),
    (call) => examine(context, call),
  )

async function send(context: MessageOperationsContext, call: TextCall): Promise<AnyReply<typeof operation>> {
  const begun = context.clock.monotonic()
  const { accepted, message, instanceId } = await accept(context, call).catch(async (refusal: unknown) => {
    const recalled = await answeredBefore(context.store, call, operation, refusal)
    return { accepted: recalled, message: undefined, instanceId: undefined }
  })
  refuse(accepted)
  if (accepted.kind === 'replay') {
    const first = JSON.parse(accepted.reply.body) as Message
    const headers = createdAt(call, `/v1/messages/${first.id}`, true)
    return { status: 202, body: await settledWithin(context, call, first), headers }
  }
  if (!message) throw new Error('a message was accepted that nobody composed')

  context.onAccepted((context.clock.monotonic() - begun) / 1000)
  context.wake(instanceId)
  const headers = createdAt(call, `/v1/messages/${message.id}`, false)
  return { status: 202, body: await settledWithin(context, call, message), headers }
}

/** Finds the sender, and has the message accepted; once more where the sender that was remembered is gone by now. */
async function accept(context: MessageOperationsContext, call: TextCall, again = true) {
  const { store, clock, senders, queueLimit } = context
  const sender = await senders.find(call.caller.organizationId, call.body.instance)
  const message = compose(call, sender, clock.now())
  const body = renderNewMessage(message)
  const idempotency = idempotencyOf(call, operation, {
    status: 202,
    location: `/v1/messages/${message.id}`,
    body,
  })
  const accepted = await store
    .transact(acceptMessage, { message, idempotency, queueLimit })
    .catch((error) => {
      // Where only the answer of the store was lost, there is a message that nobody else would wake its instance for.
      context.wake(sender.instanceId)
      throw error
    })
  if (accepted.kind === 'instance_gone') {
    senders.forget(call.caller.organizationId, call.body.instance)
    if (again) return accept(context, call, false)
  }
  return { accepted, message: body, instanceId: sender.instanceId }
}

/** What is wrong with the fields that fit the contract, as far as it can be told where others do not. */
async function examine({ senders, clock }: MessageOperationsContext, { caller, body }: UnfitTextCall) {
  const { instance, to, text } = body
  const faults = scheduleFaults(body, clock.now())
  // Whether there is such an instance is told once the request fits.
  const sender = instance && (await senders.find(caller.organizationId, instance).catch(() => undefined))
  if (!sender) return faults
  const recipient = to === undefined ? undefined : sender.driver.parseAddress(to)
  return [...networkFaults(sender.driver, recipient, text ?? ''), ...faults]
}

/** Checks what only the network knows, and fixes everything about the message that will not change any more. */
function compose(
  { body, caller }: TextCall,
  { instanceId, instanceName, driver }: Sender,
  now: number,
): NewMessage {
  const recipient = driver.parseAddress(body.to)
  const faults = [...networkFaults(driver, recipient, body.text), ...scheduleFaults(body, now)]
  if (!recipient.ok || faults.length > 0) throw invalid(...faults)
  const { sendAt, expiresAt } = scheduleOf(body, now)
  return {
    id: newId('msg'),
    organization_id: caller.organizationId,
    instance_id: instanceId,
    instance_name: instanceName,
    recipient: recipient.address,
    kind: 'text',
    text: body.text,
    network_message_id: driver.newMessageId(),
    client_ref: body.client_ref ?? null,
    metadata: body.metadata ? JSON.stringify(body.metadata) : null,
    created_at: now,
    send_at: sendAt,
    expires_at: expiresAt,
  }
}

/** What the network does not take. */
function networkFaults(
  { limits }: Driver,
  recipient: ReturnType<Driver['parseAddress']> | undefined,
  text: string,
): InvalidValue[] {
  const faults: InvalidValue[] = []
  if (recipient?.ok === false) {
    faults.push({ pointer: '/to', code: 'recipient_invalid', detail: recipient.detail })
  }
  if (isLongerThan(text, limits.text_characters)) {
    const detail = `The network takes at most ${limits.text_characters} characters.`
    faults.push({ pointer: '/text', code: 'too_long', detail })
  }
  return faults
}

/** Counts Unicode characters, not UTF-16 units: an emoji is one. Few texts are long enough to be counted. */
function isLongerThan(text: string, limit: number): boolean {
  return text.length > limit && [...text].length > limit
}

function refuse({ kind }: Accepted): void {
  if (kind === 'mismatch') throw idempotencyMismatch()
  if (kind === 'queue_full') throw new Problem('queue_full', { headers: { 'retry-after': '5' } })
  if (kind === 'instance_deleting') throw new Problem('instance_deleting')
  if (kind === 'instance_gone') throw new Problem('instance_not_found')
}

/** The message once it has left the queue, or as it is when the caller's patience ends. */
async function settledWithin(
  context: MessageOperationsContext,
  call: TextCall,
  message: Message,
): Promise<Message> {
  if (call.waitMs === 0) return message
  const { store, messageChanges } = context
  const wait = { ms: call.waitMs, signal: call.signal }
  const read = () => store.read(findMessage, { organizationId: call.caller.organizationId, id: message.id })
  return (
    (await messageChanges.until(message.id, wait, read, (now) => !now || isSettled(now.status))) ?? message
  )
}
