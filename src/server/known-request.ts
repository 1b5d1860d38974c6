import type { FastifyRequest } from 'fastify'
import type { Caller } from '../contract/handler.ts'
import type { Operation } from '../contract/operation.ts'
import type { PendingAuditEntry } from './audit-trail.ts'

/** What was found out about a request: when it began, what for, who calls, and whether the response lasts as long as the caller. */
export interface Known {
  readonly startedAt: number
  operation: Operation | undefined
  caller: Caller | undefined
  /** What the audit log notes of it. */
  auditEntry: PendingAuditEntry | undefined
  isStream: boolean
  /** The operator sent it, or a network, and proved it. */
  isVerified: boolean
}

/** What the server knows about a request. */
export const known = Symbol('known')
export type KnownRequest = FastifyRequest & { [known]: Known }
