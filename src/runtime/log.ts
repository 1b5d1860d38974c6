import { writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'

/** A structured log: the message is a constant sentence, and variable parts are fields. */
export type Log = Logger

/**
 * Field names whose values never reach the log, at any depth. Redaction is the second line of defence: the first is that no code
 * passes a secret to the log.
 */
const secretFields = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'secret',
  'token',
  'key',
  'credentials',
  'text',
  'caption',
  'link',
  'master_key',
])
const secretField = new RegExp(`"(?:${[...secretFields].join('|')})":`)

/**
 * Standard output as a log may use it: a line that cannot be written is dropped and counted, and nothing waits for it. A full
 * disk, a closed terminal or a reader who has fallen behind must not stop the server, nor keep it from ending. The next line
 * that can be written says how many are missing; one that was written in part is finished before any other.
 */
export class StandardOutput implements DestinationStream {
  readonly #descriptor: number
  #unfinished: Uint8Array = Buffer.alloc(0)
  #lost = 0

  /** A pipe refuses what it cannot take, rather than make us wait, once Node was asked for `process.stdout`. */
  constructor(descriptor: number = process.stdout.fd) {
    this.#descriptor = descriptor
  }

  write(line: string): void {
    const text = this.#lost > 0 ? lostLines(this.#lost) + line : line
    if (this.#finish() && this.#begin(Buffer.from(text))) this.#lost = 0
    else this.#lost++
  }

  /** True if no partly written line is left. */
  #finish(): boolean {
    if (this.#unfinished.length > 0) this.#begin(this.#unfinished)
    return this.#unfinished.length === 0
  }

  /** False if not a single byte was written. */
  #begin(bytes: Uint8Array): boolean {
    try {
      this.#unfinished = bytes.subarray(writeSync(this.#descriptor, bytes))
      return true
    } catch {
      return false
    }
  }
}

/** A line such as the log itself writes. */
function lostLines(lost: number): string {
  return `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), lost, msg: 'log lines were lost' })}\n`
}

/** Opens the log. `level` is one of pino's; `destination` defaults to standard output. */
export function openLog(level: string, destination: DestinationStream = new StandardOutput()): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return pino(options, { write: (line) => destination.write(withoutSecrets(line)) })
}

/**
 * Redacts secrets in the finished line: pino's own redaction makes 70 KB of garbage for every line, even without a secret.
 */
function withoutSecrets(line: string): string {
  if (!secretField.test(line)) return line
  const safe = JSON.parse(line, (name, value) => (secretFields.has(name) ? '[redacted]' : value))
  return `${JSON.stringify(safe)}\n`
}

/** A log that says nothing, for tools and tests. */
export const silentLog: Log = pino({ level: 'silent' })
