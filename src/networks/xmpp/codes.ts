import { type CodeMeaning, triesAgain } from '../../contract/codes.ts'
import type { DescribedReason } from '../driver/driver.ts'
import { memoryReasons } from '../kit/memory-reasons.ts'
import { fileErrors } from '../kit/transfer.ts'

/*
 * Every code that this network gives, as data: connections end with these reasons and messages fail with these errors,
 * and the reference is written from the same rows.
 */

const again = 'Posthorn reconnects.'
const tries = 'Posthorn tries again.'
const askTheServer = `${tries} If this continues, ask the operator of the server.`

function lost(happened: string, next: string): DescribedReason {
  return { ends: 'connection-lost', happened, next }
}

function loggedOut(happened: string, next: string): DescribedReason {
  return { ends: 'credentials-refused', happened, next }
}

function refused(happened: string, next: string): DescribedReason {
  return { ends: 'connection-refused', happened, next }
}

const reaching = {
  address_not_allowed: refused(
    'The operator does not let instances connect to the address of the server.',
    'Ask the operator to allow that address (`POSTHORN_CONNECT_ALLOW_CIDRS`), then start the instance.',
  ),
  server_not_found: lost(
    'No server for the address was found in DNS.',
    `${tries} Check the domain of \`address\`. If DNS does not list the server, name it in \`service\`.`,
  ),
  server_unreachable: lost(
    'No server responds at the address.',
    `${tries} If this continues, check that the server is running and that \`service\` is right.`,
  ),
  connection_failed: lost('The connection failed.', tries),
  connection_reset: lost('The server reset the connection.', again),
  connection_closed: lost('The server closed the connection.', again),
  connect_timeout: lost('The server did not complete the login in time.', askTheServer),
  not_xmpp: lost(
    'The server did not respond like an XMPP server.',
    `${tries} Check the host and the port in \`service\`.`,
  ),
  tls_failed: lost(
    'The encrypted connection could not be set up.',
    `${tries} If this continues, check \`service\`: \`xmpp://\` is for STARTTLS, \`xmpps://\` for TLS from the first byte.`,
  ),
  certificate_not_trusted: lost(
    'Posthorn does not trust the certificate of the server.',
    `${tries} The server needs a certificate that is valid for the domain of \`address\`. If it is signed by a private certificate ` +
      "authority, have the operator start Posthorn with that authority's file in `NODE_EXTRA_CA_CERTS`.",
  ),
  login_too_long: lost('The server sent too much data before the login was complete.', askTheServer),
  encryption_required: refused(
    'The server offers no encryption, and Posthorn sends nothing without it.',
    'Enable encryption on the server, then start the instance. For a server on the same machine, you can set `allow_plaintext`.',
  ),
}

const loggingIn = {
  not_authorized: loggedOut(
    'The server refused the address or the password.',
    'Set the right password (`PUT /v1/instances/{name}/credentials`). If the address is wrong, remove the instance and create it again.',
  ),
  password_missing: loggedOut(
    'There is no password to log in with.',
    'Set one (`PUT /v1/instances/{name}/credentials`).',
  ),
  credentials_expired: loggedOut(
    'The password has expired.',
    'Set the new one (`PUT /v1/instances/{name}/credentials`).',
  ),
  account_disabled: loggedOut(
    'The server has disabled the account.',
    'Have the account enabled on the server, then start the instance.',
  ),
  address_taken: loggedOut(
    'The account could not be registered because it already exists, and its password is not known.',
    'Set the password of the account (`PUT /v1/instances/{name}/credentials`), or create the instance again with another address.',
  ),
  no_common_mechanism: refused(
    'The server and Posthorn have no login mechanism in common.',
    'Enable SCRAM-SHA-256, SCRAM-SHA-1 or PLAIN on the server, then start the instance.',
  ),
  login_needs_encryption: lost(
    'The server accepts no password on this unencrypted connection.',
    `${tries} If this continues, remove the setting \`allow_plaintext\` (\`PATCH /v1/instances/{name}\`).`,
  ),
  temporary_auth_failure: lost('The server cannot check passwords at the moment.', tries),
  authentication_failed: lost('The login failed.', askTheServer),
  login_too_costly: refused(
    'The server demands more than 100,000 SCRAM iterations to log in.',
    'Have the server demand fewer, for example 10,000, then start the instance.',
  ),
  login_too_weak: refused(
    'The server demands too few SCRAM iterations, so the password would be too easy to guess.',
    'Have the server demand at least 4,096, then start the instance.',
  ),
  server_not_trusted: lost(
    'The server could not prove that it knows the account.',
    `${tries} Nothing is sent until it can. If this continues, check that \`service\` leads to the right server.`,
  ),
  no_resource: lost('The server did not assign a resource to the connection.', askTheServer),
  registration_deferred: lost('The server does not register accounts at the moment.', tries),
  registration_not_offered: refused(
    'The server does not offer registration of accounts.',
    'Have an account made there, remove the instance, and create it again with the password and without `register`.',
  ),
  registration_needs_a_person: refused(
    'The server asks for more than a name and a password to register.',
    'Register the account yourself, remove the instance, and create it again with the password and without `register`.',
  ),
  registration_refused: refused(
    'The server refused to register the account.',
    'Have an account made there, remove the instance, and create it again with the password and without `register`.',
  ),
}

const connected = {
  probe_timeout: lost('The server did not respond to a probe in time.', again),
  acknowledgement_timeout: lost('The server did not acknowledge a message in time.', again),
  acknowledgement_out_of_range: lost('The server acknowledged something that was never sent.', askTheServer),
  replaced: lost(
    'Another connection logged in to the account under the resource `posthorn`.',
    'Posthorn reconnects after a while. Make sure that nothing else logs in to the account under that resource.',
  ),
  connection_timeout: lost('The server received nothing from Posthorn for too long.', again),
  session_ended: lost('The server ended the session.', again),
  stream_closed: lost('The server closed the stream.', again),
  stream_error: lost('The server ended the stream for an unknown reason.', again),
  stream_rejected: lost('The server rejected the stream.', askTheServer),
  stream_malformed: lost('The server sent invalid XML.', askTheServer),
  stanza_too_large: lost('The server sent a stanza that is too large.', askTheServer),
  answers_not_taken: lost('The server does not read what Posthorn sends.', again),
  ...memoryReasons,
  policy_violation: lost('Something that Posthorn sent breaks a rule of the server.', askTheServer),
  redirected: lost(
    'The server redirected the connection to another host, and Posthorn does not follow redirects.',
    `${tries} If that host is right, set it as \`service\` (\`PATCH /v1/instances/{name}\`).`,
  ),
  domain_not_served: lost(
    'The server does not serve the domain of the address.',
    `${tries} Check the domain of \`address\`, and \`service\`.`,
  ),
  server_shutdown: lost('The server is shutting down, or asked Posthorn to reconnect.', again),
  server_busy: lost('The server is too busy for the connection at the moment.', tries),
  server_error: lost('The server failed.', tries),
  internal_error: lost(
    'Posthorn could not handle something that the server sent.',
    'Posthorn reconnects. If this continues, tell the operator of Posthorn; the log has the cause.',
  ),
}

/** Why a connection may end. */
export const reasons = { ...reaching, ...loggingIn, ...connected } satisfies Record<string, DescribedReason>
export type ReasonCode = keyof typeof reasons

const checkTheAddress = 'Check the address.'
const later = 'Send a new message later.'

const messages = {
  recipient_unknown: { happened: 'The address of the recipient does not exist.', next: checkTheAddress },
  recipient_unavailable: {
    happened: 'The recipient does not exist, or is offline and their server does not store messages.',
    next: 'Check the address. If it is right, send a new message when they are back.',
  },
  recipient_gone: {
    happened: 'The address of the recipient is no longer in use.',
    next: 'Ask the recipient for another one.',
  },
  recipient_moved: {
    happened: 'The recipient now has another address.',
    next: 'Ask the recipient for it.',
  },
  address_malformed: {
    happened: 'A server on the way did not accept the address of the recipient.',
    next: checkTheAddress,
  },
  remote_server_not_found: {
    happened: 'The server of the recipient cannot be found.',
    next: 'Check the domain of the address.',
  },
  remote_server_timeout: { happened: 'The server of the recipient did not respond in time.', next: later },
  not_allowed: {
    happened: 'The account may not write to this recipient.',
    next: 'Ask the recipient to add the account to their contacts: many accept messages only from contacts.',
  },
  not_authorized: {
    happened: 'The account needs permission to write to this recipient.',
    next: "Ask the recipient, or the operator of the recipient's server.",
  },
  not_acceptable: {
    happened: "The recipient's side did not accept the message.",
    next: 'Change the message, or ask the recipient what they accept.',
  },
  not_supported: {
    happened: "The recipient's side does not support such messages.",
    next: 'Reach the recipient at another address.',
  },
  policy_violation: {
    happened: 'The message breaks a rule of a server on the way.',
    next: "Change the message, or ask the operator of the account's server which rule it is.",
  },
  text_not_representable: {
    happened: 'The text, the caption or the file name contains a control character, which XMPP cannot carry.',
    next: 'Send a new message without it.',
  },
  target_without_id: {
    happened:
      'The client that wrote the other message gave it no id, and without one XMPP cannot refer to it.',
    next: 'Send a text without `reply_to`.',
  },
  caption_missing: {
    happened: 'The file was sent without a caption, and XMPP cannot add one afterwards.',
    next: 'Send the words as a text that replies to the file.',
  },
  message_malformed: {
    happened: 'A server on the way could not understand the message.',
    next: 'Tell the operator: either that server or Posthorn has a bug.',
  },
  conflict: {
    happened: 'A server on the way reported a conflict between this message and another.',
    next: later,
  },
  rate_limited: { happened: 'A server on the way limits how many messages it accepts.', next: later },
  server_error: { happened: 'A server on the way failed.', next: later },
  undefined_condition: {
    happened: 'The message was refused for an unknown reason.',
    next: "Ask the operator of the account's server; `network_code` is the network's own code.",
  },
}

const askItsOperator = 'Ask the operator of that server.'

/**
 * Files are uploaded before anything is sent to the recipient: with each of these, it is certain that no recipient has the
 * message.
 */
const uploads = {
  upload_unavailable: {
    happened: 'The server of the account has no upload service for files (XEP-0363).',
    next: 'Ask the operator of that server to add one, or send a text with a link.',
  },
  file_too_large: {
    happened: 'The file is larger than the server of the account accepts.',
    next: 'Send a smaller file.',
  },
  upload_refused: {
    happened: 'The server of the account refused the file.',
    next: `${askItsOperator} \`network_code\` is the error that it gave.`,
  },
  upload_address_not_allowed: {
    happened:
      'The server of the account wants the file uploaded to an address that the operator does not let instances connect to.',
    next: 'Ask the operator to allow that address (`POSTHORN_CONNECT_ALLOW_CIDRS`), then send a new message.',
  },
  upload_slot_unusable: {
    happened: 'The server of the account offered no upload URL that Posthorn can use.',
    next: `${askItsOperator} It must be an \`https\` URL.`,
  },
  upload_deferred: {
    happened: 'The server of the account accepts no files at the moment.',
    next: triesAgain,
  },
  upload_failed: { happened: 'The file could not be uploaded.', next: triesAgain },
  upload_timeout: { happened: 'The file was not uploaded in time.', next: triesAgain },
  upload_interrupted: { happened: 'The connection ended before the file was uploaded.', next: triesAgain },
}

const joinAgain = 'Join the room again (`POST /v1/instances/{name}/groups/join`).'

const rooms = {
  not_in_room: { happened: 'The account is not in this room.', next: joinAgain },
  recipient_is_room: {
    happened: 'The address is that of a room, and was written like that of a person.',
    next: 'Write it as `room@rooms.example.org?join`.',
  },
  room_not_found: { happened: 'There is no room at this address.', next: checkTheAddress },
  room_members_only: {
    happened: 'Only members may enter this room.',
    next: 'Ask an administrator of the room to add the account.',
  },
  room_forbidden: {
    happened: 'The room does not allow the account to do that.',
    next: 'Ask an administrator of the room.',
  },
  room_password: {
    happened: 'The room needs a password, and Posthorn has none for rooms.',
    next: 'Ask an administrator of the room to remove it, or to make the account a member.',
  },
  room_full: { happened: 'The room lets no more people in at the moment.', next: later },
  room_nick_taken: {
    happened: "The account's name is taken in this room, and so are others like it.",
    next: later,
  },
  room_silent: { happened: 'The room did not answer in time.', next: later },
  room_refused: {
    happened: 'The room refused the request.',
    next: 'Ask an administrator of the room; `network_code` is the error that it gave.',
  },
  rooms_unavailable: {
    happened: 'The server of the account has no service for rooms (XEP-0045).',
    next: 'Ask its operator to add one, or join a room elsewhere.',
  },
  too_many_rooms: {
    happened: 'The account is in as many rooms as Posthorn allows: 200.',
    next: 'Leave a room first.',
  },
  invite_link_fixed: {
    happened: 'The link to a room is its address, so it cannot be replaced by another.',
    next: 'Remove members instead, or create another room.',
  },
}

const people = {
  picture_too_large: {
    happened: 'The picture is larger than Posthorn reads over XMPP: about 190 kB.',
    next: 'Ask the person for it as a file.',
  },
}

/** Why a message may be refused or given back, and what else may be refused. */
export const errors = { ...messages, ...uploads, ...fileErrors, ...rooms, ...people } satisfies Record<
  string,
  CodeMeaning
>
export type ErrorCode = keyof typeof errors
