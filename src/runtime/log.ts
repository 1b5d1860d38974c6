import { writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'

/** A structured log: the message is a constant sentence, what varies stands in fields. */
export type Log = Logger

/**
 * Field names whose values never reach a log, wherever they stand in the first four levels. Redaction is the second
 * wall: the first is that nobody passes a secret to a log.
 */
const secretFields = [
  'authorization',
  'password',
  'secret',
  'token',
  'key',
  'credentials',
  'text',
  'caption',
  'link',
  'master_key',
]

const levels = ['', '*.', '*.*.', '*.*.*.']

/**
 * Standard output as a log may use it: a line that cannot be written is dropped and counted, and nothing waits for it. A full
 * disk or a closed terminal behind it must not stop the server, nor keep it from ending.
 */
export class StandardOutput implements DestinationStream {
  readonly #descriptor: number
  #lost = 0

  constructor(descriptor = 1) {
    this.#descriptor = descriptor
  }

  write(line: string): void {
    try {
      if (this.#lost > 0)
        writeSync(
          this.#descriptor,
          `${JSON.stringify({ level: 'warn', lost: this.#lost, msg: 'log lines were lost' })}\n`,
        )
      this.#lost = 0
      writeSync(this.#descriptor, line)
    } catch {
      this.#lost++
    }
  }
}

/** Opens the log. `level` is one of pino's; `destination` defaults to standard output. */
export function openLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: levels.flatMap((level) => secretFields.map((field) => `${level}${field}`)),
      censor: '[redacted]',
    },
  }
  return pino(options, destination ?? new StandardOutput())
}

/** A log that says nothing, for tools and tests. */
export const silentLog: Log = pino({ level: 'silent' })
