import type { FastifyRequest } from 'fastify'
import type { Caller } from '../contract/handler.ts'
import type { Operation } from '../contract/operation.ts'
import type { PendingAuditEntry } from './audit-trail.ts'

/**
 * Facts about a request: its beginning, its operation, its caller, and `isStream` if the response lasts as long as the
 * caller.
 */
export interface Known {
  readonly startedAt: number
  operation: Operation | undefined
  caller: Caller | undefined
  /** Its note for the audit log. */
  auditEntry: PendingAuditEntry | undefined
  isStream: boolean
  /** The operator sent it, or a network, and proved it. */
  isVerified: boolean
}

/** Key of the facts that the server knows about a request. */
export const knownFacts = Symbol('known')
export type KnownRequest = FastifyRequest & { [knownFacts]: Known }
