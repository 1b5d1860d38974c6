/**
 * What a network can do, as data: `GET /v1/networks` and the reference show it, and the laws of the conformance suite follow
 * from it.
 */
export interface Abilities {
  /**
   * `ours`: a message goes by our id from before its first attempt. `assigned`: the network gives it an id when it accepts it,
   * and the outcome or a later observation names that id.
   */
  readonly message_ids: 'ours' | 'assigned'
  /** The receipts that recipients may give. */
  readonly receipts: readonly ('delivered' | 'read')[]
  /** Whom the account can write to: anyone, or only those who wrote to it before. */
  readonly recipients: 'anyone' | 'those_who_wrote'
  /** How long after the last incoming message of a conversation it may be answered freely, in seconds; null for ever. */
  readonly reply_window_seconds: number | null
  /** True if the account can tell a sender that it read a message. */
  readonly marks_read: boolean
  /** True if messages can be made from templates that the network approved. */
  readonly templates: boolean
  /** True if the network shows what the account sends from other clients. */
  readonly sent_elsewhere: boolean
  /** True if the network posts what happens to a URL of this server. */
  readonly callbacks: boolean
  /** What `connected` proves, as one sentence in Markdown. */
  readonly connected_means: string
}
