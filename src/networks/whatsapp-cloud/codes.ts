import { type CodeMeaning, triesAgain } from '../../contract/codes.ts'
import type { DescribedReason } from '../driver/driver.ts'
import { httpReasons } from '../kit/http-reasons.ts'
import { memoryReasons } from '../kit/memory-reasons.ts'
import { templateErrors } from '../kit/template-codes.ts'
import { fileErrors } from '../kit/transfer.ts'

/*
 * Every code that this network gives, as data: connections end with these reasons and messages fail with these errors,
 * and the reference is written from the same rows.
 */

const tries = 'Posthorn tries again.'

function lost(happened: string, next: string): DescribedReason {
  return { ends: 'connection-lost', happened, next }
}

function loggedOut(happened: string, next: string): DescribedReason {
  return { ends: 'credentials-refused', happened, next }
}

function refused(happened: string, next: string): DescribedReason {
  return { ends: 'connection-refused', happened, next }
}

/** Why a connection may end. */
export const reasons = {
  token_refused: loggedOut(
    'Meta refused the access token: it is wrong, has expired or was revoked.',
    'Make another one at Meta, and set it (`PUT /v1/instances/{name}/credentials`).',
  ),
  missing_permission: loggedOut(
    'The access token lacks a permission.',
    'Give its system user `whatsapp_business_messaging` and `whatsapp_business_management` for this account, make another token, ' +
      'and set it (`PUT /v1/instances/{name}/credentials`).',
  ),
  proof_refused: loggedOut(
    'Meta wants every request to be proven with the secret of the app (`appsecret_proof`), and did not accept the proof: the access ' +
      'token belongs to another app than the secret.',
    'Set the secret of the app for which the token was made, or a token that was made for this app ' +
      '(`PUT /v1/instances/{name}/credentials`).',
  ),
  number_unknown: refused(
    'Meta has no phone number with the id `phone_number_id` that the access token may use.',
    'Check the id, and that the number is assigned to the system user of the token. If the id is wrong, remove the instance and ' +
      'create it again.',
  ),
  business_account_unknown: refused(
    'Meta has no business account with the id `business_account_id` that the access token may use.',
    'Check the id, and that the account is assigned to the system user of the token. If the id is wrong, set the right ' +
      'one (`PATCH /v1/instances/{name}`).',
  ),
  number_not_registered: refused(
    'The phone number is not registered with the Cloud API.',
    'Register it at Meta, then start the instance.',
  ),
  account_locked: refused(
    'Meta has locked the business account.',
    'Find out why in the Business Support Home of Meta. Start the instance when the account is unlocked.',
  ),
  account_deleted: refused(
    'The business account was deleted at Meta.',
    'Create another one at Meta, then an instance for its number. If the account is still there, start the instance.',
  ),
  partner_removed: refused(
    'The business no longer shares its account with the app, and Meta does not let the access token use the number.',
    'Ask the business to share the account again, then start the instance.',
  ),
  version_refused: refused(
    'Meta does not support the version of the Graph API in `api_version` any longer, or not yet.',
    'Set another version, or none (`PATCH /v1/instances/{name}`).',
  ),
  app_missing: lost(
    'The instance has no app of its own, and this server has none any longer that it could use.',
    `${tries} Ask the operator, or give the instance an app of its own (\`PUT /v1/instances/{name}/credentials\`).`,
  ),
  account_blocked: lost(
    'Meta has blocked the account for a time, because it violated a policy.',
    `${tries} Find out why in the Business Support Home of Meta.`,
  ),
  rate_limited: lost('Meta limits how often the app may ask.', tries),
  question_refused: lost(
    'Meta refused to say what the phone number is.',
    `${tries} If this continues, look the code up in the list of error codes of the Cloud API.`,
  ),
  not_cloud_api: lost(
    'A server other than the Cloud API responded.',
    `${tries} If this continues, ask the operator to check any proxy between the server and Meta.`,
  ),
  ...httpReasons('Cloud API'),
  ...memoryReasons,
} satisfies Record<string, DescribedReason>
export type ReasonCode = keyof typeof reasons

const recipients = {
  outside_reply_window: {
    happened: 'More than 24 hours have passed since the person last wrote to this number.',
    next: 'Send a template (`POST /v1/messages/template`), or wait until they write.',
  },
  recipient_unreachable: {
    happened:
      'WhatsApp cannot deliver to this person: they are not on WhatsApp, have an old app, or do not accept the message.',
    next: 'Check the address, or reach them in another way.',
  },
  recipient_is_sender: {
    happened: 'The message is addressed to the phone number that sends it.',
    next: 'Choose another recipient.',
  },
  recipient_not_allowed: {
    happened: 'A test number may only write to the numbers on its list, and this is none of them.',
    next: 'Add the recipient to the list at Meta, or use a number of your own.',
  },
  recipient_opted_out: {
    happened: 'The person does not want marketing messages from this business.',
    next: 'Respect that.',
  },
  recipient_limit_reached: {
    happened: 'WhatsApp limits how many marketing messages the person gets, and did not deliver this one.',
    next: 'Send no such message to them for at least a day.',
  },
  recipient_in_experiment: {
    happened: 'WhatsApp did not deliver the message, because the person is part of an experiment of Meta.',
    next: 'Reach them in another way.',
  },
  recipient_changed: {
    happened: 'The identity of the person has changed.',
    next: 'Make sure that it is still the same person.',
  },
  user_id_not_supported: {
    happened: 'WhatsApp does not take a business-scoped user id for this message.',
    next: 'Use the phone number of the person.',
  },
  group_unusable: {
    happened: 'Meta has no such group for this number, has suspended it, or the group has no other members.',
    next: 'Look at the group: whether it is still there, who is in it, and what Meta says of it.',
  },
  country_restricted: {
    happened: 'The business account may not write to people in this country.',
    next: 'Read the messaging policy of WhatsApp for the country.',
  },
} satisfies Record<string, CodeMeaning>

const messages = {
  message_invalid: {
    happened: 'Meta does not accept a parameter of the message.',
    next: 'Change the message. If nothing in it is unusual, tell the operator of Posthorn.',
  },
  message_type_not_supported: {
    happened: 'Meta does not support this type of message.',
    next: 'Send another type of message.',
  },
  text_not_representable: {
    happened:
      'The text, the caption or the file name contains a null character, which WhatsApp cannot carry.',
    next: 'Send a new message without it.',
  },
  caption_not_supported: {
    happened: 'WhatsApp has no captions for audio and stickers.',
    next: 'Send the file without a caption, and the caption as a text.',
  },
  file_type_not_supported: {
    happened: 'WhatsApp does not take this type of file as this kind of message.',
    next:
      'Images are JPEG or PNG; audio is AAC, AMR, MP3, MP4 or OGG with Opus; videos are MP4 or 3GP; documents are plain text, PDF or ' +
      'those of Microsoft Office. Convert the file.',
  },
  sticker_too_large: {
    happened: 'A sticker that does not move may have at most 100 KB at WhatsApp.',
    next: 'Make the sticker smaller.',
  },
  file_empty: {
    happened: 'WhatsApp takes no empty file.',
    next: 'Send a file with content.',
  },
  file_refused: {
    happened: 'WhatsApp could not use the file.',
    next: 'Check that the file is what it says to be, and is not too large.',
  },
  templates_refused: {
    happened: 'Meta did not say which templates the business account has.',
    next: 'Check `business_account_id`, and that the system user of the access token may manage the account (`whatsapp_business_management`).',
  },
  message_refused: {
    happened: 'Meta refused the message.',
    next: 'Look the code in `network_code` up in the list of error codes of the Cloud API.',
  },
} satisfies Record<string, CodeMeaning>

/** Why Meta does nothing about a group. */
const groups = {
  groups_not_available: {
    happened: 'Meta does not let this phone number have groups.',
    next:
      'Groups are for Official Business Accounts, and for numbers that are used with the Cloud API alone. Apply for such an account in ' +
      'WhatsApp Manager, or use another number.',
  },
  group_limit_reached: {
    happened: 'The phone number has made as many groups as Meta allows.',
    next: 'Meta allows 10,000 groups for each number. Delete groups that are not needed, or use another number.',
  },
  group_creation_paused: {
    happened:
      'Meta lets the business account make no groups for now, because it sent too much marketing in conversations that people had begun.',
    next: 'Send less marketing for a week, and try again.',
  },
  group_full: {
    happened: 'A group has at most eight members besides the business.',
    next: 'Remove members first, or make another group.',
  },
  group_suspended: {
    happened: 'Meta has suspended the group, because it violates a policy.',
    next: 'Find out why in the Business Support Home of Meta.',
  },
  group_changes_limited: {
    happened:
      'Meta does this for the phone number not now: too much was asked in a short time, or its service is not available.',
    next: 'Try again after some minutes.',
  },
  group_member_missing: {
    happened: 'The person is not a member of the group.',
    next: 'Look at the members of the group.',
  },
  join_request_missing: {
    happened: 'The person does not ask to join the group.',
    next: 'List the requests to join the group.',
  },
  group_members_too_many: {
    happened: 'Meta removes at most eight members at a time.',
    next: 'Send several requests.',
  },
  group_place_expired: {
    happened: 'Meta no longer knows this position in the list of groups.',
    next: 'Begin the list again, without `cursor`.',
  },
  groups_refused: {
    happened: 'Meta does not let the access token do this with groups.',
    next: 'See if the instance is still connected, and that the system user of the token has `whatsapp_business_messaging` for this account.',
  },
  group_change_refused: {
    happened: 'Meta refused to do this with the group.',
    next: 'Look the code up in the list of error codes of the Groups API.',
  },
} satisfies Record<string, CodeMeaning>

const accounts = {
  recipient_rate_limited: {
    happened: 'Too many messages went from this number to this person in a short time.',
    next: 'Posthorn sends it after a while. Others are not held up.',
  },
  number_rate_limited: {
    happened: 'The phone number sends more messages a second than Meta allows.',
    next: 'Posthorn sends it after a few seconds.',
  },
  account_rate_limited: {
    happened: 'The app or the business account has made too many requests.',
    next: 'Posthorn sends it after some minutes.',
  },
  flow_rate_limited: {
    happened:
      'The flow in the template was sent ten times within an hour: Meta allows no more while the flow fails often.',
    next: 'Posthorn sends it once an hour has passed. Put the flow right in WhatsApp Manager.',
  },
  group_rate_limited: {
    happened: 'Too much was done in groups from this number in a short time.',
    next: 'Posthorn sends it after a while. Others are not held up.',
  },
  refused_for_now: {
    happened: 'Meta refused the message, and said that the cause passes.',
    next: 'Posthorn sends it after a while. Others are not held up.',
  },
  spam_limit: {
    happened: 'Meta restricts the phone number, because too many of its messages were blocked or reported.',
    next: 'Posthorn sends nothing for an hour. Check the quality of the number at Meta.',
  },
  policy_block: {
    happened: 'Meta has blocked the account for a time, because it violated a policy.',
    next: 'Posthorn sends nothing for an hour. Find out why in the Business Support Home of Meta.',
  },
  messaging_limit: {
    happened: 'The account has reached the number of people that it may write to first.',
    next: 'Posthorn tries again after an hour. Meta raises the limit of accounts with good quality.',
  },
  payment_problem: {
    happened: 'Meta does not send because of a problem with the payment for the business account.',
    next: 'Check the payment method at Meta. Posthorn sends nothing for ten minutes, and then tries again.',
  },
  number_not_ready: {
    happened: 'The display name or the certificate of the phone number is not approved.',
    next: 'Check the number in WhatsApp Manager. Posthorn sends nothing for ten minutes, and then tries again.',
  },
  number_in_maintenance: {
    happened: 'The phone number is in maintenance, as during an upgrade of its throughput.',
    next: triesAgain,
  },
  number_refused: {
    happened: 'Meta does not let the phone number send.',
    next: 'The reason of the instance says why. Posthorn sends the message when it is connected again, unless it expires.',
  },
  token_refused: {
    happened: 'Meta refused the access token, or it lacks a permission.',
    next: 'Set another one. Posthorn sends the message then, unless it expires.',
  },
  server_error: { happened: 'The Cloud API failed, and did not take the message.', next: triesAgain },
  network_unreachable: { happened: 'The Cloud API could not be reached.', next: triesAgain },
  not_connected: { happened: 'The instance was not connected.', next: triesAgain },
  upload_failed: {
    happened: 'The file could not be uploaded to WhatsApp, and nothing was sent.',
    next: triesAgain,
  },
  not_cloud_api: { happened: 'A server other than the Cloud API responded.', next: triesAgain },
} satisfies Record<string, CodeMeaning>

/** Why a message may be refused, deferred or given back. */
export const errors = {
  ...recipients,
  ...messages,
  ...templateErrors,
  ...accounts,
  ...groups,
  ...fileErrors,
} satisfies Record<string, CodeMeaning>
export type ErrorCode = keyof typeof errors

export const notices = {
  held_for_quality_assessment: {
    happened: 'WhatsApp took the message, but holds it back to see how people like others of its kind.',
    next: 'Nothing needs to be done. The message is delivered later, or fails.',
  },
} satisfies Record<string, CodeMeaning>

/** Restrictions that Meta may put on an account or a number, or warn of. */
export const restrictions = {
  spam_limit: accounts.spam_limit,
  policy_block: accounts.policy_block,
  messaging_limit: accounts.messaging_limit,
  payment_problem: accounts.payment_problem,
  number_not_ready: accounts.number_not_ready,
  account_deleted: {
    happened: 'Meta says that the business account was deleted.',
    next: 'Posthorn sends nothing for a day. If the account is still there, ask Meta.',
  },
  partner_removed: {
    happened:
      'Meta says that the business no longer shares its account with a partner, which may be the app of this instance.',
    next: 'As long as Meta accepts the access token, nothing needs to be done.',
  },
  account_restricted: {
    happened: 'Meta restricts what the business account may do, because it violated a policy.',
    next: 'Find out why in the Business Support Home of Meta.',
  },
  account_disabled: {
    happened: 'Meta has disabled the business account, because it violated a policy.',
    next:
      'Request a review in the Business Support Home of Meta. Posthorn sends again when Meta says that the account is reinstated, and ' +
      'tries after a day in any case.',
  },
  account_disabled_soon: {
    happened: 'Meta is going to disable the business account, because it violated a policy.',
    next: 'Request a review in the Business Support Home of Meta.',
  },
  account_violation: {
    happened: 'The business account violated a policy of Meta.',
    next: 'Find out which in the Business Support Home of Meta, and remove the cause. Further violations lead to restrictions.',
  },
  account_not_approved: {
    happened: 'Meta has reviewed the business account, and not approved it yet.',
    next: 'Find out why in the Business Support Home of Meta.',
  },
  account_offboarded: {
    happened:
      'Meta has disconnected the number from the API, because its WhatsApp Business app moved to another phone or was registered again.',
    next:
      'Meta connects it again if the owner of the phone agrees. Posthorn sends again when Meta says so, and tries after an hour in ' +
      'any case.',
  },
  quality_low: {
    happened: 'People block or report messages of the phone number, so Meta rates its quality as low.',
    next: 'Send only what people expect. Meta may restrict the number otherwise.',
  },
} satisfies Record<string, CodeMeaning>
export type RestrictionCode = keyof typeof restrictions
