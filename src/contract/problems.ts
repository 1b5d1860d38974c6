import { conversationProblems } from './problems/conversation.ts'
import { kind, type ProblemKind } from './problems/kind.ts'

/** Every problem that Posthorn responds with. Codes are part of the contract and never change their meaning. */
export const problems = {
  malformed_body: kind(
    400,
    'The body is malformed',
    'Send one JSON object in UTF-8, without duplicate or `__proto__` keys. If the operation accepts a multipart form (RFC ' +
      '7578), send it complete.',
  ),
  invalid_request: kind(
    400,
    'The request is not valid',
    'One or more values are invalid. `errors` lists each of them by a JSON pointer into the body, or as `query/…` or `header/…`.',
  ),
  unauthenticated: kind(
    401,
    'A valid API key is required',
    'Send `Authorization: Bearer phk_…` with a complete key that exists and is not revoked. Other headers, and other schemes ' +
      'than `Bearer`, are not read.',
  ),
  key_expired: kind(401, 'The key has expired', 'Ask the operator for a new key.'),
  forbidden: kind(
    403,
    'The key does not permit this',
    'Use a key with the role that the operation requires. If the operation concerns the whole organization, the key must not ' +
      "be limited to some instances. Operations of the operator require the operator's token, and all others require keys.",
  ),
  cross_origin: kind(
    403,
    'Another page made this request',
    'The request used or would have begun a browser session, but it did not come from a page of this server. Use the ' +
      'console. A program needs no session: it sends its key as `Authorization: Bearer phk_…`. If a proxy is in front, the ' +
      'operator must set `POSTHORN_BASE_URL` to the URL that browsers use.',
  ),
  session_changed: kind(
    403,
    'Another key has signed in',
    'In another tab of this browser, another key has signed in since the page was opened. Nothing was done. Reload the page.',
  ),
  route_not_found: kind(404, 'There is no such path', 'Check the path against the reference at `/docs`.'),
  instance_not_found: kind(
    404,
    'There is no such instance',
    'Your organization has no instance with that name: `GET /v1/instances` lists those that it has.',
  ),
  message_not_found: kind(404, 'There is no such message', 'Your organization has no message with that id.'),
  webhook_not_found: kind(404, 'There is no such webhook', 'Your organization has no webhook with that id.'),
  delivery_not_found: kind(
    404,
    'There is no such delivery',
    'The webhook has no delivery with that id. Deliveries are kept for as long as their events.',
  ),
  event_not_found: kind(
    404,
    'There is no such event',
    'Your organization has no event with that id, or it is no longer kept: the operator sets how long events are kept, with ' +
      '`POSTHORN_EVENT_RETENTION_DAYS`.',
  ),
  key_not_found: kind(
    404,
    'There is no such key',
    'The organization has no key with that id, or it is no longer kept.',
  ),
  organization_not_found: kind(
    404,
    'There is no such organization',
    'The server has no organization with that name: `GET /v1/organizations` lists them.',
  ),
  node_not_found: kind(404, 'There is no such node', 'No node has that id: `GET /v1/nodes` lists them.'),
  no_other_node: kind(
    409,
    'No other node can take the instances',
    'No other node runs, or the others drain or are silent. Start another node on the same database, then repeat the request.',
  ),
  media_not_found: kind(
    404,
    'There is no such file',
    'The message has no file, its file could not be fetched, or its file is no longer kept.',
  ),
  not_supported_by_network: kind(
    409,
    'The network cannot do this',
    'The network of the instance lacks the ability that `detail` names: `GET /v1/networks` lists those that each network has.',
  ),
  templates_not_supported: kind(
    422,
    'The network has no templates',
    '`detail` names the networks that have templates.',
  ),
  setting_missing: kind(409, 'The instance lacks a setting', '`detail` names it.'),
  templates_being_listed: kind(
    429,
    'The templates are already being listed',
    'Another request is listing the templates of this instance, and only one at a time can. Repeat the request a moment later.',
    true,
  ),
  instance_not_connected: kind(
    503,
    'The instance is not connected',
    'The network did not respond, or the instance is not connected to it. See the status of the instance, and try again.',
    true,
  ),
  already_linked: kind(
    409,
    'The account is linked already',
    'To link another account, or the same one again, log it out first with `POST /v1/instances/{name}/logout`. If the ' +
      'instance is not connected, start it first, or remove it.',
  ),
  link_kind_not_supported: kind(
    422,
    'The network cannot link accounts in this way',
    '`detail` lists the ways that the network has, if any.',
  ),
  base_url_missing: kind(
    409,
    'The server does not know its own URL',
    'Ask the operator to set `POSTHORN_BASE_URL` to the URL at which people reach the server, because the URLs of link pages begin with it.',
  ),
  link_page_not_found: kind(
    404,
    'There is no such link page',
    'The page has expired, was used, or was ended. Ask the sender of the URL for a new one.',
  ),
  no_link_step: kind(409, 'There is nothing to do to link the account', '`detail` says why, and what to do.'),
  logout_not_supported: kind(
    422,
    'The network cannot log accounts out',
    'To disconnect the account, remove the instance, or stop it.',
  ),
  link_not_asking: kind(
    409,
    'The instance has no question to answer',
    'Answer while the status is `awaiting_link` and its `link` is of the kind `question`.',
  ),
  network_refused: kind(409, 'The network refused', '`detail` says why.'),
  problem_not_found: kind(404, 'There is no such problem', 'The catalogue has no problem with that code.'),
  method_not_allowed: kind(
    405,
    'The path does not support this method',
    'The `Allow` header lists the methods that it supports.',
  ),
  not_acceptable: kind(
    406,
    'The requested media type is not available',
    'Ask for a media type that the operation documents.',
  ),
  request_timeout: kind(
    408,
    'The request arrived too slowly',
    'Send the whole request within the time limit.',
    true,
  ),
  instance_name_taken: kind(
    409,
    'The name is already taken',
    'Your organization has an instance with that name, or is still removing one. Choose another name, or wait until that instance is gone.',
  ),
  instance_limit_reached: kind(
    409,
    'The organization has reached its limit of instances',
    'Remove an instance, or ask the operator to raise `POSTHORN_INSTANCE_LIMIT`.',
  ),
  account_in_use: kind(
    409,
    'Another instance of your organization uses this account',
    'Use that instance, or remove it first: two connections to one account would disconnect each other.',
  ),
  instance_deleting: kind(
    409,
    'The instance is being removed',
    'It can no longer be used or changed. Once it is gone, you can create a new one.',
  ),
  instance_changed_meanwhile: kind(
    409,
    'Others are changing the instance',
    'Several requests change this instance at the same time. Nothing was done. Repeat the request.',
    true,
  ),
  organization_name_taken: kind(
    409,
    'The name is already taken',
    'The server has an organization with that name. Choose another one.',
  ),
  key_limit_reached: kind(
    409,
    'The organization has reached its limit of keys',
    'An organization may have 1,000 keys that are neither revoked nor expired. Revoke keys that are no longer used.',
  ),
  webhook_limit_reached: kind(
    409,
    'The organization has reached its limit of webhooks',
    'Remove a webhook, or ask the operator to raise `POSTHORN_WEBHOOK_LIMIT`.',
  ),
  webhook_not_enabled: kind(
    409,
    'The webhook is not enabled',
    'Nothing is sent to a webhook that is not enabled. Enable it, then repeat the request.',
  ),
  message_not_cancelable: kind(
    409,
    'The message can no longer be canceled',
    'It was handed to the network, or it is already settled. Read the message to see its status.',
  ),
  files_quota_exceeded: kind(
    409,
    'The organization has no room for the file',
    'The file would exceed the quota of bytes for files. Cancel queued messages with files, wait until other files are ' +
      'removed, or ask the operator to raise `POSTHORN_FILES_LIMIT`. `GET /v1/quotas` shows what is left.',
    true,
  ),
  stored_quota_exceeded: kind(
    409,
    'The organization has no room for more messages',
    'The outgoing messages of your organization fill its quota of bytes. Wait until old ones are removed, ' +
      '`POSTHORN_MESSAGE_RETENTION_DAYS` after their last event, or ask the operator to raise `POSTHORN_STORED_LIMIT`. ' +
      '`GET /v1/quotas` shows how much is used.',
    true,
  ),
  media_pending: kind(
    409,
    'The file is still being fetched',
    'Repeat the request after the number of seconds in `Retry-After`, or wait for the next event of the message.',
    true,
  ),
  idempotency_in_progress: kind(
    409,
    'A request with this Idempotency-Key is still in progress',
    'Repeat the same request after the number of seconds in `Retry-After`.',
    true,
  ),
  event_forgotten: kind(
    410,
    'The event is no longer kept',
    'The operator sets how long events are kept, with `POSTHORN_EVENT_RETENTION_DAYS`.',
  ),
  cursor_expired: kind(
    410,
    'The feed cannot continue from this cursor',
    'Events after this cursor were removed because their retention ended. ' +
      'Start again without `after` to read from the oldest event that is kept, or with `after=latest` to read only new events.',
  ),
  restored: kind(
    410,
    'The server was restored from a backup',
    'The cursor is from before the restore. Events that happened after the backup are gone, and their numbers are used again. ' +
      'Continue with `next_cursor`: it follows the last event you had read that is still valid. Check the messages that you sent ' +
      'after the backup: the server may not know them.',
  ),
  body_too_large: kind(413, 'The body is too large', 'Stay within the limit that `detail` names.'),
  unsupported_media_type: kind(
    415,
    'The body has an unsupported media type',
    'Send the media type that the operation documents, without `Content-Encoding`.',
  ),
  range_not_satisfiable: kind(
    416,
    'The file does not have the requested range',
    'Request a range within the file: `Content-Range` gives its size in bytes.',
  ),
  misdirected_request: kind(
    421,
    'The server does not have this name',
    'The name in the `Host` header is not on the list of names for this server. Use the URL that the operator gave you, or the IP ' +
      'address; or ask the operator to add the name to `POSTHORN_ALLOWED_HOSTS`.',
  ),
  idempotency_mismatch: kind(
    422,
    'The Idempotency-Key was used for another request',
    'Use a new Idempotency-Key for a new request, or repeat the first request with exactly the same content.',
  ),
  outside_reply_window: kind(
    422,
    'The time to reply freely is over',
    'The network lets you reply only for some time after the recipient last wrote, and that time is over. Send a message from a ' +
      'template, if the network has them, or wait until the recipient writes again.',
  ),
  rate_limited: kind(
    429,
    'Too many requests',
    'Wait for the number of seconds in `Retry-After`, then repeat the request.',
    true,
  ),
  too_many_streams: kind(
    429,
    'Too many event streams are open',
    'Close some streams of the key or of the organization: `detail` says which limit was reached. A key may have 100 streams ' +
      'open; an organization may have 1,000 streams and waiting requests.',
    true,
  ),
  too_many_waits: kind(
    429,
    'Too many requests of the organization are waiting',
    'Nothing was done. Repeat the request without `Prefer: wait`, or after others have ended. An organization may have 1,000 event ' +
      'streams and waiting requests open in total.',
    true,
  ),
  answers_not_read: kind(
    429,
    'Too many responses have not been read',
    'The callers of your organization have requested responses and not read them yet, and these fill the memory that the ' +
      'organization may use. Read each response to its end or close its connection, request fewer at a time, and repeat the ' +
      'request after the number of seconds in `Retry-After`.',
    true,
  ),
  queue_full: kind(
    429,
    'The queue of the instance is full',
    'Repeat the request once some messages have left the queue. If none do, the status of the instance shows why.',
    true,
  ),
  voice_queue_full: kind(
    429,
    'Too many voice notes are waiting to be converted',
    'Send the voice note again later, or as OGG with Opus, which needs no conversion. At most 20 voice notes of one organization may wait.',
    true,
  ),
  unsettled_quota_exceeded: kind(
    429,
    'The organization has reached its limit of unsettled messages',
    'Wait until messages of any of your instances are settled, cancel some, or ask the operator to raise ' +
      '`POSTHORN_UNSETTLED_LIMIT`. `GET /v1/quotas` shows how many there are.',
    true,
  ),
  headers_too_large: kind(
    431,
    'The request headers are too large',
    'Send at most 16 KB of headers in total.',
  ),
  internal_error: kind(
    500,
    'Posthorn failed internally',
    'Repeat the request with the same Idempotency-Key. If that does not help, give the operator the `request_id`; the log has the cause.',
    true,
  ),
  store_unavailable: kind(
    503,
    'The store is unavailable',
    'Nothing was accepted. Repeat the request after the number of seconds in `Retry-After`, with the same Idempotency-Key.',
    true,
  ),
  instance_unreachable: kind(
    503,
    'The instance cannot be reached at this moment',
    'Another node takes it over, or its node does not respond. Repeat the request after the number of seconds in `Retry-After`.',
    true,
  ),
  callback_not_accepted: kind(
    503,
    'The callback cannot be accepted now',
    'Nothing was stored. Too many callbacks wait to be handled, because the instance is not connected or its organization ' +
      'has no room for incoming messages; or the credentials of the instance cannot be read. Networks repeat callbacks by ' +
      'themselves.',
    true,
  ),
  too_many_connections: kind(
    503,
    'The server has reached its limit of connections',
    'Nothing was accepted. Use fewer connections, and repeat the request after the number of seconds in `Retry-After`.',
    true,
  ),
  shutting_down: kind(
    503,
    'This server is stopping',
    'Nothing was accepted. Repeat the request once the server is back.',
    true,
  ),
  storage_full: kind(
    507,
    'The disk is full',
    'Nothing was accepted. The operator must free some space.',
    true,
  ),
  ...conversationProblems,
} as const satisfies Record<string, ProblemKind>

export type ProblemCode = keyof typeof problems

export const problemCodes = Object.keys(problems) as ProblemCode[]
