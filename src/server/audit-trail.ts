import type { FastifyRequest } from 'fastify'
import type { Caller } from '../contract/handler.ts'
import { type Operation, reachOf } from '../contract/operation.ts'
import type { Problem } from '../contract/problem.ts'
import type { AuditNote } from '../contract/resources/audit.ts'
import { noteRefusal } from '../organizations/audit-log.ts'
import type { Clock } from '../runtime/clock.ts'
import { newId } from '../runtime/ids.ts'
import type { StoreForAll } from '../store/store.ts'

/** A note about a call, and whether the operation has taken it for the transaction that carries it out. */
export interface PendingAuditEntry {
  readonly note: AuditNote
  taken: boolean
}

/** Milliseconds between two notes of the same refusal of one key, and refusals that are remembered. */
const refusalsEvery = 60_000
const rememberedAtMost = 10_000
/** The statuses that show that a key tried something forbidden; a request that is merely malformed, too much or too late does not count. */
const notedRefusals = new Set([403, 404, 409, 410])

/** Makes the notes of what keys do by operations that change something, and keeps those of what they were refused. */
export class AuditTrail {
  readonly #store: StoreForAll
  readonly #clock: Clock
  readonly #refused = new Map<string, number>()

  constructor(store: StoreForAll, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Returns the note of a call of an audited operation. If the operator calls, the operation itself knows the organization
   * that the call is about.
   */
  begin(
    operation: Operation,
    caller: Caller | 'operator',
    { id, params }: Pick<FastifyRequest, 'id' | 'params'>,
    address: string | undefined,
  ): PendingAuditEntry {
    const named = Object.values((params ?? {}) as Record<string, string>)
    const isOperator = caller === 'operator'
    const linkPage = isOperator ? undefined : caller.linkPage
    const instance = linkPage?.instanceName ?? (reachOf(operation) === 'path' ? named[0] : undefined)
    const note: AuditNote = {
      id: newId('aud'),
      organizationId: isOperator ? '' : caller.organizationId,
      key: isOperator ? null : { id: caller.keyId, hint: caller.keyHint },
      action: operation.auditedAs ?? operation.id,
      target: nameable(linkPage?.id ?? named.at(-1)),
      instance: nameable(instance),
      address: address ?? null,
      requestId: id,
      at: this.#clock.now(),
    }
    return { note, taken: false }
  }

  /** Notes a refusal of a key, the same one once a minute. The response does not wait for it. */
  refused({ note }: PendingAuditEntry, { code, status }: Problem): void {
    if (note.key === null || !notedRefusals.has(status)) return
    const what = `${note.key.id} ${note.action} ${code}`
    const last = this.#refused.get(what)
    if (last !== undefined && this.#clock.monotonic() - last < refusalsEvery) return
    if (this.#refused.size >= rememberedAtMost) this.#refused.clear()
    this.#refused.set(what, this.#clock.monotonic())
    const turn = { party: note.organizationId }
    this.#store.transact(noteRefusal, { note, result: code }, turn).catch(() => undefined)
  }
}

/**
 * Returns a name or an id as the contract has them, or else null: a key put into a path by mistake is neither, and is not
 * stored.
 */
function nameable(text: string | undefined): string | null {
  return text !== undefined && /^(?!ph[a-z]_)[a-z0-9][a-z0-9_-]{0,62}$/.test(text) ? text : null
}
