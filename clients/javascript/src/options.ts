/** Options of the client. */
export interface PosthornOptions {
  /** The URL of the server, for example `https://posthorn.example.org`; it may have a path. */
  readonly baseUrl: string
  /** An API key (`phk_…`), or the token of the operator. */
  readonly key?: string | undefined
  /** The number of times that a call is repeated if it failed and repeating it is safe; 2 by default. */
  readonly maxRetries?: number | undefined
  /** Milliseconds until an attempt is given up; 30,000 by default, and 300,000 for an upload. `waitSeconds` come on top. */
  readonly attemptTimeoutMs?: number | undefined
  /** Milliseconds until a call is given up, with all its attempts and the pauses between them; without a limit by default. */
  readonly callTimeoutMs?: number | undefined
  /** The function that sends requests, instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** Allows a key with the role `admin`, or the token of the operator, in a browser, where each visitor of the page can read it. */
  readonly allowAdminKeyInBrowser?: boolean | undefined
}

/** Options of a single call. */
export interface CallOptions {
  /** Gives the call up. Its reason is what the call throws. */
  readonly signal?: AbortSignal | undefined
  readonly maxRetries?: number | undefined
  readonly attemptTimeoutMs?: number | undefined
  readonly callTimeoutMs?: number | undefined
}

/** Options of an operation that can wait for what it began. */
export interface WaitOptions extends CallOptions {
  /** Seconds for which the server may hold the response until the operation has had its effect. */
  readonly waitSeconds?: number | undefined
}

/** Options of an operation that takes an idempotency key. */
export interface SendOptions extends WaitOptions {
  /**
   * The key by which the server recognizes a repetition. The client makes one for each call. Give your own, such as the number of
   * an order, to be safe from doubling across restarts of your program, too.
   */
  readonly idempotencyKey?: string | undefined
}
