import { kind, type ProblemKind } from './kind.ts'

/** Problems of messages that refer to others, and of many at once. */
export const conversationProblems = {
  contact_not_found: kind(
    404,
    'There is no such contact',
    'The instance knows of no person with that address. A person who was forgotten is known again once they write.',
  ),
  group_not_found: kind(
    404,
    'There is no such group',
    'The address is not that of a group of the network, or the network knows no such group, or does not show it to this account.',
  ),
  target_not_sent: kind(
    409,
    'The other message was not sent',
    'The message that this one refers to failed, expired or was canceled, so the recipient does not have it.',
  ),
  not_your_message: kind(
    409,
    'The message is not yours',
    'Only messages that the account of the instance sent can be edited or retracted.',
  ),
  message_not_received: kind(
    409,
    'The message was not received',
    'Only messages that the instance received can be marked as read.',
  ),
  message_not_editable: kind(
    409,
    'The message cannot be changed in this way',
    'Only texts, and files with a caption, can be edited, and reactions and retractions can be neither edited nor retracted. What was retracted ' +
      'can no longer be edited or retracted. That, reactions and retractions get neither reactions nor replies; an edit is neither edited nor retracted itself. ' +
      '`detail` says what would work.',
  ),
  edit_window_over: kind(
    409,
    'The message was sent too long ago',
    'The network allows this only for some time after a message was sent: `limits` of `GET /v1/networks` says how long.',
  ),
  recipient_opted_out: kind(
    422,
    'The recipient wants no marketing',
    'The recipient told the account, or their network, that they want no marketing. Nothing was sent. Messages from other templates are ' +
      'sent: if the template is not for marketing, name its `category`.',
  ),
  too_many_batches: kind(
    429,
    'Too many batches of the organization are waiting',
    'Nothing was done. Send fewer batches at the same time, and repeat the request after the number of seconds in `Retry-After`.',
    true,
  ),
  picture_not_found: kind(
    404,
    'There is no such picture',
    'The person or group at that address shows no picture, or not to this account, or one that is not a JPEG, PNG or WebP of at most 1 MB.',
  ),
  too_many_pictures: kind(
    429,
    'Too many pictures have been asked for',
    'Networks ban accounts that ask about too many people. Nothing was asked. Repeat the request after the number of seconds in `Retry-After`.',
    true,
  ),
  too_many_checks: kind(
    429,
    'Too many addresses have been checked',
    'Networks ban accounts that ask about too many people. Nothing was asked. Repeat the request after the number of seconds in `Retry-After`, ' +
      'or ask about fewer addresses.',
    true,
  ),
  too_many_group_changes: kind(
    429,
    'Too many changes of groups',
    'Networks ban accounts that change much. Nothing was changed. Repeat the request after the number of seconds in `Retry-After`.',
    true,
  ),
  group_requests_waiting: kind(
    429,
    'Too many requests about groups of the instance are waiting',
    'The network is asked one thing at a time for each instance, and too much waits. Nothing was done. Repeat the request after the number of ' +
      'seconds in `Retry-After`.',
    true,
  ),
  outcome_unknown: kind(
    504,
    'The network did not say whether it was done',
    'It may have been done, or not. Read the group, or list the groups, to see how it is now, and repeat the request only if it was not done.',
  ),
} as const satisfies Record<string, ProblemKind>
