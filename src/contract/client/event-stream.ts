/** One event as it came over the wire: `data` still as text, its lines joined by line feeds. */
export interface WireEvent {
  readonly event: string
  readonly data: string
  readonly id: string
}

/**
 * Reads server-sent events as the HTML standard defines them: comments are skipped, lines may end in LF, CR or CRLF, and
 * chunks may be cut anywhere. An event that the end of the stream cuts off is not reported, as its data may be incomplete.
 */
export async function* readEventStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<WireEvent> {
  const event = new PendingEvent()
  for await (const line of linesOf(chunks)) {
    if (line === '') {
      const finished = event.finish()
      if (finished) yield finished
    } else {
      event.take(line)
    }
  }
}

/** The lines of a stream of UTF-8, without their ends. What follows the last end of a line is not a line yet. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let endedInCarriageReturn = false
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true })
    if (text === '') continue
    // A CRLF may be cut in two; its line was already ended by the carriage return.
    if (endedInCarriageReturn && text.startsWith('\n')) text = text.slice(1)
    endedInCarriageReturn = text === '' ? false : text.endsWith('\r')
    const lines = (rest + text).split(/\r\n|\n|\r/)
    rest = lines.pop() ?? ''
    yield* lines
  }
}

class PendingEvent {
  #event = ''
  #data: string[] = []
  #id = ''

  take(line: string): void {
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') this.#event = value
    if (field === 'data') this.#data.push(value)
    if (field === 'id' && !value.includes('\0')) this.#id = value
  }

  /** Returns the event, and starts the next one. Without data there is none; the id stays, as the standard says. */
  finish(): WireEvent | undefined {
    const finished = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id }
    const isEmpty = this.#data.length === 0
    this.#event = ''
    this.#data = []
    return isEmpty ? undefined : finished
  }
}
