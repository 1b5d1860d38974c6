/** Settings of earlier versions, and what replaced each of them: a sentence that completes "NAME was removed: …". */
export const removedSettings: Readonly<Record<string, string>> = {
  POSTHORN_ANSWER_MEMORY_MB: 'the callers of one organization may leave 16 MB of answers unread',
  POSTHORN_AUDIT_LIMIT:
    'use POSTHORN_AUDIT_RETENTION_DAYS; at most 1,000,000 audit entries are kept for each organization',
  POSTHORN_FETCH_SLOWEST: 'a server must send a file with at least 16 KB a second',
  POSTHORN_IDEMPOTENCY_HOURS: 'an Idempotency-Key is remembered for 72 hours',
  POSTHORN_LOG_RATE:
    'use POSTHORN_LOG_LEVEL; each organization has at most 600 log lines about requests a minute',
  POSTHORN_ORGANIZATION_BYTE_RATE: 'the connections of one organization may carry 10 MB a second',
  POSTHORN_ORGANIZATION_STANZA_RATE: 'the connections of one organization may receive 5,000 stanzas a second',
  POSTHORN_RECEIVED_FETCH_SECONDS:
    'fetching a received file has a timeout of 30 seconds, and is retried for an hour',
  POSTHORN_STATISTICS_RETENTION_DAYS: 'the counts in statistics are kept for 400 days',
  POSTHORN_UPLOAD_RATE: 'an upload must come with at least 8 KB a second',
  POSTHORN_VOICE_NOTE_SECONDS: 'audio of up to 15 minutes is converted to a voice note',
  POSTHORN_WEBHOOK_CONCURRENCY: 'a webhook has up to 64 delivery attempts at once',
  POSTHORN_WEBHOOK_LAG_MINUTES: 'a webhook lags when an event has waited for it for 5 minutes',
}
