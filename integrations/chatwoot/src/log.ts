/** Writes a line of the log. It names messages by their ids, and never says what is in them or whose they are. */
export type Log = (line: string) => void

/** Returns a log that writes to standard output. Lines are lost if that cannot be written. */
export function logTo(stream: NodeJS.WritableStream): Log {
  stream.on('error', () => undefined)
  return (line) => {
    stream.write(`${new Date().toISOString()} ${line.replaceAll(/[\n\r]+/g, ' ')}\n`)
  }
}

/** Returns what went wrong, in at most 300 characters. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300)
}
