/** Words that are allowed elsewhere, with the sentence that says where. */
export const elsewhere = {
  'conversation.typing':
    '`conversation.typing` is not stored: only a stream of `GET /v1/events` (`Accept: text/event-stream`) that names it in `types` gets it.',
} as const

/**
 * Names that other gateways have for the fields of requests, in lower case and without `-` and `_`: a caller who comes from
 * there is told ours.
 */
export const otherNames: Readonly<Record<string, readonly string[]>> = {
  to: ['number', 'phone', 'phonenumber', 'recipient', 'receiver', 'chatid', 'jid', 'remotejid', 'address'],
  text: ['message', 'body', 'content', 'msg'],
  instance: ['instancename', 'instanceid', 'session', 'sessionid', 'device', 'from', 'sender', 'channel'],
  url: ['link', 'fileurl', 'mediaurl', 'media', 'endpoint', 'callbackurl', 'webhook', 'webhookurl'],
  kind: ['type', 'mediatype'],
  reply_to: ['quoted', 'quotedmessageid', 'quotedmsgid', 'inreplyto', 'replytoid', 'context'],
  mentions: ['mentioned', 'mentionedjid', 'mentionedjidlist'],
  latitude: ['lat', 'degreeslatitude'],
  longitude: ['lng', 'lon', 'long', 'degreeslongitude'],
  send_at: ['scheduleat', 'scheduledat', 'scheduletime', 'sendtime', 'delay'],
  expires_at: ['ttl', 'validuntil', 'validity'],
  client_ref: ['reference', 'externalid', 'ref', 'clientid', 'correlationid'],
  metadata: ['labels', 'tags', 'custom'],
  settings: ['config', 'configuration', 'options'],
  credentials: ['auth', 'secret', 'token', 'password'],
  events: ['eventtypes', 'types', 'topics'],
  limit: ['pagesize', 'perpage', 'size', 'count'],
  cursor: ['page', 'offset', 'after', 'nextcursor'],
}
