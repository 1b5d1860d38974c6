import type { Rate } from './setting-values.ts'

/** A bound that is the same for every operator. */
interface Bound<T> {
  readonly value: T
  /** The value as docs/configuration.md shows it. */
  readonly shown: string
  readonly meaning: string
}

function bound<T>(value: T, shown: string, meaning: string): Bound<T> {
  return { value, shown, meaning }
}

const rate = (count: number, seconds: number): Rate => ({ count, seconds })
const megabyte = 1024 * 1024

/** The bounds that no setting changes. docs/configuration.md lists them. */
export const bounds = {
  idempotencyHours: bound(72, '72 hours', 'How long an Idempotency-Key is remembered.'),
  statisticsDays: bound(400, '400 days', 'How long the counts in statistics are kept.'),
  statisticsMinuteHours: bound(3, '3 hours', 'How long the counts of single minutes are kept.'),
  auditEntries: bound(
    1_000_000,
    '1,000,000',
    'Audit entries kept for each organization. The oldest are removed first.',
  ),
  logLines: bound(
    rate(600, 60),
    '600 a minute',
    'Log lines about requests for each organization, and for all callers without a key together. Further lines are only counted.',
  ),
  answerBytes: bound(
    16 * megabyte,
    '16 MB',
    'Memory for responses that the callers of one organization have requested but not read yet. Beyond it, its requests wait until some are read, and are refused after twenty seconds. Responses about one thing have an eighth as much beside it. All callers without a key together have as much, and each address a quarter of it.',
  ),
  uploadRate: bound(
    8_192,
    '8 KB a second',
    'The slowest upload that is accepted, averaged over 30 seconds. Slower uploads are aborted.',
  ),
  fetchRate: bound(
    16_384,
    '16 KB a second',
    'The slowest transfer that is accepted when a file is fetched, averaged over ten seconds.',
  ),
  receivedFetchSeconds: bound(
    30,
    '30 seconds',
    'Timeout for fetching a received file, plus the time that its bytes need at the slowest transfer, up to ten minutes in total. After a timeout, the fetch is retried for an hour. Fetching a file that a caller gave by URL has 60 seconds instead.',
  ),
  voiceNoteSeconds: bound(900, '15 minutes', 'Maximum length of audio that is converted to a voice note.'),
  webhookConcurrency: bound(
    64,
    '64',
    'Concurrent delivery attempts for one webhook, once its receiver has accepted many in a row; an eighth of this if events are sent in batches.',
  ),
  webhookLagMinutes: bound(
    5,
    '5 minutes',
    'How long an event may wait for its webhook before the webhook counts as lagging and the organization is notified.',
  ),
  organizationStanzas: bound(
    rate(25_000, 5),
    '5,000 a second',
    'Stanzas that are read from all connections of one organization together, averaged over five seconds. Beyond it, its connections share the rate fairly, and the rest waits at the networks.',
  ),
  organizationBytes: bound(
    rate(50_000_000, 5),
    '10 MB a second',
    'Bytes that all connections of one organization may carry together, in both directions, averaged over five seconds; limited in the same way.',
  ),
} as const satisfies Record<string, Bound<unknown>>
