import type { BodyOf, ParamsOf, QueryOf, ReplyOf } from '../../../contract/operation.ts'
import type { auditOperations } from '../../../contract/operations/audit-operations.ts'
import type { cancellationOperations } from '../../../contract/operations/cancellation-operations.ts'
import type { conversationOperations } from '../../../contract/operations/conversation-operations.ts'
import type { eventOperations } from '../../../contract/operations/event-operations.ts'
import type { instanceOperations } from '../../../contract/operations/instance-operations.ts'
import type { keyOperations } from '../../../contract/operations/key-operations.ts'
import type { linkOperations } from '../../../contract/operations/link-operations.ts'
import type { linkPageOperations } from '../../../contract/operations/link-page-operations.ts'
import type { messageHistoryOperations } from '../../../contract/operations/message-history-operations.ts'
import type { messageOperations } from '../../../contract/operations/message-operations.ts'
import type { networkOperations } from '../../../contract/operations/network-operations.ts'
import type { organizationOperations } from '../../../contract/operations/organization-operations.ts'
import type { quotaOperations } from '../../../contract/operations/quota-operations.ts'
import type { serviceOperations } from '../../../contract/operations/service-operations.ts'
import type { statisticsOperations } from '../../../contract/operations/statistics-operations.ts'
import type { templateOperations } from '../../../contract/operations/template-operations.ts'
import type { webhookOperations } from '../../../contract/operations/webhook-operations.ts'

/** Every operation of the contract, as a type: the console calls nothing else. */
type AnyOperation =
  | (typeof auditOperations)[number]
  | (typeof cancellationOperations)[number]
  | (typeof conversationOperations)[number]
  | (typeof eventOperations)[number]
  | (typeof instanceOperations)[number]
  | (typeof keyOperations)[number]
  | (typeof linkPageOperations)[number]
  | (typeof organizationOperations)[number]
  | (typeof linkOperations)[number]
  | (typeof messageHistoryOperations)[number]
  | (typeof messageOperations)[number]
  | (typeof networkOperations)[number]
  | (typeof quotaOperations)[number]
  | (typeof serviceOperations)[number]
  | (typeof statisticsOperations)[number]
  | (typeof templateOperations)[number]
  | (typeof webhookOperations)[number]

export type OperationId = AnyOperation['id']
export type OperationOf<Id extends OperationId> = Extract<AnyOperation, { readonly id: Id }>

/** Parameters, headers and body of a call. A form goes as multipart. */
export interface Request<Id extends OperationId> {
  readonly params?: ParamsOf<OperationOf<Id>>
  readonly query?: QueryOf<OperationOf<Id>>
  readonly body?: BodyOf<OperationOf<Id>> | FormData
  readonly headers?: Readonly<Record<string, string>>
}

/** The body of the response in JSON; undefined if there is none. */
export type Answer<Id extends OperationId> = ReplyOf<OperationOf<Id>>['body']

/** The server's description of the operations and events of its contract, in the page itself. */
interface ContractData {
  readonly operations: Readonly<Record<string, { readonly method: string; readonly path: string }>>
  readonly eventTypes: readonly string[]
  readonly version: string
}

/** Made by the server from the contract, so that no method and no path is written down twice. */
export const contract: ContractData = JSON.parse(document.getElementById('contract')?.textContent ?? '{}')
