import { setting } from '../setting.ts'
import { orOff, parseCount, parseDays, parseRetentionDays } from '../setting-values.ts'

/** Times for which data is kept. */
export const retentionSettings = {
  POSTHORN_MESSAGE_RETENTION_DAYS: setting(
    '90',
    'How long messages are kept after their last event, in days; at least as long as events. Unsettled messages are always kept. `off` to keep all messages forever.',
    orOff(parseDays),
  ),
  POSTHORN_EVENT_RETENTION_DAYS: setting(
    '30',
    'How long events and the results of their deliveries are kept, in days (at least 7).',
    parseRetentionDays,
  ),
  POSTHORN_AUDIT_RETENTION_DAYS: setting(
    '365',
    'How long audit entries, which record the actions of keys and of the operator, are kept, in days.',
    parseCount,
  ),
  POSTHORN_MEDIA_RETENTION_HOURS: setting(
    '24',
    'How long a file is kept after it was received, or after the last message that uses it was settled, in hours. The file of a canceled or expired message is removed at once.',
    parseCount,
  ),
} as const
