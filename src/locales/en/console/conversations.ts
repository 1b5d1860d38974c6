/** The conversations. */
export const conversations = {
  actions: 'What to do with: {text}',
  attach: 'Attach a file',
  choose: 'Choose a conversation to read it.',
  details: 'Details',
  detach: 'Remove {name}',
  edit: 'Edit',
  editing: 'Editing',
  empty:
    'There is no conversation yet. The first begins as soon as you write to somebody, or somebody writes to one of your accounts.',
  empty_thread: 'There is no message here yet. Write the first one.',
  enter_sends: 'Enter sends, Shift+Enter begins a new line.',
  mention: 'Mention a person',
  more_contents: 'Send something else',
  newer: {
    one: 'Show {count} newer message',
    other: 'Show {count} newer messages',
  },
  news: {
    one: 'Show {count} new conversation',
    other: 'Show {count} new conversations',
  },
  older: 'Show older messages',
  other_emoji: 'Another emoji',
  reactions: 'Reactions',
  reply: 'Reply',
  retract: 'Delete for everyone',
  retract_what:
    'The network is asked to remove the message for everyone. The recipient may have read it already. It cannot be undone.',
  save: 'Save',
  send: 'Send',
  skip: 'Skip to your answer',
  title: 'Conversations',
  unread: {
    one: '{count} unread',
    other: '{count} unread',
  },
  window_over:
    'The time to answer freely is over: the network may refuse this. A template still gets through.',
  write: 'Message to {name}',
  you: 'You: {text}',
  yourself: 'You',
} as const
