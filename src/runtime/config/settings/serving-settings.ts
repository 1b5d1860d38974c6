import { secretSetting, setting } from '../setting.ts'
import {
  optional,
  orOff,
  parseBlocks,
  parseDatabaseUrl,
  parseHosts,
  parseListeningAddress,
  parseOneOf,
  parseRate,
  parseStopSeconds,
  parseUrl,
  text,
} from '../setting-values.ts'

/** Addresses of the server, and the access to it. */
export const servingSettings = {
  POSTHORN_LISTEN: setting(
    '127.0.0.1:8080',
    'Address and port to listen on. A port alone means that port on `127.0.0.1`. Any address other than loopback needs a TLS proxy in front.',
    parseListeningAddress,
  ),
  POSTHORN_BASE_URL: setting(
    '',
    'The URL at which callers, networks that call back, and customers with a link page reach the server. It appears in the published contract; without it there are no link pages.',
    optional(parseUrl),
  ),
  POSTHORN_ALLOWED_HOSTS: setting(
    '',
    'Host names by which callers may reach the server, separated by commas, in addition to `localhost`, IP addresses and the host in `POSTHORN_BASE_URL`. `*` allows every name. Requests to any other name are refused, except health checks.',
    parseHosts,
  ),
  POSTHORN_TRUSTED_PROXIES: setting(
    'none',
    'Address blocks of the proxies in front of the server, such as `127.0.0.1/32`, separated by commas. The client address is taken from their `Forwarded` or `X-Forwarded-For` header. `none` for none.',
    parseBlocks,
  ),
  POSTHORN_ADDRESS_RATE: setting(
    '600/60',
    'Requests without a valid key that one client address (for IPv6, one /64) may make, as `COUNT/SECONDS`. Requests with a valid key are never refused because of this limit. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_DATA: setting(
    './data',
    'The data folder. It holds the embedded store, message files, the master key and the first admin key.',
    text,
  ),
  POSTHORN_DATABASE_URL: secretSetting(
    'A PostgreSQL database, as `postgres://user:password@host/database`. If not set, the embedded store in the data folder is used.',
    parseDatabaseUrl,
  ),
  POSTHORN_LOG_LEVEL: setting(
    'info',
    'One of `silent`, `fatal`, `error`, `warn`, `info`, `debug`, `trace`. Successful requests are logged at `debug`.',
    parseOneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
  ),
  POSTHORN_STOP_SECONDS: setting(
    '25',
    'How long the server may take to finish work in progress when it stops, in seconds (at most 86400): two fifths for requests, the rest for attempts to send.',
    parseStopSeconds,
  ),
} as const
