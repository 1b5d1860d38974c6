import { objectStorageSettings } from './object-storage-settings.ts'
import { setting } from './setting.ts'
import {
  oneOf,
  optional,
  orOff,
  parseAddress,
  parseApiUrl,
  parseBlocks,
  parseBrowser,
  parseClientVersion,
  parseConcurrency,
  parseCount,
  parseDatabaseUrl,
  parseDays,
  parseHosts,
  parseIterations,
  parseMasterKey,
  parseNameServers,
  parsePublicKey,
  parseRate,
  parseRetentionDays,
  parseSecret,
  parseSize,
  parseSocketUrl,
  parseStopSeconds,
  parseToken,
  parseUrl,
  parseWorkerMemory,
  parseWorkers,
  text,
} from './setting-values.ts'
import { trafficSettings } from './traffic-settings.ts'

/** All settings, by the names of their environment variables. */
export const settings = {
  POSTHORN_LISTEN: setting(
    '127.0.0.1:8080',
    'Address and port to listen on. Any address other than loopback needs a TLS proxy in front.',
    parseAddress,
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
  POSTHORN_DATA: setting(
    './data',
    'The data folder. It holds the embedded store, message files, the master key and the first admin key.',
    text,
  ),
  POSTHORN_DATABASE_URL: setting(
    '',
    'A PostgreSQL database, as `postgres://user:password@host/database`. If not set, the embedded store in the data folder is used.',
    optional(parseDatabaseUrl),
  ),
  POSTHORN_DEFAULT_NETWORK: setting(
    'sandbox',
    'The network of an instance that is created without naming one.',
    text,
  ),
  POSTHORN_MASTER_KEY: setting(
    '',
    'The master key that encrypts credentials: 32 bytes as 64 hexadecimal digits. If not set, the key file is used.',
    optional(parseMasterKey),
  ),
  POSTHORN_MASTER_KEY_FILE: setting(
    '',
    'The file that the master key is read from. If not set, `master.key` in the data folder, which is created on first start.',
    optional(text),
  ),
  POSTHORN_OPERATOR_TOKEN: setting(
    '',
    "The operator's token for `/v1/organizations`; it opens `/metrics` as well. If not set, the token in `operator.token` in the data folder, which is created on first start.",
    optional(parseToken),
  ),
  POSTHORN_METRICS_TOKEN: setting(
    '',
    'The token for `/metrics`, which opens nothing else. If not set, the token in `metrics.token` in the data folder, which is created on first start.',
    optional(parseToken),
  ),
  POSTHORN_LOG_LEVEL: setting(
    'info',
    'One of `silent`, `fatal`, `error`, `warn`, `info`, `debug`, `trace`. Successful requests are logged at `debug`.',
    oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
  ),
  POSTHORN_LOG_RATE: setting(
    '600/60',
    'Log lines about requests for each organization, and for all callers without a key together, as `COUNT/SECONDS`. Further lines are only counted. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_RATE_LIMIT: setting(
    '6000/60',
    'Requests that one API key may make, as `COUNT/SECONDS`. The whole count may be used in one burst. `off` for no limit.',
    orOff(parseRate),
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
    'Total size of the messages that one organization had sent and that retention has not removed yet: for each, 1,024 bytes and its text, metadata and recipient. A number of bytes, or a number followed by `KB`, `MB`, `GB` or `TB`. `off` for no limit.',
    orOff(parseSize),
  ),
  POSTHORN_FILES_LIMIT: setting(
    '10GB',
    'Total size of the files that one organization may have, sent and received: a number of bytes, or a number followed by `KB`, `MB`, `GB` or `TB`. `off` for no limit.',
    orOff(parseSize),
  ),
  POSTHORN_INCOMING_LIMIT: setting(
    '1000000',
    'Incoming messages that one organization may keep until retention removes them. A long text counts once for every 4,096 characters. The addresses of people that it may keep have the same limit. At the limit, its callbacks wait as a whole, with the receipts and restrictions in them. `off` for no limit.',
    orOff(parseCount),
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
  POSTHORN_KEY_LIMIT: setting(
    '100000',
    'Encryption keys that a network may keep for one instance, such as one for each device of everybody who writes. At the limit, those that are kept only for a time make room; if there are none, the instance fails as soon as somebody new writes or is written to.',
    parseCount,
  ),
  POSTHORN_WEBHOOK_LIMIT: setting(
    '20',
    'Webhooks that one organization may have. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_WEBHOOK_CONCURRENCY: setting(
    '64',
    'Concurrent delivery attempts for one webhook, once its receiver has accepted many in a row (at most 128). If events are sent in batches, an eighth of this.',
    parseConcurrency,
  ),
  POSTHORN_WEBHOOK_LAG_MINUTES: setting(
    '5',
    'How long an event may wait for its webhook, in minutes, before the webhook counts as lagging and the organization is notified. `off` for no notice.',
    orOff(parseCount),
  ),
  POSTHORN_INSTANCE_LIMIT: setting(
    '1000',
    'Instances that one organization may have. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_CONNECT_RATE: setting(
    '50/1',
    'Connections that the server opens to networks, as `COUNT/SECONDS`, so that instances do not all reconnect at once after a restart. Organizations take turns. A linked WhatsApp account counts for three, because its login takes that much more. `off` for no limit.',
    orOff(parseRate),
  ),
  ...trafficSettings,
  POSTHORN_XMPP_ITERATION_LIMIT: setting(
    '100000',
    'Iterations that an XMPP server may demand for a SCRAM login (at least 4096). Servers usually demand 4,096 to 100,000; each 100,000 occupy a thread for a tenth of a second.',
    parseIterations,
  ),
  POSTHORN_TELEGRAM_API: setting(
    'https://api.telegram.org',
    'The base URL of the Telegram Bot API, for a Bot API server of your own. Anything but https on port 443 of a public address must be allowed by `POSTHORN_CONNECT_ALLOW_CIDRS`.',
    parseApiUrl,
  ),
  POSTHORN_WHATSAPP_CLOUD_API: setting(
    'https://graph.facebook.com',
    'The base URL of the WhatsApp Cloud API, for a proxy or a simulator. Anything but https on port 443 of a public address must be allowed by `POSTHORN_CONNECT_ALLOW_CIDRS`.',
    parseApiUrl,
  ),
  POSTHORN_WHATSAPP_CLOUD_APP_SECRET: setting(
    '',
    'The secret of your own app at Meta, if instances may use it: they leave their own app out of their credentials, and Meta calls one URL for all of them, which the server shows when it starts. Requires `POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN`, too.',
    optional(parseSecret),
  ),
  POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN: setting(
    '',
    'A word of your own. Enter the same at Meta with that URL.',
    optional(parseSecret),
  ),
  POSTHORN_WHATSAPP_VERSION: setting(
    '',
    'The version of WhatsApp Web that linked accounts log in with, such as `2.3000.1043857760`. If not set, the one that the library knows. WhatsApp refuses versions that are too old.',
    optional(parseClientVersion),
  ),
  POSTHORN_WHATSAPP_BROWSER: setting(
    'Mac OS, Chrome, 14.4.1',
    'System, browser and version that linked accounts log in with. The phone shows them among its linked devices. For some accounts, WhatsApp refuses unusual names.',
    parseBrowser,
  ),
  POSTHORN_WHATSAPP_WORKERS: setting(
    '2',
    'Maximum number of processes that hold linked WhatsApp accounts. Organizations share one only when there are more of them than processes; an organization begins another with its 201st account. Accounts that were put apart have as many again, one each.',
    parseWorkers,
  ),
  POSTHORN_WHATSAPP_WORKER_MEMORY_MB: setting(
    '1024',
    'Memory that each of these processes may have, in megabytes (128 to 65536). One that needs more is ended, and its accounts connect again in another. It needs 100, and 0.7 for each account at rest.',
    parseWorkerMemory,
  ),
  POSTHORN_WHATSAPP_SERVER: setting(
    'wss://web.whatsapp.com/ws/chat',
    'The WebSocket of WhatsApp for linked accounts. Another one is for tests with a simulator.',
    parseSocketUrl,
  ),
  POSTHORN_WHATSAPP_CA_FILE: setting(
    '',
    'A PEM file with the certificate authorities of `POSTHORN_WHATSAPP_SERVER` and of its servers for files, for tests. Certificates are always verified.',
    optional(text),
  ),
  POSTHORN_WHATSAPP_ROOT_KEY: setting(
    '',
    'The public key, in hexadecimal, that certifies `POSTHORN_WHATSAPP_SERVER`, for tests. If not set, that of WhatsApp.',
    optional(parsePublicKey),
  ),
  POSTHORN_CONNECT_ALLOW_CIDRS: setting(
    'none',
    'Non-public address blocks that instances may connect to, separated by commas, such as `127.0.0.0/8,::1/128`. Callers can probe what listens there, so list only the servers of your instances. `none` for none.',
    parseBlocks,
  ),
  POSTHORN_FETCH_ALLOW_CIDRS: setting(
    'none',
    'Non-public address blocks that may be fetched from when callers give a file by URL, over HTTP or HTTPS and on any port; separated by commas. Does not apply to received files. `none` for none.',
    parseBlocks,
  ),
  POSTHORN_WEBHOOK_ALLOW_CIDRS: setting(
    'none',
    'Non-public address blocks that webhooks may be posted to, over HTTP or HTTPS and on any port; separated by commas. `none` for none.',
    parseBlocks,
  ),
  POSTHORN_NAME_SERVERS: setting(
    '',
    "Name servers that are asked about hosts that callers and networks name, separated by commas, such as `192.0.2.1,[2001:db8::1]:5353`. If not set, the system's.",
    optional(parseNameServers),
  ),
  POSTHORN_MAX_CONNECTIONS: setting(
    '10000',
    'Concurrent connections from callers. When all are in use, connections without a valid key are closed first. A tenth of them (at most 64) is reserved for connections without a valid key, so that health checks are answered.',
    parseCount,
  ),
  POSTHORN_ADDRESS_CONNECTIONS: setting(
    '100',
    'Connections that one client address (for IPv6, one /64) may have open without having presented a valid key. When it opens another, its oldest is closed. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_ADDRESS_RATE: setting(
    '600/60',
    'Requests without a valid key that one client address (for IPv6, one /64) may make, as `COUNT/SECONDS`. Requests with a valid key are never refused because of this limit. `off` for no limit.',
    orOff(parseRate),
  ),
  POSTHORN_TRUSTED_PROXIES: setting(
    'none',
    'Address blocks of the proxies in front of the server, such as `127.0.0.1/32`, separated by commas. The client address is taken from their `Forwarded` or `X-Forwarded-For` header. `none` for none.',
    parseBlocks,
  ),
  POSTHORN_UPLOAD_RATE: setting(
    '8192',
    'The slowest upload that is accepted, in bytes per second, averaged over 30 seconds. Slower uploads are aborted.',
    parseCount,
  ),
  POSTHORN_READ_CONCURRENCY: setting(
    '4',
    'How many reads of the store one organization may have under way at once. Others wait for their turn.',
    parseCount,
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
  POSTHORN_IDEMPOTENCY_HOURS: setting(
    '72',
    'How long an Idempotency-Key is remembered, in hours.',
    parseCount,
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
  POSTHORN_AUDIT_LIMIT: setting(
    '1000000',
    'Audit entries kept for each organization. The oldest are removed first. `off` for no limit.',
    orOff(parseCount),
  ),
  POSTHORN_STATISTICS_RETENTION_DAYS: setting(
    '400',
    'How long the counts in statistics are kept, in days.',
    parseDays,
  ),
  POSTHORN_MESSAGE_RETENTION_DAYS: setting(
    '90',
    'How long messages are kept after their last event, in days; at least as long as events. Unsettled messages are always kept. `off` to keep all messages forever.',
    orOff(parseDays),
  ),
  POSTHORN_MEDIA_STORE: setting(
    '',
    'Where files larger than 64 KB are kept: `files` in the data folder, `postgres` in the database, or `s3` in object storage. Smaller files are kept in the store. If not set, `postgres` if `POSTHORN_DATABASE_URL` is set, otherwise `files`.',
    optional(oneOf('files', 'postgres', 's3')),
  ),
  POSTHORN_MEDIA_RETENTION_HOURS: setting(
    '24',
    'How long a file is kept after it was received, or after the last message that uses it was settled, in hours. The file of a canceled or expired message is removed at once.',
    parseCount,
  ),
  POSTHORN_FETCH_SLOWEST: setting(
    '16384',
    'The slowest transfer that is accepted when a file is fetched, in bytes per second, averaged over ten seconds.',
    parseCount,
  ),
  POSTHORN_RECEIVED_FETCH_SECONDS: setting(
    '30',
    'Timeout for fetching a received file, in seconds. After a timeout, the fetch is retried for an hour. Fetching a file that a caller gave by URL has a timeout of 60 seconds.',
    parseCount,
  ),
  POSTHORN_VOICE_NOTE_SECONDS: setting(
    '900',
    'Maximum length of audio that is converted to a voice note, in seconds.',
    parseCount,
  ),
  POSTHORN_VOICE_NOTE_QUEUE: setting(
    '20',
    'Voice notes of one organization that may wait for conversion. Organizations take turns.',
    parseCount,
  ),
  ...objectStorageSettings,
  POSTHORN_STOP_SECONDS: setting(
    '25',
    'How long the server may take to finish work in progress when it stops, in seconds (at most 86400): two fifths for requests, the rest for attempts to send.',
    parseStopSeconds,
  ),
  POSTHORN_SANDBOX_TRANSCRIPT: setting(
    '',
    'A file to which the sandbox network appends every message it receives, as one JSON object per line. The contents of files go to the folder `<it>.files`.',
    optional(text),
  ),
} as const
