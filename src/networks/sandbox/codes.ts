import { type CodeMeaning, triesAgain } from '../../contract/codes.ts'
import type { DescribedReason } from '../driver/driver.ts'
import type { NetworkError } from '../driver/outcome.ts'
import { coded } from '../kit/coded.ts'
import { templateErrors } from '../kit/template-codes.ts'
import { fileErrors } from '../kit/transfer.ts'

/*
 * Every code that the sandbox gives, as data: scripts name them, and the reference is written from the same rows.
 */

/** Why a connection may end. */
export const reasons = {
  token_refused: {
    ends: 'credentials-refused',
    happened: 'The sandbox refuses this token.',
    next: 'Replace the token (`PUT /v1/instances/{name}/credentials`). If `behaviour` refuses it, set another (`PATCH /v1/instances/{name}`).',
  },
  logged_out: {
    ends: 'credentials-refused',
    happened: 'The account was logged out at the sandbox.',
    next: 'Start the instance to play the script again.',
  },
  client_refused: {
    ends: 'connection-refused',
    happened: 'The sandbox does not admit this client.',
    next: 'Set another `behaviour` (`PATCH /v1/instances/{name}`).',
  },
  network_unreachable: {
    ends: 'connection-lost',
    happened: 'The sandbox cannot be reached.',
    next: 'Posthorn tries again.',
  },
  connection_dropped: {
    ends: 'connection-lost',
    happened: 'The sandbox dropped the connection.',
    next: 'Posthorn reconnects.',
  },
  link_not_kept: {
    ends: 'connection-lost',
    happened: 'The account was linked, but its new credentials could not be stored.',
    next: 'Posthorn reconnects, and asks for another link.',
  },
} satisfies Record<string, DescribedReason>
export type ReasonCode = keyof typeof reasons

/** Why a message may be refused, deferred or given back. */
export const errors = {
  recipient_unknown: {
    happened: 'The sandbox has no such recipient.',
    next: 'Check the address.',
  },
  recipient_busy: {
    happened: 'The recipient cannot receive messages at the moment.',
    next: triesAgain,
  },
  recipient_gone: {
    happened: 'The sandbox accepted the message and then returned it: the recipient is gone.',
    next: 'Ask the recipient for another address.',
  },
  outside_reply_window: {
    happened: 'The recipient wrote too long ago, or never.',
    next: 'Send a message from a template, or wait until the recipient writes.',
  },
  message_refused: {
    happened: 'The sandbox refuses to deliver this message.',
    next: 'Change the message, or choose another recipient.',
  },
  slow_down: {
    happened: 'The sandbox asked for this message to be sent later.',
    next: 'Posthorn sends it at the time that the sandbox named.',
  },
  too_many_messages: {
    happened: 'The sandbox asked for all messages of the account to be sent later.',
    next: 'Posthorn sends them at the time that the sandbox named.',
  },
  account_restricted: {
    happened: 'The account is restricted at the moment.',
    next: 'Posthorn sends the message when the restriction ends.',
  },
  answer_wrong: {
    happened: 'This is not the code that the sandbox sent.',
    next: 'Answer with the code that the question names.',
  },
  not_admin: {
    happened: 'Only an admin of the group may do this.',
    next: 'Have an admin do it, or make the account one.',
  },
  not_in_group: {
    happened: 'The account is not in this group.',
    next: 'Join it by an invite link, or have an admin add the account.',
  },
  not_a_member: {
    happened: 'This person is not in the group.',
    next: 'Add them first.',
  },
  not_asked_to_join: {
    happened: 'This person does not ask to join.',
    next: 'List the requests to join the group.',
  },
  group_full: {
    happened: 'The group has as many members as the sandbox allows.',
    next: 'Remove a member first.',
  },
  too_many_groups: {
    happened: 'The account is in as many groups as the sandbox allows.',
    next: 'Leave a group first.',
  },
  invitation_invalid: {
    happened: 'The invitation leads to no group, or was replaced by another.',
    next: 'Ask for a new one.',
  },
  transfer_broken: {
    happened: 'The connection ended before the whole file was sent.',
    next: triesAgain,
  },
  ...templateErrors,
  ...fileErrors,
} satisfies Record<string, CodeMeaning>
export type ErrorCode = keyof typeof errors

/** Ways in which a message may go otherwise than it was asked for. */
export const notices = {
  sent_silently: {
    happened: 'The sandbox delivered the message without a sound.',
    next: 'Nothing is to be done: this shows what a notice looks like.',
  },
} satisfies Record<string, CodeMeaning>

/** Restrictions that the sandbox may put on an account. */
export const restrictions = {
  sandbox_quota: {
    happened: 'The sandbox restricts the account for a while, as the settings of the instance ask for.',
    next: 'Messages wait until the restriction ends.',
  },
} satisfies Record<string, CodeMeaning>
export type RestrictionCode = keyof typeof restrictions

const said = coded({ reasons, errors, notices })
export const { endingOf, noticeOf } = said

export function errorOf(code: ErrorCode, permanent: boolean): NetworkError {
  return said.errorOf(code, permanent, `sandbox:${code}`)
}
