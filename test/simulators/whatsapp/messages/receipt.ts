import type { Account } from '../accounts/account.ts'
import type { Node } from '../wire/node.ts'
import type { Sender } from './envelope.ts'
import type { Group } from './group.ts'

/** A receipt on its way from one device to those for whom it is. */
export interface Receipt {
  readonly from: Sender
  /** The author of the message. */
  readonly to: Account
  /** The one device that it is for; all of the account without it. */
  readonly device?: number
  readonly ids: readonly string[]
  /** Nothing stands for delivered. */
  readonly type?: string
  readonly server: string
  readonly group?: Group
  /** The other party of the message, if the receiver is of the same account. */
  readonly recipient?: string
  readonly content?: readonly Node[]
}
