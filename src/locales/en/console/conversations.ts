/** The conversations. */
export const conversations = {
  attach: 'Attach a file',
  choose: 'Choose a conversation to read it.',
  details: 'Details of the message',
  detach: 'Remove {name}',
  empty:
    'There is no conversation yet. The first begins as soon as you write to somebody, or somebody writes to one of your accounts.',
  empty_thread: 'There is no message here yet. Write the first one.',
  enter_sends: 'Enter sends, Shift+Enter begins a new line.',
  newer: {
    one: 'Show {count} newer message',
    other: 'Show {count} newer messages',
  },
  news: {
    one: 'Show {count} new conversation',
    other: 'Show {count} new conversations',
  },
  older: 'Show older messages',
  send: 'Send',
  skip: 'Skip to your answer',
  title: 'Conversations',
  window_over:
    'The time to answer freely is over: the network may refuse this. A template still gets through.',
  write: 'Message to {name}',
  you: 'You: {text}',
} as const
