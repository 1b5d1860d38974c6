import type { Outcome } from '../outcome.ts'

/** Tells the sender of a received message that it was read. */
export type MarkRead = (message: ReceivedName) => Promise<ReadOutcome>

/** A received message as its network knows it. */
export interface ReceivedName {
  readonly network_message_id: string
  /** The id that its sender gave it, if that is another. */
  readonly sender_message_id: string | null
  readonly conversation: string
  readonly from: string
}

/** Outcome of telling the network that a message was read; `accepted` if it knows that now. */
export type ReadOutcome = Extract<Outcome, { kind: 'accepted' | 'rejected' | 'uncertain' }>
