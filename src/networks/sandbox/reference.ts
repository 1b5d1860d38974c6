import { addressOf } from './address.ts'
import {
  type Answer,
  type ConnectionScript,
  connectionScripts,
  type FollowUp,
  linkSteps,
  type RecipientScript,
  recipientScripts,
  refusedToken,
  returnedError,
} from './script.ts'

const followUps: Readonly<Record<FollowUp, string>> = {
  delivered: 'confirmed as `delivered`',
  read: 'confirmed as `read`',
  reply: 'answered with its text, or the caption or name of its file',
  repeat: 'the same answer comes again, under the same id',
  share: 'answered with the file at its text where that is a URL, and else with the text',
  return: `given back (\`${returnedError.code}\`)`,
}

/** What a recipient does, in words made from its script. */
export function describeRecipient(script: RecipientScript): string {
  const [first, ...others] = script.answers.map(describeAnswer)
  if (others.length === 0) return sentence(first)
  const last = others.length + 1
  const parts = others.map((part, index) =>
    index + 2 === last ? `attempt ${last} and later: ${part}` : `attempt ${index + 2}: ${part}`,
  )
  return sentence([`attempt 1: ${first}`, ...parts].join('; '))
}

function sentence(words = ''): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
}

function describeAnswer(answer: Answer): string {
  switch (answer.kind) {
    case 'accepts': {
      const after = answer.after_ms > 0 ? ` after ${answer.after_ms / 1000} s` : ''
      const then = answer.then.map((followUp) => followUps[followUp])
      return [`accepted${after}`, ...then].join(', then ')
    }
    case 'refuses':
      return `refused ${answer.error.permanent ? 'for good' : 'for now'} (\`${answer.error.code}\`)`
    case 'defers':
      return `deferred by ${answer.seconds} s (\`${answer.error.code}\`)`
    case 'uncertain':
      return answer.arrives ? 'arrives, but the answer is lost' : 'neither the message nor an answer arrives'
    case 'drops':
      return 'arrives, and the connection breaks in place of the answer'
    case 'silent':
      return 'no answer, ever'
  }
}

/** What a connection does, in words made from its script. */
export function describeConnection({ summary, turn }: ConnectionScript): string {
  if (turn?.kind === 'end') return `${summary} (\`${turn.reason}\`)`
  return turn?.kind === 'restriction' ? `${summary} (\`${turn.code}\`)` : summary
}

/** The reference of the sandbox in Markdown, rendered from the scripts. */
export function reference(): string {
  return [
    'A network in memory to try everything without an account. Nothing leaves Posthorn. What happens to a message is ' +
      'decided by the address of its recipient, what happens to an instance by its settings.',
    '## Addresses',
    'An address is `<name>@<behaviour>.sandbox`. The name is up to you; every name is a recipient of its own. Messages are ' +
      'told apart by their id: a repeated message is accepted, and shown to its recipient once. Files fare as texts do; one ' +
      'that is accepted was read to its end, and its size and digest were compared.',
    [
      '| Address | What happens to a message | Use it for |',
      '|---|---|---|',
      ...recipientScripts.map(
        (script) =>
          `| \`${addressOf('ana', script.behaviour)}\` | ${describeRecipient(script)} | ${script.purpose} |`,
      ),
    ].join('\n'),
    '## Connections',
    'The setting `behaviour` is the script that the connection of an instance follows, `after_seconds` sets when.',
    [
      '| `behaviour` | The connection … | `after_seconds`, if not set |',
      '|---|---|---|',
      ...connectionScripts.map(
        (script) => `| \`${script.behaviour}\` | ${describeConnection(script)} | ${script.after_seconds} |`,
      ),
    ].join('\n'),
    'With the setting `link` and without a token, an instance that would open asks to be linked first; the link ' +
      `expires after ${linkSteps} QRs or codes. Credentials are optional: any \`token\` is accepted, except ` +
      `\`${refusedToken}\`.`,
  ].join('\n\n')
}
