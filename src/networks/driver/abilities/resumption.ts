/**
 * State that a dropped connection passes to the connection that follows it, in the same process, so that the network can say
 * which messages it had received (XMPP: XEP-0198 resumption). Opaque to everyone but its driver.
 */
export interface Resumption {
  /** No connection will follow: every send that still waits for its answer becomes uncertain. Idempotent. */
  abandon(): void
}
