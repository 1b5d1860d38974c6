import { type Environment, readConfigFile } from './config-file.ts'
import {
  oneOf,
  optional,
  orOff,
  parseAddress,
  parseBlocks,
  parseConcurrency,
  parseCount,
  parseDatabaseUrl,
  parseDays,
  parseEndpoint,
  parseHosts,
  parseIterations,
  parseMasterKey,
  parsePrefix,
  parseRate,
  parseRetentionDays,
  parseSize,
  parseStopSeconds,
  parseToken,
  parseUrl,
  text,
} from './setting-values.ts'

/** A wrong or unknown value, in a sentence that says which and what is expected instead. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

interface Setting<T> {
  /** As it stands in the table of docs/configuration.md; empty where there is none. */
  readonly default: string
  readonly description: string
  /** Reads the text; throws a sentence that completes "NAME …" when it does not fit. */
  parse(text: string): T
}

/** Every setting there is, by the name of its environment variable. */
export const settings = {
  POSTHORN_LISTEN: setting(
    '127.0.0.1:8080',
    'Address and port to serve on. Anything but a loopback address needs a TLS proxy in front.',
    parseAddress,
  ),
  POSTHORN_BASE_URL: setting(
    '',
    'The URL at which callers reach the server; written into the published contract.',
    optional(parseUrl),
  ),
  POSTHORN_ALLOWED_HOSTS: setting(
    '',
    'Names by which callers may reach the server besides `localhost`, addresses, and the name in `POSTHORN_BASE_URL`: separated by commas; `*` for every name. Requests to any other name are refused, but for health checks.',
    parseHosts,
  ),
  POSTHORN_DATA: setting(
    './data',
    'The data folder: the embedded store, the files of messages, the master key, the first admin key.',
    text,
  ),
  POSTHORN_DATABASE_URL: setting(
    '',
    'A PostgreSQL database, as `postgres://user:password@host/database`. Without it, the embedded store in the data folder is used.',
    optional(parseDatabaseUrl),
  ),
  POSTHORN_DEFAULT_NETWORK: setting(
    'sandbox',
    'The network of an instance that is created without naming one.',
    text,
  ),
  POSTHORN_MASTER_KEY: setting(
    '',
    'The master key that seals credentials: 32 bytes as 64 hexadecimal digits. Without it, the key file is used.',
    optional(parseMasterKey),
  ),
  POSTHORN_MASTER_KEY_FILE: setting(
    '',
    'Where the master key is read from; `master.key` in the data folder without it, made on first start.',
    optional(text),
  ),
  POSTHORN_METRICS_TOKEN: setting(
    '',
    "The operator's token for `/metrics`; without it, the one in `metrics.token` in the data folder, made on first start.",
    optional(parseToken),
  ),
  POSTHORN_LOG_LEVEL: setting(
    'info',
    'One of `silent`, `fatal`, `error`, `warn`, `info`, `debug`, `trace`. Successful requests are logged at `debug`.',
    oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
  ),
  POSTHORN_LOG_RATE: setting(
    '600/60',
    'Lines in which the log tells of the answers to one organization, and to all callers without a key together, as `COUNT/SECONDS`; those beyond are counted. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_RATE_LIMIT: setting(
    '6000/60',
    'Requests that one API key may make, as `COUNT/SECONDS`; a full burst is allowed at once. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_QUEUE_LIMIT: setting(
    '10000',
    'Unsettled messages that one instance may have. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_UNSETTLED_LIMIT: setting(
    '100000',
    'Unsettled messages that all instances of one organization may have together. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_FILES_LIMIT: setting(
    '10GB',
    'Bytes that the files of one organization may have together, sent and received, as a number with `KB`, `MB`, `GB`, `TB` or nothing behind it. `off` for no limit.',
    orOff(parseSize),
  ),
  POSTHORN_INCOMING_LIMIT: setting(
    '1000000',
    'Incoming messages that one organization may have, until retention removes them; one with a long text counts once for each 4,096 characters. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_WEBHOOK_LIMIT: setting(
    '20',
    'Webhooks that one organization may have. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_WEBHOOK_CONCURRENCY: setting(
    '64',
    'Attempts that may be under way at a time for one webhook, once its receiver has taken many in a row (at most 128). An eighth of it where events are sent in batches.',
    parseConcurrency,
  ),
  POSTHORN_WEBHOOK_LAG_MINUTES: setting(
    '5',
    'How long an event may wait for its webhook before the webhook counts as lagging, and the organization is told. `off` to tell nobody.',
    orOff(parseCount),
  ),
  POSTHORN_INSTANCE_LIMIT: setting(
    '1000',
    'Instances that one organization may have. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_CONNECT_RATE: setting(
    '50/1',
    'Connections to networks that the server opens, as `COUNT/SECONDS`, so that a restart is no stampede. Organizations take turns. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_CONNECTION_MEMORY_MB: setting(
    '2',
    'Memory that one connection to a network may hold of what was sent to it and waits for it, in megabytes (at least 1); above half of it nothing more is read.',
    parseCount,
  ),
  POSTHORN_ORGANIZATION_MEMORY_MB: setting(
    '32',
    'The same for all connections of one organization together: beyond it, the largest is ended.',
    parseCount,
  ),
  POSTHORN_CONNECTIONS_MEMORY_MB: setting(
    '256',
    'The same for all connections of the server together: beyond it, the largest of the organization that holds most is ended.',
    parseCount,
  ),
  POSTHORN_CONNECTION_STANZA_RATE: setting(
    '5000/5',
    'Stanzas that are taken from one connection to a network, as `COUNT/SECONDS`; a full burst is taken at once, and what is beyond waits at the network. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_CONNECTION_BYTE_RATE: setting(
    '10000000/5',
    'Bytes that one connection to a network may carry in both directions, in the same way. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_XMPP_ITERATION_LIMIT: setting(
    '100000',
    'Iterations that an XMPP server may ask for in a SCRAM login (at least 4096). Each 100,000 take a tenth of a second of a thread; usual are 4,096 to 100,000.',
    parseIterations,
  ),
  POSTHORN_CONNECT_ALLOW_CIDRS: setting(
    'none',
    'Addresses that instances may connect to although they are not public: blocks, separated by commas, such as `127.0.0.0/8,::1/128`. Callers can find out what listens there, so list no more than the servers of your instances. `none` for none.',
    parseBlocks,
  ),
  POSTHORN_FETCH_ALLOW_CIDRS: setting(
    'none',
    'Addresses that files which callers give by URL are fetched from although they are not public, also by http and on any port: blocks, separated by commas. `none` for none. It does not count for files that are received.',
    parseBlocks,
  ),
  POSTHORN_WEBHOOK_ALLOW_CIDRS: setting(
    'none',
    'Addresses that webhooks are posted to although they are not public, also by http and on any port: blocks, separated by commas. `none` for none.',
    parseBlocks,
  ),
  POSTHORN_MAX_CONNECTIONS: setting(
    '10000',
    'Connections of callers at a time. When they are used up, those without a valid key are closed first; a tenth of them, at most 64, is only for these, so that health checks are answered.',
    parseCount,
  ),
  POSTHORN_ADDRESS_CONNECTIONS: setting(
    '100',
    'Connections that one address may have (of IPv6, one /64) without having shown a valid key; the oldest of them is closed for the next. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_ADDRESS_RATE: setting(
    '600/60',
    'Requests without a valid key that one address may make (of IPv6, one /64), as `COUNT/SECONDS`. Requests with a valid key are never refused for it. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_TRUSTED_PROXIES: setting(
    'none',
    'Addresses of proxies in front of the server: blocks, separated by commas. Their `Forwarded` or `X-Forwarded-For` is believed to name the client. `none` for none.',
    parseBlocks,
  ),
  POSTHORN_UPLOAD_RATE: setting(
    '8192',
    'Bytes in a second that an upload must come with, on average over 30 seconds; slower ones are ended.',
    parseCount,
  ),
  POSTHORN_STREAM_LIMIT: setting(
    '100',
    'Event streams that one API key may have open at a time. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_IDEMPOTENCY_HOURS: setting(
    '72',
    'How long an Idempotency-Key is remembered, in hours.',
    parseCount,
  ),
  POSTHORN_EVENT_RETENTION_DAYS: setting(
    '30',
    'How long events are kept, and what became of their deliveries, in days (at least 7).',
    parseRetentionDays,
  ),
  POSTHORN_AUDIT_RETENTION_DAYS: setting(
    '365',
    'How long the audit log keeps what keys and the operator did, in days.',
    parseCount,
  ),
  POSTHORN_AUDIT_LIMIT: setting(
    '1000000',
    'How many entries the audit log keeps for each organization, the newest; `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_MESSAGE_RETENTION_DAYS: setting(
    '90',
    'How long messages are kept after their last event, in days; at least as long as events. One that is not settled is always kept. `off` to keep all for good.',
    orOff(parseDays),
  ),
  POSTHORN_MEDIA_STORE: setting(
    '',
    'Where the files of messages are kept that have more than 64 KB: `files` in the data folder, `postgres` in the database, or `s3` in an object storage. Smaller ones are in the store. Without it, `postgres` where `POSTHORN_DATABASE_URL` is set, else `files`.',
    optional(oneOf('files', 'postgres', 's3')),
  ),
  POSTHORN_MEDIA_RETENTION_HOURS: setting(
    '24',
    'How long a file is kept after the last message that uses it was settled, or after it was received, in hours. That of a message that was canceled or has expired goes at once.',
    parseCount,
  ),
  POSTHORN_FETCH_SLOWEST: setting(
    '16384',
    'Bytes a second that must come of a file that is fetched from its URL, averaged over ten seconds.',
    parseCount,
  ),
  POSTHORN_RECEIVED_FETCH_SECONDS: setting(
    '30',
    'How long fetching a received file may take, in seconds. One that takes longer is tried again, for an hour. A file that callers give by URL has 60 seconds.',
    parseCount,
  ),
  POSTHORN_VOICE_NOTE_SECONDS: setting(
    '900',
    'How long audio may be that is converted to a voice note, in seconds.',
    parseCount,
  ),
  POSTHORN_VOICE_NOTE_QUEUE: setting(
    '20',
    'Voice notes of one organization that may wait to be converted. Organizations take turns.',
    parseCount,
  ),
  POSTHORN_S3_ENDPOINT: setting(
    '',
    "The URL of the object storage; Amazon's own without it.",
    optional(parseEndpoint),
  ),
  POSTHORN_S3_REGION: setting('us-east-1', 'The region of the object storage.', text),
  POSTHORN_S3_BUCKET: setting('', 'The bucket for files; it must be there already.', optional(text)),
  POSTHORN_S3_PREFIX: setting(
    'posthorn/',
    'What the keys of all objects begin with. Every Posthorn needs a bucket or a prefix of its own.',
    parsePrefix,
  ),
  POSTHORN_S3_ACCESS_KEY_ID: setting('', 'The id of the access key for the bucket.', optional(text)),
  POSTHORN_S3_SECRET_ACCESS_KEY: setting('', 'The secret of the access key for the bucket.', optional(text)),
  POSTHORN_STOP_SECONDS: setting(
    '25',
    'How long a stop may take to finish what is under way, in seconds (at most 86400): two fifths of it for requests, the rest for attempts to send.',
    parseStopSeconds,
  ),
  POSTHORN_SANDBOX_TRANSCRIPT: setting(
    '',
    'A file to which the sandbox network appends every message that arrives there, one JSON object a line; the bytes of ' +
      'files go to the folder `<it>.files`.',
    optional(text),
  ),
} as const

export type SettingName = keyof typeof settings
export type Config = { readonly [N in SettingName]: ReturnType<(typeof settings)[N]['parse']> }

export const settingNames = Object.keys(settings) as SettingName[]

/**
 * Reads the configuration: environment variables, then the file that `POSTHORN_CONFIG` names (lines of `NAME=value`),
 * then the defaults; an empty value counts as none. Throws a ConfigError for the first value that does not fit and for
 * names that do not exist.
 */
export function readConfig(environment: Environment): Config {
  const { config, faults } = examineConfig(environment)
  if (faults[0] !== undefined) throw new ConfigError(faults[0])
  return config as Config
}

/** Reads the configuration and tells everything that is wrong with it, each in a sentence, for `posthorn doctor`. */
export function examineConfig(environment: Environment): { config: Partial<Config>; faults: string[] } {
  const file = readConfigFile(environment.POSTHORN_CONFIG, isSetting)
  const faults = [...file.faults]
  for (const name of Object.keys(environment)) {
    if (isMistaken(name)) faults.push(`${name} is not a setting; docs/configuration.md lists them all`)
  }
  const config: { -readonly [N in SettingName]?: unknown } = {}
  for (const name of settingNames) {
    try {
      config[name] = settings[name].parse(environment[name] || file.values[name] || settings[name].default)
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`)
    }
  }
  const read = config as Partial<Config>
  const days = 'POSTHORN_MESSAGE_RETENTION_DAYS'
  const isSaid = Boolean(environment[days] || file.values[days])
  return { config: read, faults: [...faults, ...missingForMedia(read), ...tooShort(read, isSaid)] }
}

/** The settings that the place for files needs and that are missing. */
function missingForMedia(config: Partial<Config>): string[] {
  const needed: Record<string, readonly SettingName[]> = {
    postgres: ['POSTHORN_DATABASE_URL'],
    s3: ['POSTHORN_S3_BUCKET', 'POSTHORN_S3_ACCESS_KEY_ID', 'POSTHORN_S3_SECRET_ACCESS_KEY'],
  }
  const place = config.POSTHORN_MEDIA_STORE ?? 'files'
  // One that does not fit is not missing, and was told of.
  const missing = (needed[place] ?? []).filter((name) => name in config && config[name] === undefined)
  return missing.map((name) => `${name} must be set where POSTHORN_MEDIA_STORE is ${place}`)
}

/** Events name their messages. Where nobody said how long messages are kept, that is as long as events at least. */
function tooShort(config: Partial<Config>, isSaid: boolean): string[] {
  const { POSTHORN_MESSAGE_RETENTION_DAYS: messages, POSTHORN_EVENT_RETENTION_DAYS: events } = config
  if (messages === undefined || events === undefined || messages >= events || !isSaid) return []
  return [
    `POSTHORN_MESSAGE_RETENTION_DAYS must be at least POSTHORN_EVENT_RETENTION_DAYS, which is ${events}`,
  ]
}

/** Names with our prefix that mean nothing. The tests have names of their own, which a server they start inherits. */
function isMistaken(name: string): boolean {
  if (!name.startsWith('POSTHORN_') || name.startsWith('POSTHORN_TEST_')) return false
  return name !== 'POSTHORN_CONFIG' && !isSetting(name)
}

function isSetting(name: string): boolean {
  return Object.hasOwn(settings, name)
}

function setting<T>(fallback: string, description: string, parse: (text: string) => T): Setting<T> {
  return { default: fallback, description, parse }
}
