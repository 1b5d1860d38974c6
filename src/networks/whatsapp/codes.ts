import { type CodeMeaning, messageErrors, triesAgain } from '../../contract/codes.ts'
import type { DescribedReason } from '../driver/driver.ts'
import { memoryReasons } from '../kit/memory-reasons.ts'
import { fileErrors } from '../kit/transfer.ts'

/*
 * Every code that this network gives, as data: connections end with these reasons and messages fail with these errors,
 * and the reference is written from the same rows.
 */

const again = 'Posthorn reconnects.'
const tries = 'Posthorn tries again.'
const tellTheOperator = `${tries} If this continues, tell the operator.`
const linkAgain = 'Link the account again (`POST /v1/instances/{name}/link`).'

function lost(happened: string, next: string): DescribedReason {
  return { ends: 'connection-lost', happened, next }
}

function loggedOut(happened: string, next: string): DescribedReason {
  return { ends: 'credentials-refused', happened, next }
}

function refused(happened: string, next: string): DescribedReason {
  return { ends: 'connection-refused', happened, next }
}

/** Codes about the account, and its link to the phone. */
const accounts = {
  logged_out: loggedOut(
    'The account is no longer linked: this device was removed on the phone, or by WhatsApp, as happens when the phone was ' +
      'offline for two weeks.',
    linkAgain,
  ),
  passkey_required: refused(
    'WhatsApp demands a passkey to link this account, and Posthorn cannot pass one on.',
    'Link another account, for which WhatsApp demands none, or use the WhatsApp Cloud API. Registering this account again does not help.',
  ),
  link_refused: refused(
    'WhatsApp refused the request for a code to link the phone number.',
    'Check the phone number, or link by a QR code. WhatsApp refuses if there were too many attempts; then wait some hours.',
  ),
  link_failed: lost(
    'The response of the phone could not be verified, so nothing was linked.',
    tellTheOperator,
  ),
  replaced: lost(
    'Another program uses the same link to the account.',
    `${tries} If two servers run on copies of one data folder, stop one of them. If not, the keys were copied: remove the device on the phone, and link the account again.`,
  ),
  account_locked: refused(
    'WhatsApp has locked the account.',
    'Open WhatsApp on the phone, which says why. Start the instance when the account can be used there again.',
  ),
  account_banned: refused(
    'WhatsApp has banned the account.',
    'Open WhatsApp on the phone, where you can request a review. Start the instance when the account can be used there again.',
  ),
  temporarily_banned: refused(
    'WhatsApp has banned the account for a time.',
    'Start the instance when the ban is over. Every attempt before that makes it worse.',
  ),
  client_outdated: refused(
    'WhatsApp refuses the client: its version is too old, or WhatsApp does not accept the name of its browser.',
    'Ask the operator to set a current version (`POSTHORN_WHATSAPP_VERSION`), and a usual browser ' +
      '(`POSTHORN_WHATSAPP_BROWSER`), then start the instance.',
  ),
  refused_by_whatsapp: refused(
    'WhatsApp refused the connection, and Posthorn does not know why.',
    'Open WhatsApp on the phone, which may say more. Then start the instance. If it is refused again, tell the operator.',
  ),
} satisfies Record<string, DescribedReason>

/** Codes about the way to WhatsApp. */
const ways = {
  server_unreachable: lost('WhatsApp cannot be reached.', tries),
  address_not_allowed: refused(
    'The operator does not let instances connect to the address of WhatsApp.',
    'Ask the operator to allow that address (`POSTHORN_CONNECT_ALLOW_CIDRS`), then start the instance.',
  ),
  tls_failed: lost(
    'No encrypted connection to WhatsApp could be opened, for example because of a certificate.',
    `${tellTheOperator} A proxy that looks into connections is refused as well.`,
  ),
  server_not_proven: lost(
    'The server could not prove that it is WhatsApp.',
    `${tellTheOperator} Nothing is sent until it can.`,
  ),
  not_whatsapp: lost(
    'The server is not WhatsApp.',
    `${tries} If this continues, ask the operator to check any proxy in between.`,
  ),
  connection_reset: lost('The connection to WhatsApp broke, or WhatsApp closed it.', again),
  answer_timeout: lost('WhatsApp did not respond in time.', again),
  stream_error: lost('WhatsApp ended the connection for an unknown reason.', again),
  server_error: lost('WhatsApp failed.', tries),
  service_unavailable: lost('WhatsApp does not accept connections at the moment.', tries),
  proxy_unreachable: lost(
    'The proxy cannot be reached, or does not reach WhatsApp.',
    `${tries} Check the proxy in \`settings\`.`,
  ),
  proxy_refused: refused(
    'The proxy refused the user name or the password.',
    'Set the right ones (`PUT /v1/instances/{name}/credentials`), then start the instance.',
  ),
  proxy_not_allowed: refused(
    'The proxy is at an address to which the operator does not let instances connect.',
    'Use a proxy with a public address, or ask the operator to allow the address (`POSTHORN_CONNECT_ALLOW_CIDRS`), then start the instance.',
  ),
} satisfies Record<string, DescribedReason>

/** Codes about this server. */
const here = {
  message_not_stored: lost(
    'A message that came in could not be stored in time: the store is slow, or the organization has no room for messages.',
    `${again} WhatsApp sends the message again, and nothing more is taken before there is room.`,
  ),
  keys_not_stored: lost(
    'A key of the link could not be stored. Nothing is sent with a key that may be lost.',
    tellTheOperator,
  ),
  too_many_keys: refused(
    'The link has more keys than an instance may store.',
    'Remove this device in WhatsApp on the phone (“Linked devices”), start the instance, and link the account again once it ' +
      'is `logged_out`. Or have the operator raise `POSTHORN_KEY_LIMIT`.',
  ),
  worker_crashed: lost('The process that held the connection ended.', `${again} Tell the operator.`),
  worker_silent: lost(
    'The process that held the connection stopped responding, and was ended.',
    `${again} Tell the operator.`,
  ),
  worker_out_of_memory: lost(
    'The process that held the connection needed more memory than it may have, and was ended.',
    `${again} If it happens again, have the operator look for the cause in the log, or raise \`POSTHORN_WHATSAPP_WORKER_MEMORY_MB\`.`,
  ),
  quarantined: lost(
    'Processes ended more than once while they worked for this account, so it is kept apart from all others.',
    'Posthorn tries again with a process for this account alone, each time after a longer pause. Tell the operator; look at ' +
      'what the phone or others send to the account.',
  ),
  quarantine_over: lost('For an hour, nothing happened while the account was kept apart.', again),
  library_missing: refused(
    'The library for this network (`baileys`) is not installed on the server.',
    'Ask the operator to install the optional dependencies of Posthorn (the log of the server has the command), then start the instance.',
  ),
  internal_error: lost('The connection failed internally.', `${again} If this continues, tell the operator.`),
} satisfies Record<string, DescribedReason>

/** Why a connection may end. */
export const reasons = { ...accounts, ...ways, ...here, ...memoryReasons } satisfies Record<
  string,
  DescribedReason
>
export type ReasonCode = keyof typeof reasons

const recipients = {
  recipient_not_on_network: {
    happened: 'The phone number has no WhatsApp account.',
    next: 'Check the number. Sending to many numbers without an account gets the sender restricted.',
  },
  recipient_unreachable: {
    happened: 'The recipient has a WhatsApp account, but no device that could read the message.',
    next: triesAgain,
  },
  recipient_refused: {
    happened: 'WhatsApp does not let this account write to the recipient, who may not know the account.',
    next: 'Wait until they write to you. Further attempts count against the account.',
  },
  reach_out_restricted: {
    happened:
      'WhatsApp does not let this account write to new people for a time, because it did so too often.',
    next: 'You can still reply to people who wrote to the account. `restriction` of the instance shows until when, if WhatsApp says so.',
  },
  new_chats_limit: {
    happened: 'The account has written to as many new people as WhatsApp allows for a time.',
    next: 'You can still reply to people who wrote to the account. `restriction` of the instance shows until when, if WhatsApp says so.',
  },
  not_in_group: {
    happened: 'There is no such group, or the account is not in it, or may not write in it.',
    next: 'Have an administrator of the group add the account, or let it write.',
  },
} satisfies Record<string, CodeMeaning>

/** Codes of questions and orders about groups, their members, and people. */
const groups = {
  group_admin_required: {
    happened: 'Only administrators of the group may do that, and the account is none, or not in the group.',
    next: 'Have an administrator of the group make the account one, on a phone.',
  },
  group_subject_refused: {
    happened: 'WhatsApp does not accept this subject of a group.',
    next: 'Choose another one, of 100 characters at most.',
  },
  group_description_refused: {
    happened: 'WhatsApp does not accept this description of a group.',
    next: 'Choose another one, of 2,048 characters at most.',
  },
  group_description_changed: {
    happened: 'The description of the group was changed at the same time.',
    next: 'Get the group, and change its description again if that is still needed.',
  },
  group_invitation_invalid: {
    happened:
      'The invitation leads to no group: it is wrong, or was renewed, or is not meant for this account.',
    next: 'Ask an administrator of the group for a link that begins with `https://chat.whatsapp.com/`.',
  },
  group_approval_needed: {
    happened: 'An administrator of the group must approve first. WhatsApp has told them of the request.',
    next: 'Wait for `group.changed`, which tells that the account joined. Further requests change nothing.',
  },
  join_request_missing: {
    happened: 'The person does not ask to join the group: the request was answered or withdrawn.',
    next: 'List the requests. People who were declined may ask again.',
  },
  group_full: {
    happened: 'The group has as many members as WhatsApp allows.',
    next: 'Remove members before you add others.',
  },
  group_is_community: {
    happened: 'This is a community, or its announcements, and no group.',
    next: 'Use one of the groups in the community. Communities can be managed on the phone.',
  },
  member_invitation_needed: {
    happened: 'The person does not let this account add them to groups.',
    next: 'Send them the link to the group (`invite_link`). Do not try again: each attempt counts against the account.',
  },
  member_left_lately: {
    happened: 'The person left the group a short time ago, and cannot be added yet.',
    next: 'Send them the link to the group (`invite_link`), or wait some days.',
  },
  member_already: { happened: 'The person is in the group already.', next: 'Nothing needs to be done.' },
  member_missing: {
    happened: 'The person is not in the group.',
    next: 'Get the group to see its members. Name people as it does.',
  },
  member_refused: {
    happened: 'WhatsApp refused the change of this member.',
    next: '`network_code` is the code of WhatsApp. The person who made a group cannot be removed from it.',
  },
  question_refused: {
    happened: 'WhatsApp refused what it was asked for.',
    next: '`network_code` is the code of WhatsApp. If nothing in the request is unusual, tell the operator.',
  },
} satisfies Record<string, CodeMeaning>

const messages = {
  text_not_representable: {
    happened:
      'The text, the caption or the file name contains a null character or an unpaired surrogate, which WhatsApp cannot carry.',
    next: 'Send a new message without it.',
  },
  caption_not_supported: {
    happened: 'WhatsApp has no captions for audio and stickers.',
    next: 'Send the file without a caption, and the caption as a text.',
  },
  file_empty: { happened: 'WhatsApp does not accept empty files.', next: 'Send a file with content.' },
  file_too_large: {
    happened: 'The file is larger than WhatsApp accepts at the moment.',
    next: 'Send a smaller file.',
  },
  upload_failed: {
    happened: 'The file could not be uploaded to WhatsApp, and nothing was sent.',
    next: triesAgain,
  },
  upload_refused: {
    happened: 'WhatsApp refused the file, and nothing was sent.',
    next: 'Check that the file is of the type that its name says, then send a new message.',
  },
  edit_window_over: messageErrors.edit_window_over,
  message_malformed: {
    happened: 'WhatsApp did not accept the form of the message, or the devices of the recipient had changed.',
    next: 'Send a new message. If it fails again, tell the operator.',
  },
  message_refused: {
    happened: 'WhatsApp refused the message.',
    next: '`network_code` is the code of WhatsApp. If nothing in the message is unusual, tell the operator.',
  },
} satisfies Record<string, CodeMeaning>

const passing = {
  not_connected: { happened: 'The instance was not connected.', next: triesAgain },
  network_unreachable: {
    happened: 'WhatsApp could not be reached, or did not say how to address the recipient. Nothing was sent.',
    next: triesAgain,
  },
  rate_limited: {
    happened: 'The account sends or asks more than WhatsApp allows at the moment.',
    next: triesAgain,
  },
  server_error: { happened: 'WhatsApp failed, and did not take the message.', next: triesAgain },
} satisfies Record<string, CodeMeaning>

/** Why a message, or a question, may be refused or deferred. */
export const errors = {
  ...recipients,
  ...groups,
  ...messages,
  ...passing,
  ...fileErrors,
} satisfies Record<string, CodeMeaning>
export type ErrorCode = keyof typeof errors

export const notices = {
  sent_as_document: {
    happened: 'Not every client of WhatsApp shows or plays this type of file, so it was sent as a document.',
    next: 'Nothing needs to be done. Images are shown as JPEG or PNG, and videos as MP4 or 3GP; audio is played as OGG with Opus, MP3, MP4, AAC or AMR.',
  },
  sent_as_audio: {
    happened: 'WhatsApp does not take the file as a voice note, so it was sent as audio.',
    next: 'Send voice notes as OGG with Opus.',
  },
} satisfies Record<string, CodeMeaning>
export type NoticeCode = keyof typeof notices

/** Restrictions that WhatsApp may put on an account, or warn of. */
export const restrictions = {
  reach_out_restricted: {
    happened: 'WhatsApp does not let the account write to new people, because it did so too often.',
    next: 'You can still reply to people who wrote to the account. Write to fewer people who do not expect it.',
  },
  temporarily_banned: {
    happened: 'WhatsApp has banned the account for a time.',
    next: 'Start the instance when the ban is over. Every attempt before that makes it worse.',
  },
  new_chats_limit_near: {
    happened: 'The account has written to almost as many new people as WhatsApp allows.',
    next: 'Write to new people more slowly. WhatsApp restricts the account when the limit is reached.',
  },
  new_chats_limit: {
    happened: 'The account has written to as many new people as WhatsApp allows.',
    next: 'You can still reply to people who wrote to the account.',
  },
} satisfies Record<string, CodeMeaning>
export type RestrictionCode = keyof typeof restrictions
