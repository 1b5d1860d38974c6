import { type CodeMeaning, triesAgain } from '../../contract/codes.ts'
import type { DescribedReason } from '../driver.ts'
import { fileErrors } from '../transfer.ts'

/*
 * Every code that this network gives, as data: connections end with these reasons and messages fail with these errors,
 * and the reference is written from the same rows.
 */

const again = 'Posthorn connects again.'
const tries = 'Posthorn tries again.'
const askTheServer = `${tries} If it lasts, ask the operator of the server.`

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
    'Ask the operator to allow it (`POSTHORN_CONNECT_ALLOW_CIDRS`), then start the instance.',
  ),
  server_not_found: lost(
    'DNS knows no server for the address.',
    `${tries} Check the domain of \`address\`; where DNS does not know the server, \`service\` must name it.`,
  ),
  server_unreachable: lost(
    'Nothing answers at the address of the server.',
    `${tries} If it lasts, check that the server runs, and that \`service\` is right.`,
  ),
  connection_failed: lost('The connection failed.', tries),
  connection_reset: lost('The server cut the connection.', again),
  connection_closed: lost('The server closed the connection.', again),
  connect_timeout: lost('The server did not complete the login in time.', askTheServer),
  not_xmpp: lost(
    'The server did not answer as an XMPP server does.',
    `${tries} Check the host and the port of \`service\`.`,
  ),
  tls_failed: lost(
    'The encrypted connection could not be set up.',
    `${tries} If it lasts, check \`service\`: \`xmpp://\` is for STARTTLS, \`xmpps://\` for TLS from the first byte.`,
  ),
  certificate_not_trusted: lost(
    'The certificate of the server was not accepted.',
    `${tries} The server needs a certificate that is valid for the domain of \`address\`. If an authority of your own signed it, have ` +
      'the operator name the file of that authority in `NODE_EXTRA_CA_CERTS` when Posthorn starts.',
  ),
  login_too_long: lost('The server sent too much before the login was complete.', askTheServer),
  encryption_required: refused(
    'The server offers no encryption, and nothing is sent without it.',
    'Have it turned on at the server, then start the instance. For a server on the same machine there is `allow_plaintext`.',
  ),
}

const loggingIn = {
  not_authorized: loggedOut(
    'The server refused the address or the password.',
    'Put the right password (`PUT /v1/instances/{name}/credentials`). If the address is wrong, remove the instance and create it again.',
  ),
  password_missing: loggedOut(
    'There is no password to log in with.',
    'Put one (`PUT /v1/instances/{name}/credentials`).',
  ),
  credentials_expired: loggedOut(
    'The password has expired.',
    'Put the new one (`PUT /v1/instances/{name}/credentials`).',
  ),
  account_disabled: loggedOut(
    'The server has disabled the account.',
    'Have it enabled at the server, then start the instance.',
  ),
  address_taken: loggedOut(
    'The account was to be registered, but it exists already, and its password is not known.',
    'Put the password of the account (`PUT /v1/instances/{name}/credentials`), or create the instance again with another address.',
  ),
  no_common_mechanism: refused(
    'The server and Posthorn share no way to log in.',
    'Have SCRAM-SHA-256, SCRAM-SHA-1 or PLAIN turned on at the server, then start the instance.',
  ),
  login_needs_encryption: lost(
    'The server takes no password on this unencrypted connection.',
    `${tries} If it lasts, remove the instance, and create it again without \`allow_plaintext\`.`,
  ),
  temporary_auth_failure: lost('The server cannot check passwords just now.', tries),
  authentication_failed: lost('The login failed.', askTheServer),
  login_too_costly: refused(
    'The server asks for a login that takes too much computation.',
    'Have its SCRAM iterations lowered, to 10,000 for example, or ask the operator of Posthorn (`POSTHORN_XMPP_ITERATION_LIMIT`); then start the instance.',
  ),
  login_too_weak: refused(
    'The server asks for a login that would give the password away too easily.',
    'Have its SCRAM iterations raised to 4,096 at least, then start the instance.',
  ),
  server_not_trusted: lost(
    'The server could not prove that it knows the account.',
    `${tries} Nothing is sent until it can. If it lasts, check that \`service\` leads to the right server.`,
  ),
  no_resource: lost('The server gave the connection no resource.', askTheServer),
  registration_deferred: lost('The server registers nobody just now.', tries),
  registration_not_offered: refused(
    'The server does not let accounts be registered.',
    'Have an account made there, remove the instance, and create it again with the password and without `register`.',
  ),
  registration_needs_a_person: refused(
    'The server asks for more than a name and a password to register.',
    'Register there yourself, remove the instance, and create it again with the password and without `register`.',
  ),
  registration_refused: refused(
    'The server refused to register the account.',
    'Have an account made there, remove the instance, and create it again with the password and without `register`.',
  ),
}

const connected = {
  probe_timeout: lost('The server did not answer a probe in time.', again),
  acknowledgement_timeout: lost('The server did not acknowledge a message in time.', again),
  acknowledgement_out_of_range: lost('The server acknowledged what was never sent.', askTheServer),
  replaced: lost(
    'Another connection logged in to the account under the resource `posthorn`.',
    'Posthorn connects again after a while. Let nothing else log in to the account under that resource.',
  ),
  connection_timeout: lost('The server heard nothing from Posthorn for too long.', again),
  session_ended: lost('The server ended the session.', again),
  stream_closed: lost('The server closed the stream.', again),
  stream_error: lost('The server ended the stream without a known reason.', again),
  stream_rejected: lost('The server rejected the stream.', askTheServer),
  stream_malformed: lost('The server sent something that is no proper XML.', askTheServer),
  stanza_too_large: lost('The server sent a stanza that is larger than any may be.', askTheServer),
  answers_not_taken: lost('The server takes nothing of what is written to it.', again),
  memory_of_connection: lost(
    'More waited in memory for this connection than may.',
    'Posthorn connects again. If it lasts, ask the operator of the server why it sends or leaves so much at once.',
  ),
  memory_of_organization: lost(
    'More waited in memory for all connections of the organization than may, most of it for this one.',
    'Posthorn connects again. If it lasts, let fewer instances connect at a time, or ask the operator of Posthorn.',
  ),
  memory_of_server: lost(
    'Posthorn is short of memory, and most of it waited for this connection.',
    'Posthorn connects again. If it lasts, tell its operator.',
  ),
  policy_violation: lost('Something that was sent breaks a rule of the server.', askTheServer),
  redirected: lost(
    'The server asked to connect to another host, which Posthorn does not follow.',
    `${tries} If that host is right, remove the instance, and create it again with the host in \`service\`.`,
  ),
  domain_not_served: lost(
    'The server does not serve the domain of the address.',
    `${tries} Check the domain of \`address\`, and \`service\`.`,
  ),
  server_shutdown: lost('The server is shutting down, or asked to connect anew.', again),
  server_busy: lost('The server has no room for the connection just now.', tries),
  server_error: lost('The server failed.', tries),
  internal_error: lost(
    'Posthorn could not handle something that the server sent.',
    'It connects again; if that lasts, tell the operator, whose log has the cause.',
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
    happened: 'The recipient does not exist, or is away and their server keeps no messages for them.',
    next: 'Check the address. If it is right, send a new message when they are back.',
  },
  recipient_gone: {
    happened: 'The address of the recipient is not in use any more.',
    next: 'Ask the recipient for another one.',
  },
  recipient_moved: {
    happened: 'The recipient takes messages at another address.',
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
  remote_server_timeout: { happened: 'The server of the recipient did not answer in time.', next: later },
  not_allowed: {
    happened: 'The account may not write to this recipient.',
    next: 'Ask the recipient to add the account to their contacts: many take messages from those only.',
  },
  not_authorized: {
    happened: 'The account needs a permission to write to this recipient.',
    next: "Ask the recipient, or the operator of the recipient's server.",
  },
  not_acceptable: {
    happened: "The recipient's side did not accept the message.",
    next: 'Change the message, or ask the recipient what they take.',
  },
  not_supported: {
    happened: "The recipient's side does not take such messages.",
    next: 'Reach the recipient at another address.',
  },
  policy_violation: {
    happened: 'The message breaks a rule of a server on the way.',
    next: "Change the message, or ask the operator of the account's server which rule it is.",
  },
  text_not_representable: {
    happened:
      'The text has a control character, which XMPP cannot carry; so may a caption or the name of a file.',
    next: 'Send a new message without it.',
  },
  message_malformed: {
    happened: 'A server on the way could not make sense of the message.',
    next: 'Tell the operator: either that server or Posthorn has a fault.',
  },
  conflict: { happened: 'A server on the way found the message in conflict with another.', next: later },
  rate_limited: { happened: 'A server on the way takes no more messages just now.', next: later },
  server_error: { happened: 'A server on the way failed.', next: later },
  undefined_condition: {
    happened: 'The message was refused without a known reason.',
    next: "Ask the operator of the account's server; `network_code` is what the network called it.",
  },
}

const askItsOperator = 'Ask the operator of that server.'

/** Files are uploaded before anything is said to the recipient: with each of these, it is certain that nobody got it. */
const uploads = {
  upload_unavailable: {
    happened: 'The server of the account has no service that takes files (XEP-0363).',
    next: 'Ask the operator of that server for one, or send a text with a link.',
  },
  file_too_large: {
    happened: 'The file is larger than the server of the account takes.',
    next: 'Send a smaller file.',
  },
  upload_refused: {
    happened: 'The server of the account does not take the file.',
    next: `${askItsOperator} \`network_code\` is what it answered.`,
  },
  upload_address_not_allowed: {
    happened:
      'The server of the account wants the file at an address to which the operator lets no instance connect.',
    next: 'Ask the operator to allow it (`POSTHORN_CONNECT_ALLOW_CIDRS`), then send a new message.',
  },
  upload_slot_unusable: {
    happened: 'The server of the account named no place for the file that Posthorn can use.',
    next: `${askItsOperator} The place must be an \`https\` URL.`,
  },
  upload_deferred: {
    happened: 'The server of the account takes no file just now.',
    next: triesAgain,
  },
  upload_failed: { happened: 'The file could not be uploaded.', next: triesAgain },
  upload_timeout: { happened: 'The file was not uploaded in time.', next: triesAgain },
  upload_interrupted: { happened: 'The connection ended before the file was uploaded.', next: triesAgain },
}

/** Why a message may be refused or given back. */
export const errors = { ...messages, ...uploads, ...fileErrors } satisfies Record<string, CodeMeaning>
export type ErrorCode = keyof typeof errors
