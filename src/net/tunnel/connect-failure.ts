/**
 * Why an agent got no connection: the address is not allowed (`address_refused`); the proxy or the server cannot be reached, or
 * hung up (`unreachable`); the proxy wants other credentials (`authentication`), or did not connect to the server
 * (`target_refused`); it all took too long (`timeout`); or the proxy answered in a way that cannot be used (`malformed`).
 */
export type ConnectFailureReason =
  | 'address_refused'
  | 'unreachable'
  | 'authentication'
  | 'target_refused'
  | 'timeout'
  | 'malformed'

/** An agent got no connection. The message has no host and no credentials, so whoever gave them may read it. */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure'
  readonly reason: ConnectFailureReason

  constructor(reason: ConnectFailureReason, sentence: string) {
    super(sentence)
    this.reason = reason
  }
}

/** The proxy ended the connection before it had answered. */
export function hungUp(): ConnectFailure {
  return new ConnectFailure('unreachable', 'the proxy closed the connection')
}

/** The answer of the proxy is not what its protocol says. */
export function malformed(): ConnectFailure {
  return new ConnectFailure('malformed', 'the proxy gave an answer that its protocol does not know')
}
