/** A bot showed in a chat that it writes; people see it for five seconds (core.telegram.org/bots/api#sendchataction). */
export interface Typing {
  readonly bot: number
  readonly chat: number
  readonly thread?: number
  /** Milliseconds since 1970. */
  readonly at: number
}
