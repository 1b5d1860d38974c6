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
  return destination ? pino(options, destination) : pino(options)
}

/** A log that says nothing, for tools and tests. */
export const silentLog: Log = pino({ level: 'silent' })
