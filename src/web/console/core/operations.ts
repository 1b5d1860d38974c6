import type { BodyOf, ParamsOf, QueryOf, ResponseOf } from '../../../contract/operation.ts'
import type { contractOperations } from '../../../contract/operations.ts'

/** Every operation of the contract, as a type: the console calls nothing else. */
type AnyOperation = (typeof contractOperations)[number]

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
export type Answer<Id extends OperationId> = ResponseOf<OperationOf<Id>>['body']

/** A network, as the server describes it. */
export type Network = Answer<'listNetworks'>['data'][number]

/** The server's description of the operations and events of its contract, in the page itself. */
interface ContractData {
  readonly operations: Readonly<Record<string, { readonly method: string; readonly path: string }>>
  readonly eventTypes: readonly string[]
  readonly version: string
}

/** Made by the server from the contract, so that no method and no path is written down twice. */
export const contract: ContractData = JSON.parse(document.getElementById('contract')?.textContent ?? '{}')
