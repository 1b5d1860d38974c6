import type { Handler } from '../contract/handler.ts'
import type { CallbackIntake } from '../instances/callbacks/callback-intake.ts'
import type { FileIntake } from '../media/file-quota.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'
import type { AccessControl } from './access/access-control.ts'
import type { LinkPageLimit } from './access/link-page-limit.ts'
import type { RateLimit } from './access/rate-limit.ts'
import type { BrowserSessions } from './access/sessions/browser-sessions.ts'
import type { WaitingLimit } from './access/waiting-limit.ts'
import type { AuditTrail } from './audit-trail.ts'
import type { BodyWatch } from './body/body-watch.ts'
import type { Connections } from './connections/connections.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { PathHints } from './paths/path-hints.ts'
import type { ResponseLog } from './responses/response-log.ts'
import type { ResponseMemory } from './responses/response-memory.ts'

/** Time limits of callers, in milliseconds. */
export interface TimeLimits {
  /** From the opening of a connection, or the first byte of a request, to the end of its headers. */
  readonly headers: number
  /** To the end of the body, unless that is a form with a file. */
  readonly request: number
  /** To the end of any body. */
  readonly upload: number
  /** Over how long the pace of an upload is measured. */
  readonly pace: number
  /** From a response to the end of the body that it did not wait for. */
  readonly rest: number
  /** Between two requests. */
  readonly idle: number
  /** Between two checks of these limits. */
  readonly check: number
  /** From the last response on a connection to its end, for a caller who goes on sending. */
  readonly linger: number
  /** Between the beginning of a stop and the end of the connections on which nothing is asked. */
  readonly parting: number
  /** From the beginning of a stop to the end of the last request. */
  readonly stop: number
}

export const timeLimits: TimeLimits = {
  headers: 10_000,
  request: 30_000,
  upload: 60 * 60_000,
  pace: 30_000,
  rest: 5_000,
  idle: 65_000,
  check: 2_000,
  linger: 10_000,
  parting: 300,
  stop: 10_000,
}

/** The parts of the HTTP server; each of its routes takes those that it uses. */
export interface ServerContext {
  readonly handlers: readonly Handler[]
  readonly callbackIntake: CallbackIntake
  /** Of the callbacks of each instance. */
  readonly callbackLimit: RateLimit | undefined
  /** Records changes in the audit log; without it, none are recorded. */
  readonly auditTrail?: AuditTrail
  readonly accessControl: AccessControl
  readonly browserSessions: BrowserSessions
  /** Recognises requests for idempotency, without keeping them. */
  readonly fingerprint: (text: string) => string
  readonly connections: Connections
  /** Of the requests of each key. */
  readonly rateLimit: RateLimit | undefined
  /** Of the requests of each link page. */
  readonly linkPageLimit: LinkPageLimit
  /** Of what callers ask for and do not read. */
  readonly responseMemory: ResponseMemory
  readonly waitingLimit: WaitingLimit | undefined
  /** Of the lines that the log has about the responses to one party. */
  readonly logLimit: RateLimit | undefined
  readonly metrics: Metrics
  readonly clock: Clock
  readonly alarms: Alarms
  readonly log: Log
  /** Receives uploaded files. */
  readonly intake: Pick<FileIntake, 'reserve'>
  /** Aborts when the server begins to stop. */
  readonly stopping: AbortSignal
  /** Bytes in a second that an upload must come with. */
  readonly uploadRate: number
  /** Of this build, as the console shows it. */
  readonly version: string
  readonly times?: TimeLimits
  /** Of all operations. */
  readonly hints: PathHints
  readonly watch: BodyWatch
  readonly responseLog: ResponseLog
}
