import { writeFileSync } from 'node:fs'
import { code, markdownTable } from '../runtime/text/markdown.ts'
import { life, type MessageEvent, type MessageState, messageEvents, messageStates } from './life.ts'

/** The file with the drawing of the life of a message. */
export const lifeDocument = new URL('../../docs/message-life.md', import.meta.url)

/** The command that brings the drawing up to date. */
export const howToWrite = 'node src/messages/life.doc.ts --write'

const events: Readonly<Record<MessageEvent, string>> = {
  claimed: 'An attempt begins.',
  unclaimed: 'The claimed attempt never began.',
  acknowledged: 'The network acknowledged one of the attempts; all carry the same id.',
  shown: 'The network’s archive shows that it has the message.',
  refused: 'The network rejected the attempt permanently.',
  postponed: 'The network rejected the attempt for a temporary reason, or asked to wait.',
  interrupted: 'The attempt ended without an outcome, and the network recognizes a repetition.',
  unanswered: 'The attempt ended without an outcome, and a repetition could arrive twice.',
  returned: 'The network acknowledged the message, but returned it later.',
  delivered: 'The recipient’s side confirmed that the message arrived.',
  read: 'The recipient’s side confirmed that the message was read.',
  'window-closed': 'The time in which the network lets the account write to the recipient is over.',
  'opted-out': 'The message is from a marketing template, and its recipient opted out of marketing.',
  'target-lost': 'The message that this one changes or replies to was not sent.',
  included: 'The message is an edit of one that was still waiting, which left with the new text.',
  'file-failed': 'The message’s file cannot be fetched.',
  expired: 'The message reached `expires_at`.',
  canceled:
    'A caller canceled the message. Posthorn refuses that while an attempt is in progress, and after one that ended without an outcome.',
  discarded:
    'The message’s instance is removed, or the operator decides not to send the queued messages of a backup.',
  restored: 'The store was restored from a backup: the message may have been sent since.',
}

const unsettled: readonly (readonly [MessageState, status: string, meaning: string])[] = [
  ['queued', '`queued`', 'No attempt was made.'],
  ['retrying', '`sending`', 'The attempts so far did not arrive; another follows.'],
  [
    'uncertain',
    '`sending`; `queued` after a restore',
    'An earlier attempt may have arrived; another follows.',
  ],
  ['attempting', '`sending`', 'An attempt is in progress, and no earlier one can have arrived.'],
  ['reattempting', '`sending`', 'An attempt is in progress, and an earlier one may have arrived.'],
]

/** The life of a message as Markdown: a drawing for people, and the table that it was drawn from. */
export function describeLife(): string {
  return [
    '# The life of a message',
    `\`${howToWrite}\` generates this page from \`src/messages/life.ts\`; a test compares the two. An outgoing message is ` +
      'accepted as `queued`; an incoming one is `received`, and stays that way. A receipt that arrives while an attempt is in progress is ' +
      'stored; it takes effect when the attempt ends, and overrides the result of the attempt.',
    ['```mermaid', 'stateDiagram-v2', '  [*] --> queued: accepted', ...arrows(), '```'].join('\n'),
    '## States',
    'The state of a settled message is its status. Before that, several states share a status:',
    markdownTable(
      ['State', 'Status', 'Meaning'],
      unsettled.map(([state, status, meaning]) => [code(state), status, meaning]),
    ),
    '## Events',
    markdownTable(
      ['Event', 'Meaning'],
      messageEvents.map((event) => [code(event), events[event]]),
    ),
    '## The table',
    'The next state for every state (across) and every event (down). An empty cell changes nothing.',
    markdownTable(
      ['', ...messageStates.map(code)],
      messageEvents.map((event) => [code(event), ...messageStates.map((state) => cell(state, event))]),
    ),
    '',
  ].join('\n\n')
}

/** One arrow for each pair of states, naming every event that leads from one to the other. */
function arrows(): string[] {
  return messageStates.flatMap((from) =>
    [...Map.groupBy(messageEvents, (event) => life[from][event])]
      .filter(([to]) => to !== from)
      .map(([to, names]) => `  ${from} --> ${to}: ${names.join(', ')}`),
  )
}

function cell(state: MessageState, event: MessageEvent): string {
  const next = life[state][event]
  return next === state ? '' : `**${next}**`
}

if (import.meta.main && process.argv.includes('--write')) writeFileSync(lifeDocument, describeLife())
