/** The list of messages, and one message. */
export const messages = {
  accepted: 'Accepted',
  again: 'Send again as new',
  aliases: 'Other addresses',
  all: 'All',
  failed_ones: 'Failed',
  answer: 'Answer',
  attempt_accepted: 'Attempt {number}: accepted by the network',
  attempt_deferred: 'Attempt {number}: deferred by the network',
  attempt_rejected: 'Attempt {number}: refused by the network',
  attempt_uncertain: 'Attempt {number}: no answer, it may have arrived',
  attempt_underway: 'Attempt {number}: in progress',
  cancel_all: 'Cancel all that match',
  cancel_all_what:
    'Every queued message that matches the filters is canceled, even if it is not shown here. None of them will be sent.',
  cancel_what: 'It will not be sent. A message whose attempt is in progress can no longer be canceled.',
  canceled_all: {
    one: '{count} message was canceled.',
    other: '{count} messages were canceled.',
  },
  canceled_so_far: {
    one: '{count} canceled so far',
    other: '{count} canceled so far',
  },
  canceled: 'The message was canceled.',
  digest: 'SHA-256',
  do_not_cancel: 'Do not cancel',
  earlier_attempts: {
    one: 'Show {count} earlier attempt',
    other: 'Show {count} earlier attempts',
  },
  empty:
    'There is no message yet. Messages appear here as soon as you send one, or somebody writes to one of your accounts.',
  expires: 'Expires',
  facts: 'Details',
  id: 'Message ID',
  mark_read: 'Mark as read',
  marked_read: 'The sender was told that it was read.',
  metadata: 'Metadata',
  network_code: "The network's code",
  network_id: 'ID at the network',
  new_messages: {
    one: 'Show {count} new message',
    other: 'Show {count} new messages',
  },
  newer_messages: 'Show newer messages',
  next_attempt: 'Next attempt',
  next_canceled: 'It was not sent and will not be. If it was canceled by mistake, send it again as new.',
  next_expired:
    'Its time was up before it could be sent. The recipient does not have it, so sending it again as new makes no duplicate.',
  next_failed: 'Posthorn does not try again. Correct what is named above, then send it again as new.',
  next_queued:
    'It waits: for its time, for earlier messages to the same recipient, for the instance to connect, or for its file.',
  next_sending: 'An attempt is in progress, or another one follows by itself.',
  next_unknown:
    'The recipient may or may not have it. Ask them before you send it again as new: it may arrive twice.',
  notices: 'Sent with changes',
  origin: 'Sent from',
  origin_elsewhere: 'another client of the account',
  received: 'Received',
  scheduled: 'Not before',
  search: 'Search texts and captions',
  sent_by_them: 'Sent by the sender',
  timeline: 'What happened',
  title: 'Messages',
  one_title: 'Message',
  one_from: 'From {name}',
  one_to: 'To {name}',
  window_ends: 'Answer freely until',
  person: 'Person',
  person_hint: 'The address of the person or group, as it stands in their messages.',
  again_selected: {
    one: 'Send {count} again',
    other: 'Send {count} again',
  },
  again_what:
    'Each is sent as a new message with the same content, reference and metadata. One that was scheduled for a time to come keeps it. A reply no longer refers to its message.',
  arrived_meanwhile: 'It has been sent since, so it is not sent again.',
  cancel_selected: {
    one: 'Cancel {count} message',
    other: 'Cancel {count} messages',
  },
  cancel_what_selected:
    'They will not be sent. A message whose attempt is in progress can no longer be canceled.',
  do_not_send: 'Do not send',
  may_double: {
    one: 'Of {count}, it is not known if the recipient has it. Ask them first: it may arrive twice.',
    other:
      'Of {count}, it is not known if their recipients have them. Ask them first: they may arrive twice.',
  },
  need_no_repeat: {
    one: '{count} of the selected is left out: it was sent, still waits, or cannot be sent again.',
    other: '{count} of the selected are left out: they were sent, still wait, or cannot be sent again.',
  },
  no_longer_wait: {
    one: '{count} of the selected is left out: it no longer waits.',
    other: '{count} of the selected are left out: they no longer wait.',
  },
  nothing_to_do: 'None of them waits or failed.',
  send_those_too: 'Send those, too, although they may arrive twice',
  sent_again: {
    one: '{count} message was sent again as new.',
    other: '{count} messages were sent again as new.',
  },
  waiting: 'Waiting',
} as const
