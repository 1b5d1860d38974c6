import { type InstanceReasonCode, instanceReasons, sentencesOf } from '../contract/codes.ts'
import type { Reason } from '../networks/driver/observation.ts'

/** Reasons for the state of an instance that follows an order. */
export const orderReasons = {
  start: reasonOf('start_ordered'),
  stop: reasonOf('stop_ordered'),
  restart: reasonOf('restart_ordered'),
  change: reasonOf('settings_changed'),
  link: reasonOf('link_ordered'),
  remove: reasonOf('remove_ordered'),
}

/** Reasons for the status of an instance that do not come from its network. */
export const ourReasons = {
  linkExpired: reasonOf('link_expired'),
  linkDeclined: reasonOf('link_declined'),
  loggedOutByRequest: reasonOf('logged_out_by_request'),
  probeTimeout: reasonOf('probe_timeout'),
  answersMissing: reasonOf('answers_missing'),
  ownerLost: reasonOf('owner_lost'),
  messagesMissed: reasonOf('messages_missed'),
  accountTaken: reasonOf('account_taken'),
  incomingQuota: reasonOf('incoming_quota_exceeded'),
  notPrepared: reasonOf('internal_error', 'the connection could not be prepared'),
  notRemoved: reasonOf('internal_error', 'the removal could not be carried out'),
  credentialsUnreadable: reasonOf('credentials_unreadable'),
  removalUnconfirmed: reasonOf('removal_unconfirmed'),
}

function reasonOf(code: InstanceReasonCode, word?: string): Reason {
  return { code, detail: sentencesOf(instanceReasons[code], word) }
}
