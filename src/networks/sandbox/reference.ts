import { addressOf } from './address.ts'
import {
  type Answer,
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
  reply: 'answered with the same text',
  return: `given back (\`${returnedError.code}\`)`,
}

/** What a recipient does, in words made from its script. */
export function describeRecipient(script: RecipientScript): string {
  const [first, ...others] = script.answers.map(describeAnswer)
  if (others.length === 0) return `${first}.`
  const last = others.length + 1
  const parts = others.map((part, index) =>
    index + 2 === last ? `attempt ${last} and later: ${part}` : `attempt ${index + 2}: ${part}`,
  )
  return `${[`attempt 1: ${first}`, ...parts].join('; ')}.`
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
      return 'no answer while the connection lasts'
  }
}

/** The reference of the sandbox in Markdown, rendered from the scripts. */
export function reference(): string {
  return [
    'A network in memory for trying everything without an account. It follows scripts: what happens to a message is ' +
      'decided by the address of its recipient, what happens to an instance by its settings. An address is ' +
      '`<name>@<behaviour>.sandbox`; every name is a recipient of its own. Nothing leaves Posthorn. Messages are ' +
      'told apart by their id: a repeated message is accepted and shown to its recipient once.',
    [
      '| Address | What happens to a message | Use it for |',
      '|---|---|---|',
      ...recipientScripts.map(
        (script) =>
          `| \`${addressOf('ana', script.behaviour)}\` | ${describeRecipient(script)} | ${script.purpose} |`,
      ),
    ].join('\n'),
    [
      '| Setting `behaviour` | The connection … | `after_seconds` |',
      '|---|---|---|',
      ...connectionScripts.map(
        (script) => `| \`${script.behaviour}\` | ${script.summary} | ${script.after_seconds} |`,
      ),
    ].join('\n'),
    'With the setting `link` and without a token, an instance that would open asks to be linked first; the link ' +
      `expires after ${linkSteps} QRs or codes. Credentials are optional: any \`token\` is accepted, except ` +
      `\`${refusedToken}\`.`,
  ].join('\n\n')
}
