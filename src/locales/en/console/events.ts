/** The events. */
export const events = {
  continue: 'Continue',
  cursor: 'Replay from a cursor',
  cursor_hint:
    'A next_cursor of the feed, or the ID of an event in a stream. Leave it empty to see only new events.',
  earlier: 'From the oldest event kept',
  empty:
    'Events appear here as they happen: a message is delivered, an instance connects. Send a test message to see some.',
  event: 'Event',
  held: {
    one: '{count} waiting event',
    other: '{count} waiting events',
  },
  left_out:
    'Some events were left out here: the connection broke off, or they came faster than this page could show them.',
  more: 'Read on',
  newest_only: 'The newest {count} are shown. Older ones can be replayed.',
  pause: 'Pause',
  read_to_here: 'There are no further events yet.',
  show_left_out: 'Show them',
  subject: 'About',
  title: 'Events',
  type: 'Type',
  message: 'Message',
  no_webhook: 'There is no enabled webhook to send it to.',
  number: 'Number',
  send: 'Send',
  send_again: 'Send again to a webhook',
  show_earlier: 'Show earlier ones',
} as const
