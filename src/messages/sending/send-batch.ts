import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Call, Caller } from '../../contract/handler.ts'
import type { Operation } from '../../contract/operation.ts'
import { sees } from '../../contract/operation.ts'
import { Problem } from '../../contract/problem.ts'
import type { BatchResult } from '../../contract/problem-body.ts'
import type { Message } from '../../contract/resources/message.ts'
import { FileQuotaExceeded } from '../../media/file-quota.ts'
import { idempotencyMismatch, idempotencyScope } from '../../organizations/idempotency.ts'
import { QueueFull } from '../../runtime/limits/fair-semaphore.ts'
import { CallerGone } from '../../store/store.ts'
import { renderNewMessage } from '../message.ts'
import { acceptBatch, type JudgedBatch, type RefusedEntry } from '../outbox/accept/accept-batch.ts'
import type { MessageToAccept, Refused } from '../outbox/accept/capacity.ts'
import type { MessageOperationsContext } from './context.ts'
import {
  composeMessage,
  noticeRefusal,
  problemOfRefusal,
  type SendingBody,
  type SendingOperation,
} from './send-message.ts'

/*
 * Several messages in one request: each is checked as if it came alone, and all that can be accepted are, in one commit.
 */

/** Batches that are handled at the same time, and that wait for that. Each may have half a megabyte in memory. */
export const batchLimits = { limit: 4, limitPerParty: 2, queuePerParty: 30, queue: 100 }

/** Entries that are checked before the requests of others have their turn. */
const checkedAtOnce = 20

/** An entry that is right so far: its fields, and the content that they ask to send. */
export interface ReadEntry {
  readonly body: SendingBody
  readonly sending: SendingOperation<SendingBody>
}

/** Reads an entry; throws the problem of one that does not fit. */
export type ReadBatchEntry = (entry: unknown, caller: Caller) => Promise<ReadEntry>

export type BatchCall = Pick<Call<Operation>, 'caller' | 'idempotency' | 'turn' | 'trace' | 'signal'>

/** Answers a request to send several messages, in the turn of its organization. */
export async function sendBatch(
  context: MessageOperationsContext,
  operation: Operation,
  call: BatchCall,
  { entries, read }: { readonly entries: readonly unknown[]; readonly read: ReadBatchEntry },
) {
  const { organizationId } = call.caller as Caller
  const work = () => new Batch(context, operation, call as WholeCall, read).send(entries)
  try {
    return await context.batches.run(organizationId, work, call.signal)
  } catch (error) {
    if (error instanceof QueueFull) throw new Problem('too_many_batches', { headers: { 'retry-after': '1' } })
    if (call.signal.aborted && error === call.signal.reason) throw new CallerGone()
    throw error
  }
}

type WholeCall = BatchCall & { readonly caller: Caller }

/** A message that may be accepted, and the answer that it gets then. */
interface Composed extends MessageToAccept {
  readonly body: Message
}

class Batch {
  readonly #context: MessageOperationsContext
  readonly #operation: Operation
  readonly #call: WholeCall
  readonly #read: ReadBatchEntry

  constructor(
    context: MessageOperationsContext,
    operation: Operation,
    call: WholeCall,
    read: ReadBatchEntry,
  ) {
    this.#context = context
    this.#operation = operation
    this.#call = call
    this.#read = read
  }

  async send(entries: readonly unknown[]) {
    const begun = this.#context.clock.monotonic()
    let isFinal = false
    for (;;) {
      const composed = await this.#composeAll(entries)
      const result = await this.#accept(composed, isFinal)
      if (result.kind === 'mismatch') throw idempotencyMismatch()
      if (result.kind === 'replay') return answered(readAnswers(result.reply.body), true)
      if (result.kind === 'judged') return answered(this.#judged(composed, result.refused, begun), false)
      // Their names may mean other instances by now.
      for (const place of result.places) this.#forget(composed[place])
      isFinal = true
    }
  }

  /** The entries as messages, or the problems of those that cannot be; in parts, so that a long list delays no other request. */
  async #composeAll(entries: readonly unknown[]): Promise<(Composed | Problem)[]> {
    const composed: (Composed | Problem)[] = []
    while (composed.length < entries.length) {
      if (composed.length > 0) await nextTurn()
      const part = entries.slice(composed.length, composed.length + checkedAtOnce)
      composed.push(...(await Promise.all(part.map((entry) => this.#compose(entry)))))
    }
    return composed
  }

  async #compose(entry: unknown): Promise<Composed | Problem> {
    const { caller, turn, trace } = this.#call
    const { senders, queueLimit, quotas } = this.#context
    try {
      const { body, sending } = await this.#read(entry, caller)
      if (!sees(caller, body.instance)) throw new Problem('instance_not_found')
      const sender = await senders.find(caller.organizationId, body.instance)
      const call = { caller, turn, trace, body }
      const { message, file, target } = await composeMessage(this.#context, call, sender, sending)
      return {
        message,
        ...(file ? { file } : {}),
        ...(target === undefined ? {} : { target }),
        queueLimit,
        unsettledLimit: quotas.unsettled_messages,
        storedLimit: quotas.stored_bytes,
        body: renderNewMessage(message, file),
      }
    } catch (error) {
      if (error instanceof Problem) return error
      if (error instanceof FileQuotaExceeded) return new Problem('files_quota_exceeded')
      throw error
    }
  }

  async #accept(composed: readonly (Composed | Problem)[], isFinal: boolean): Promise<JudgedBatch> {
    const scope = idempotencyScope(this.#call, this.#operation)
    const messages = composed.flatMap((entry, place) => {
      if (entry instanceof Problem) return []
      const { body: _, ...message } = entry
      return { ...message, place }
    })
    if (messages.length === 0 && !scope) return { kind: 'judged', refused: [] }
    const now = this.#context.clock.now()
    const idempotency = scope
      ? { scope, now, answers: composed.map((entry) => JSON.stringify(answerOf(entry))) }
      : null
    const { store } = this.#context
    return store.transact(acceptBatch, { messages, idempotency, isFinal }, this.#call.turn).catch((error) => {
      // If only the store's answer was lost, the messages are stored, and nothing else would wake their instances.
      this.#wake(composed)
      throw error
    })
  }

  #judged(
    composed: readonly (Composed | Problem)[],
    refused: readonly (Refused & { readonly place: number })[],
    begun: number,
  ): BatchResult[] {
    const { clock, metrics } = this.#context
    const refusals = new Map(refused.map((refusal) => [refusal.place, refusal]))
    const kinds = new Map(refused.map((refusal) => [refusal.kind, refusal]))
    for (const refusal of kinds.values())
      noticeRefusal(this.#context, this.#call.caller.organizationId, refusal)
    const seconds = (clock.monotonic() - begun) / 1000
    const accepted = composed.filter((entry, place) => !(entry instanceof Problem) && !refusals.has(place))
    // The response is written first.
    setImmediate(() => {
      for (const _ of accepted) metrics.accepted(seconds)
      this.#wake(accepted)
    })
    return composed.map((entry, place) => {
      const refusal = refusals.get(place)
      return answerOf(refusal ? problemOfRefusal(refusal) : entry)
    })
  }

  #wake(composed: readonly (Composed | Problem)[]): void {
    const { supervisor, filesToFetch } = this.#context
    const messages = composed.flatMap((entry) => (entry instanceof Problem ? [] : entry))
    for (const instance of new Set(messages.map(({ message }) => message.instance_id)))
      supervisor.wake(instance)
    if (messages.some(({ file }) => file && file.fetch_at !== null)) filesToFetch.notify('outbound')
  }

  #forget(entry: Composed | Problem | undefined): void {
    if (!entry || entry instanceof Problem) return
    const { organization_id, instance_name } = entry.message
    this.#context.senders.forget(organization_id, instance_name)
  }
}

/** Answers that were stored for a repetition. */
function readAnswers(stored: string): BatchResult[] {
  const told = JSON.parse(stored) as readonly (BatchResult | RefusedEntry)[]
  return told.map((answer) => ('refused' in answer ? answerOf(problemOfRefusal(answer.refused)) : answer))
}

function answerOf(entry: Composed | Problem): BatchResult {
  if (!(entry instanceof Problem)) return { status: 202, message: entry.body }
  const { request_id: _, ...problem } = entry.body('')
  return { status: problem.status, problem }
}

function answered(data: BatchResult[], isRepeated: boolean) {
  const accepted = data.filter(({ status }) => status === 202).length
  const headers = isRepeated ? { 'idempotency-replayed': 'true' } : {}
  return { status: 200 as const, body: { accepted, refused: data.length - accepted, data }, headers }
}
