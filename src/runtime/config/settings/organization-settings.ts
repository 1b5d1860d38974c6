import { setting } from '../setting.ts'
import { orOff, parseCount, parseRate, parseSize } from '../setting-values.ts'

/** Limits of what an organization may use. */
export const organizationSettings = {
  POSTHORN_RATE_LIMIT: setting(
    '6000/60',
    'Requests that one API key may make, as `COUNT/SECONDS`. The whole count may be used in one burst. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_INSTANCE_LIMIT: setting(
    '1000',
    'Instances that one organization may have. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_QUEUE_LIMIT: setting(
    '10000',
    'Unsettled messages that one instance may have. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_UNSETTLED_LIMIT: setting(
    '100000',
    'Unsettled messages that all instances of one organization may have in total. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_STORED_LIMIT: setting(
    '20GB',
    'Total size of the outgoing messages of one organization that retention has not removed yet: for each, 1,024 bytes and its text, metadata and recipient. A number of bytes, or a number followed by `KB`, `MB`, `GB` or `TB`. `off` for no limit.',
    orOff(parseSize),
  ),
  POSTHORN_FILES_LIMIT: setting(
    '10GB',
    'Total size of the files that one organization may have, sent and received: a number of bytes, or a number followed by `KB`, `MB`, `GB` or `TB`. `off` for no limit.',
    orOff(parseSize),
  ),
  POSTHORN_INCOMING_LIMIT: setting(
    '1000000',
    'Incoming messages that one organization may keep until retention removes them. A long text counts once for every 4,096 characters. The same limit applies to the addresses of people that it keeps. At the limit, its callbacks wait as a whole, with the receipts and restrictions in them. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_KEY_LIMIT: setting(
    '100000',
    'Encryption keys that a network may store for one instance, such as one for each device of each contact. At the limit, temporary keys are removed; if there are none, the instance fails at the next message from or to a new contact.',
    parseCount,
  ),
  POSTHORN_WEBHOOK_LIMIT: setting(
    '20',
    'Webhooks that one organization may have. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_READ_CONCURRENCY: setting(
    '4',
    'How many reads of the store one organization may have under way at once. Further reads wait.',
    parseCount,
  ),
} as const
