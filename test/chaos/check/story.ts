import type { MessageStatus } from '../../../src/contract/statuses.ts'

/** All that was recorded while nodes suffered faults, by those who saw it. The checker knows nothing else. */
export interface Story {
  /** The texts of which clients were told that they were accepted. */
  readonly acknowledged: readonly Acknowledgement[]
  /** The texts that far ends saw; those of one instance in the order of their arrival. */
  readonly arrived: readonly Arrival[]
  /** The messages as the nodes showed them in the end. */
  readonly fates: readonly Fate[]
  /** The events that the receiver of a webhook got, in the order in which they came. */
  readonly delivered: readonly DeliveredEvent[]
  readonly faults: readonly SufferedFault[]
  /** The processes that ended. */
  readonly ends: readonly ProcessEnd[]
  /** Sessions of networks that were broken, and other things of which far ends complain. */
  readonly complaints: readonly string[]
  /** The instances whose networks do not recognize repetitions. */
  readonly forgetful: ReadonlySet<string>
}

export interface Acknowledgement {
  readonly text: string
  /** The id of the message. */
  readonly id: string
  /** Null if the network assigns ids. */
  readonly networkMessageId: string | null
  readonly instance: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface Arrival {
  readonly id: string
  readonly text: string
  readonly instance?: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Missing if the far end does not see it. */
  readonly epoch?: number
}

export interface Fate {
  /** The id of the message. */
  readonly id: string
  readonly instance: string
  readonly status: MessageStatus
  readonly networkMessageId: string | null
  /** When its attempts began and ended, of those whose status is `unknown`. */
  readonly attempts: readonly Span[]
}

export const isSent = ({ status }: Fate): boolean => ['sent', 'delivered', 'read'].includes(status)

/** Milliseconds since the epoch. */
export interface Span {
  readonly from: number
  readonly until: number
}

export interface DeliveredEvent {
  readonly id: string
  readonly sequence: number
  readonly type: string
  /** The name of its instance, if it is about one. */
  readonly instance?: string
  /** The id of its message, if it is about one. */
  readonly message?: string
  /** The code of the reason for which the status of its instance changed. */
  readonly reason?: string
  /** The event as it came. */
  readonly body: string
  /** True if the receiver said that it had taken it. */
  readonly accepted: boolean
}

export interface SufferedFault extends Span {
  readonly kind: string
  /** The name of the node; undefined if all nodes suffered it. */
  readonly node?: string
  /** The instances that lived on the node when it began. */
  readonly hit?: readonly string[]
}

export interface ProcessEnd {
  readonly node: string
  /** Milliseconds since the epoch. */
  readonly at: number
}
