import { setting } from '../setting.ts'
import { optional, orOff, parseCount, parseNameServers, parseRate, parseSize } from '../setting-values.ts'

/** Settings that only tests change, to reach a bound sooner. */
export const allTestSettings = {
  POSTHORN_NAME_SERVERS: setting(
    '',
    "Name servers for the hosts that callers and networks name, separated by commas, such as `192.0.2.1,[2001:db8::1]:5353`. If not set, the system's.",
    optional(parseNameServers),
  ),
  POSTHORN_NODE_LEASE_MS: setting(
    '18000',
    'Milliseconds without a sign of life after which other nodes take over what a node does. It gives a sign 3.6 times as often, and stops by itself after three quarters of the time.',
    parseCount,
  ),
  POSTHORN_CONNECT_RATE: setting(
    '50/1',
    'Connections that the server opens to networks, as `COUNT/SECONDS`, so that instances do not all reconnect at once after a restart. Organizations are scheduled fairly. A login that takes much more work, such as that of a linked account, counts as three. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_CONNECTION_MEMORY_MB: setting(
    '2',
    'Memory for unprocessed data on one connection to a network, both received and waiting to be sent, in megabytes (at least 1). Reading pauses above half of it.',
    parseCount,
  ),
  POSTHORN_ORGANIZATION_MEMORY_MB: setting(
    '16',
    'The same limit for all connections of one organization together. If it is exceeded, the connection with the most data is closed.',
    parseCount,
  ),
  POSTHORN_CONNECTIONS_MEMORY_MB: setting(
    '256',
    'The same limit for all connections of the server together. If it is exceeded, the organization with the most data loses its largest connection.',
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
  POSTHORN_ORGANIZATION_INCOMING_RATE: setting(
    '2000/10',
    'Incoming messages that are stored for one organization, as `COUNT/SECONDS`. Further messages wait at the networks. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_CALLBACK_LIMIT: setting(
    '10000',
    'Callbacks that may wait for one instance; for all instances of an organization, five times as many. Requests that concern several instances may use twice that.',
    parseCount,
  ),
  POSTHORN_CALLBACK_BYTES: setting(
    '64MB',
    'Total size of the callbacks that may wait for one instance; for all instances of an organization, five times as much. Requests that concern several instances may use twice that.',
    parseSize,
  ),
  POSTHORN_CALLBACK_RATE: setting(
    '30000/60',
    'Callbacks that the network may post to one instance, as `COUNT/SECONDS`; at a URL that serves many instances, those from one address. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_MAX_CONNECTIONS: setting(
    '10000',
    'Concurrent connections from callers. When all are in use, connections without a valid key are closed first. A tenth of them (at most 64) is reserved for connections without a valid key, so that health checks get a response.',
    parseCount,
  ),
  POSTHORN_ADDRESS_CONNECTIONS: setting(
    '100',
    'Connections that one client address (for IPv6, one /64) may have open without having presented a valid key. When it opens another, its oldest is closed. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_STREAM_LIMIT: setting(
    '100',
    'Event streams that one API key may have open at a time. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_WAITING_LIMIT: setting(
    '1000',
    'Event streams, and requests with `Prefer: wait`, that one organization may have open at a time. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_VOICE_NOTE_QUEUE: setting(
    '20',
    'Voice notes of one organization that may wait for conversion. Organizations are scheduled fairly.',
    parseCount,
  ),
} as const
