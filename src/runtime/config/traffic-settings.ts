import { setting } from './setting.ts'
import { orOff, parseCount, parseRate } from './setting-values.ts'

/** The settings of what connections to networks may hold and carry. */
export const trafficSettings = {
  POSTHORN_CONNECTION_MEMORY_MB: setting(
    '2',
    'Memory for unprocessed data on one connection to a network, both received and waiting to be sent, in megabytes (at least 1). Above half of it, reading pauses.',
    parseCount,
  ),
  POSTHORN_ORGANIZATION_MEMORY_MB: setting(
    '16',
    'The same limit for all connections of one organization together. If it is exceeded, the connection that holds most is closed.',
    parseCount,
  ),
  POSTHORN_CONNECTIONS_MEMORY_MB: setting(
    '256',
    'The same limit for all connections of the server together. If it is exceeded, the organization that holds most loses its largest connection.',
    parseCount,
  ),
  POSTHORN_ANSWER_MEMORY_MB: setting(
    '16',
    'Memory for answers that the callers of one organization have asked for and not read yet, in megabytes (at least 1). Beyond it, its requests wait until some are read, and are refused after twenty seconds. All callers without a key may have as much together, and one address a quarter of it.',
    parseCount,
  ),
  POSTHORN_CONNECTION_STANZA_RATE: setting(
    '5000/5',
    'Stanzas that are read from one connection to a network, as `COUNT/SECONDS`. The whole count may be read in one burst; the rest waits at the network. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_CONNECTION_BYTE_RATE: setting(
    '10000000/5',
    'Bytes that one connection to a network may carry, both directions together, as `COUNT/SECONDS`; limited in the same way. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_ORGANIZATION_STANZA_RATE: setting(
    '25000/5',
    'Stanzas that are read from all connections of one organization together, as `COUNT/SECONDS`. Beyond it, its connections take turns, and the rest waits at the networks. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_ORGANIZATION_BYTE_RATE: setting(
    '50000000/5',
    'Bytes that all connections of one organization may carry together, both directions, as `COUNT/SECONDS`; limited in the same way. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_ORGANIZATION_INCOMING_RATE: setting(
    '2000/10',
    'Incoming messages of one organization that are stored, as `COUNT/SECONDS`. Beyond it, the rest waits at the networks. `off` for no limit.',
    orOff(parseRate),
  ),
} as const
