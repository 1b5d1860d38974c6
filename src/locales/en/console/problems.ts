import type { ProblemWords } from '../../server-words.ts'

/** The problems of the contract: what happened, and what to do next. */
export const problems = {
  invalid_request: {
    title: 'Some values are not valid.',
    next: 'Correct them and try again.',
  },
  unauthenticated: {
    title: 'The key is not valid.',
    next: 'Check that it is complete and has not been revoked.',
  },
  key_expired: {
    title: 'The key has expired.',
    next: 'Ask an administrator of your organization or the operator for a new one.',
  },
  forbidden: {
    title: 'This key may not do that.',
    next: 'Sign in with a key that has the role for it, and is not limited to other instances.',
  },
  cross_origin: {
    title: 'The server takes this request for one from another page.',
    next: 'Open the console at the URL that the operator gave you. If a proxy is in front, the operator must set POSTHORN_BASE_URL.',
  },
  session_changed: {
    title: 'Another key has signed in in this browser.',
    next: 'Nothing was done. Reload the page.',
  },
  route_not_found: {
    title: 'The server does not know this call.',
    next: 'It may have been updated. Reload the page.',
  },
  instance_not_found: {
    title: 'There is no such instance.',
    next: 'Check the name. It may have been removed.',
  },
  message_not_found: {
    title: 'There is no such message.',
    next: 'Check the link. Old messages are removed after a time.',
  },
  contact_not_found: {
    title: 'There is no such contact.',
    next: 'Check the address. The person may have been forgotten.',
  },
  webhook_not_found: {
    title: 'There is no such webhook.',
    next: 'Check the link. It may have been removed.',
  },
  delivery_not_found: {
    title: 'There is no such delivery.',
    next: 'Deliveries are kept only as long as their events.',
  },
  event_not_found: {
    title: 'There is no such event.',
    next: 'Check its ID. Events are kept for some time only.',
  },
  key_not_found: {
    title: 'There is no such key.',
    next: 'It may no longer be kept. Reload the list.',
  },
  organization_not_found: {
    title: 'There is no such organization.',
    next: 'Check the name.',
  },
  node_not_found: {
    title: 'There is no such node.',
    next: 'Reload the page: it may have been forgotten.',
  },
  no_other_node: {
    title: 'No other node can take the instances.',
    next: 'Start another node, then try again.',
  },
  media_not_found: {
    title: 'There is no such file.',
    next: 'The message has none, it could not be fetched, or it is no longer kept.',
  },
  not_supported_by_network: {
    title: 'The network cannot do this.',
    next: 'Use an instance of another network for it.',
  },
  templates_not_supported: {
    title: 'The network has no templates.',
    next: 'Send a text, or use an instance of a network that has templates.',
  },
  setting_missing: {
    title: 'The instance lacks a setting.',
    next: 'Create the instance anew with it.',
  },
  templates_being_listed: {
    title: 'The network is already being asked for the templates.',
    next: 'Try again in a moment.',
  },
  instance_not_connected: {
    title: 'The instance is not connected.',
    next: 'Its status says why. Try again once it is connected.',
  },
  already_linked: {
    title: 'The account is linked already.',
    next: 'To link another one, log this one out first.',
  },
  link_kind_not_supported: {
    title: 'The network cannot link accounts in this way.',
    next: 'Choose another way.',
  },
  base_url_missing: {
    title: 'The server does not know its own URL.',
    next: 'Ask the operator to set POSTHORN_BASE_URL: link pages are opened there.',
  },
  no_link_step: {
    title: 'There is nothing to do to link the account.',
    next: 'See the status of the instance.',
  },
  logout_not_supported: {
    title: 'The network cannot log accounts out.',
    next: 'Stop the instance, or remove it.',
  },
  link_not_asking: {
    title: 'The instance is not waiting for an answer.',
    next: 'See what it asks for now.',
  },
  network_refused: {
    title: 'The network refused.',
    next: 'Its answer says why.',
  },
  request_timeout: {
    title: 'The request arrived too slowly.',
    next: 'Try again over a faster connection.',
  },
  instance_name_taken: {
    title: 'Another instance has this name.',
    next: 'Choose another name, or wait until that instance is gone.',
  },
  instance_limit_reached: {
    title: 'The organization has reached its limit of instances.',
    next: 'Remove an instance, or ask the operator to raise the limit (POSTHORN_INSTANCE_LIMIT).',
  },
  account_in_use: {
    title: 'Another instance of your organization uses this account.',
    next: 'Use that one, or remove it first: two connections would disconnect each other.',
  },
  instance_deleting: {
    title: 'The instance is being removed.',
    next: 'It cannot be changed any more. Once it is gone, its name is free.',
  },
  instance_changed_meanwhile: {
    title: 'Others are changing the instance at the same time.',
    next: 'Nothing was changed. Try again.',
  },
  organization_name_taken: {
    title: 'Another organization has this name.',
    next: 'Choose another one.',
  },
  key_limit_reached: {
    title: 'The organization has reached its limit of keys.',
    next: 'Revoke keys that nobody uses.',
  },
  webhook_limit_reached: {
    title: 'The organization has reached its limit of webhooks.',
    next: 'Remove a webhook, or ask the operator to raise the limit (POSTHORN_WEBHOOK_LIMIT).',
  },
  webhook_not_enabled: {
    title: 'The webhook is disabled.',
    next: 'Enable it, then try again.',
  },
  message_not_cancelable: {
    title: 'The message can no longer be canceled.',
    next: 'It was handed to the network, or it is settled already.',
  },
  files_quota_exceeded: {
    title: 'The organization has no room for the file.',
    next: 'Cancel queued messages with files, wait until others are removed, or ask the operator to raise the limit (POSTHORN_FILES_LIMIT).',
  },
  stored_quota_exceeded: {
    title: 'The organization has no room for more messages.',
    next: 'Wait until old messages are removed, or ask the operator to raise the limit (POSTHORN_STORED_LIMIT).',
  },
  media_pending: {
    title: 'The file is still being fetched.',
    next: 'Try again in a moment.',
  },
  idempotency_in_progress: {
    title: 'The same request is still being answered.',
    next: 'Try again in a moment.',
  },
  event_forgotten: {
    title: 'The event is no longer kept.',
    next: 'The operator sets how long events are kept (POSTHORN_EVENT_RETENTION_DAYS).',
  },
  cursor_expired: {
    title: 'What follows here is no longer kept.',
    next: 'Start again from the beginning.',
  },
  restored: {
    title: 'The server was restored from a backup.',
    next: 'Reload the page. The server may not know what was sent after the backup.',
  },
  body_too_large: {
    title: 'This is too large.',
    next: 'Send a smaller file, or less at once.',
  },
  misdirected_request: {
    title: 'The server does not have this name.',
    next: 'Use the URL that the operator gave you, or ask them to add this name to POSTHORN_ALLOWED_HOSTS.',
  },
  recipient_opted_out: {
    title: 'The recipient wants no marketing.',
    next: 'Other messages still reach them. If the template is not for marketing, name its category.',
  },
  target_not_sent: {
    title: 'The other message was not sent.',
    next: 'It failed, expired or was canceled, so nothing can refer to it.',
  },
  message_not_received: {
    title: 'The message was not received.',
    next: 'Only received messages can be marked as read.',
  },
  not_your_message: {
    title: 'The message is not yours.',
    next: 'Only messages that your account sent can be edited or retracted.',
  },
  message_not_editable: {
    title: 'The message cannot be changed in this way.',
    next: 'Send a new message instead.',
  },
  edit_window_over: {
    title: 'The message was sent too long ago.',
    next: 'The network allows this only for some time. Send a new message.',
  },
  outside_reply_window: {
    title: 'The time to answer freely is over.',
    next: 'Send a template, if the network has them, or wait until the recipient writes again.',
  },
  rate_limited: {
    title: 'Too many requests.',
    next: 'Wait a moment, then try again.',
  },
  too_many_streams: {
    title: 'Too many live connections are open.',
    next: 'Close other tabs of the console, or end some of your waiting requests.',
  },
  too_many_waits: {
    title: 'Too many requests of the organization are waiting for a result.',
    next: 'Try again in a moment.',
  },
  too_many_batches: {
    title: 'Too many batches of the organization are waiting.',
    next: 'Send fewer at the same time, and try again in a moment.',
  },
  group_not_found: {
    title: 'There is no such group.',
    next: 'Check the address, and whether the account is still in the group.',
  },
  too_many_group_changes: {
    title: 'Too many changes of groups.',
    next: 'Wait a while: networks ban accounts that change much.',
  },
  group_requests_waiting: {
    title: 'Too many requests about groups are waiting.',
    next: 'Try again in a moment.',
  },
  outcome_unknown: {
    title: 'The network did not say whether it was done.',
    next: 'Look at the group before you try again.',
  },
  picture_not_found: {
    title: 'The contact shows no picture.',
    next: 'It may be visible to others only. Try again in an hour.',
  },
  too_many_pictures: {
    title: 'Too many pictures have been asked for.',
    next: 'Wait a moment: networks ban accounts that ask about too many people.',
  },
  too_many_checks: {
    title: 'Too many addresses have been checked.',
    next: 'Wait a while: networks ban accounts that ask about too many people.',
  },
  queue_full: {
    title: 'The queue of the instance is full.',
    next: 'Try again once some messages were sent. If none leave, the status of the instance says why.',
  },
  voice_queue_full: {
    title: 'Too many voice notes are waiting to be converted.',
    next: 'Try again later, or send OGG with Opus, which needs no conversion.',
  },
  unsettled_quota_exceeded: {
    title: 'The organization has reached its limit of waiting messages.',
    next: 'Wait until some are sent, cancel some, or ask the operator to raise the limit (POSTHORN_UNSETTLED_LIMIT).',
  },
  headers_too_large: {
    title: 'The request headers are too large.',
    next: 'Delete the cookies of this site, then sign in again.',
  },
  internal_error: {
    title: 'Posthorn failed internally.',
    next: 'Try again. If that does not help, give the operator the ID of the request below.',
  },
  instance_unreachable: {
    title: 'No node can be reached that runs the instance.',
    next: 'Try again in a few seconds.',
  },
  store_unavailable: {
    title: 'The database cannot be reached at the moment.',
    next: 'Nothing was changed. Try again in a moment.',
  },
  answers_not_read: {
    title: 'Too many answers of your organization have not been read.',
    next: 'Some of your programs ask for more than they read. Stop them, then try again.',
  },
  too_many_connections: {
    title: 'The server has reached its limit of connections.',
    next: 'Try again in a moment.',
  },
  shutting_down: {
    title: 'The server is stopping.',
    next: 'Nothing was changed. Try again once it is back.',
  },
  storage_full: {
    title: 'The disk of the server is full.',
    next: 'Nothing was changed. The operator must free some space.',
  },
} as const satisfies ProblemWords
