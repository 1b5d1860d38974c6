/** An event as it came over the wire, or a position: that has an id and no data. */
export interface WireEvent {
  readonly event: string
  readonly data: string
  readonly id: string
}

/**
 * Reads an event stream (HTML standard, server-sent events). Chunks may be cut anywhere, and `onSign` hears of each. The last
 * event is left out if the stream breaks off in it.
 */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  onSign: () => void,
): AsyncGenerator<WireEvent, void> {
  const decoder = new TextDecoder()
  let rest = ''
  let lines: string[] = []
  for await (const chunk of chunks) {
    onSign()
    rest += decoder.decode(chunk, { stream: true })
    // A carriage return at the end may be half of a line end: it waits for the next chunk.
    const complete = rest.split(/\r\n|\n|\r(?!$)/)
    rest = complete.pop() ?? ''
    for (const line of complete) {
      if (line !== '') lines.push(line)
      else {
        if (lines.length > 0) yield eventOf(lines)
        lines = []
      }
    }
  }
}

function eventOf(lines: readonly string[]): WireEvent {
  const fields = lines.map((line) => {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    return { name, value }
  })
  const last = (wanted: string) => fields.findLast(({ name }) => name === wanted)?.value ?? ''
  const data = fields.filter(({ name }) => name === 'data').map(({ value }) => value)
  return { event: last('event'), data: data.join('\n'), id: last('id') }
}
