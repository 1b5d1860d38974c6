import { type IncomingMessage, ServerResponse } from 'node:http'

/**
 * An answer that leaves it to `onLast` to close its connection when it is the last one. By itself, Node closes both sides as soon
 * as such an answer has ended, and so resets a caller who still sends. Emits `answered` when it is written, or nobody is left to
 * write it to; `close` comes with the end of the connection when that lasts longer.
 */
export class Answer extends ServerResponse {
  /** Takes over when the last answer of a connection is whole. The answer itself never ends then. */
  onLast: ((answer: Answer) => void) | undefined
  #isLast = false
  #isWhole = false
  #isAnswered = false

  override writeHead(status: number, reason?: unknown, fields?: unknown): this {
    super.writeHead(status, reason as string, fields as Record<string, string>)
    const given = (fields ?? reason) as Readonly<Record<string, unknown>> | undefined
    const header = (name: string) => given?.[name] ?? this.getHeader(name)
    const isLast = header('connection') === 'close' || (!this.req.complete && endsAfterwards(this.req))
    // Callers could not tell the end of any other answer from a connection that broke.
    const hasEnd = header('content-length') !== undefined || status === 204 || status === 304
    this.#isLast = isLast && hasEnd
    return this
  }

  override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
    if (!this.#isLast || !this.onLast) return super.end(chunk, encoding as BufferEncoding, done as () => void)
    if (this.#isWhole) return this
    this.#isWhole = true
    this.flushHeaders()
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.write(chunk)
    this.onLast(this)
    return this
  }

  /** Says that it is written, or never will be. */
  answered(): void {
    if (this.#isAnswered) return
    this.#isAnswered = true
    this.emit('answered')
  }
}

/** Whether the caller sends nothing more on the connection after this request (RFC 9112, section 9.3). */
function endsAfterwards({ httpVersion, headers }: IncomingMessage): boolean {
  const options = headers.connection ?? ''
  return httpVersion === '1.0' ? !/\bkeep-alive\b/i.test(options) : /\bclose\b/i.test(options)
}
