import { code, markdownTable } from '../../runtime/text/markdown.ts'
import { addressOf, phoneBehaviour } from './address.ts'
import { groupWords } from './group-script.ts'
import {
  type ConnectionScript,
  connectionScripts,
  type FollowUp,
  linkSteps,
  type RecipientScript,
  readsAllAfter,
  recipientScripts,
  refusedToken,
  returnedError,
  type ScriptedAnswer,
  typesFor,
} from './script.ts'
import { accountTemplates } from './templates.ts'

const followUps: Readonly<Record<FollowUp, string>> = {
  elsewhere: 'the account also sends its text, or the file at its URL, from another client',
  delivered: 'confirmed as `delivered`',
  vouched: 'said to be `delivered` by the network, which names only the message',
  read: 'confirmed as `read`',
  'read all': `confirmed as \`read\` with all before it, if nothing follows within ${readsAllAfter / 1000} s`,
  reply: 'replied to with its text, or the caption or name of its file',
  repeat: 'the same reply arrives again with the same id',
  share: 'replied to with the file at its URL if the text is one, and otherwise with the text',
  'share kept': 'replied to with a text file that has the beginning of its text',
  choose: 'replied to with the first button, row or answer, if it has any',
  react: 'reacted to with 👍',
  'read elsewhere': 'the account reads the conversation in another client',
  obey: 'its members do what it says (*Groups*)',
  type: `the recipient writes for ${typesFor / 1000} s, and replies with its text`,
  quote: 'replied to with its text, and with its id as `relation`',
  'other delivered': 'confirmed as `delivered` by their other address',
  'other reply': 'replied to from that address with its text, or the caption or name of its file',
  return: `returned (\`${returnedError.code}\`)`,
}

/** Describes what a recipient does, from its script. */
export function describeRecipient({ answers, toTemplates }: RecipientScript): string {
  const [first, ...others] = answers.map(describeAnswer)
  if (toTemplates) return sentence(`${first}; a message from a template is ${describeAnswer(toTemplates)}`)
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

function describeAnswer(answer: ScriptedAnswer): string {
  switch (answer.kind) {
    case 'accepts': {
      const after = answer.after_ms > 0 ? ` after ${answer.after_ms / 1000} s` : ''
      const first = (answer.first ?? []).map((followUp) => followUps[followUp])
      const notice = answer.notice ? ` with the notice \`${answer.notice.code}\`` : ''
      const then = answer.then.map((followUp) => followUps[followUp])
      return [...first, `accepted${after}${notice}`, ...then].join(', then ')
    }
    case 'refuses':
      return `rejected ${answer.error.permanent ? 'permanently' : 'temporarily'} (\`${answer.error.code}\`)`
    case 'defers':
      return `deferred by ${answer.seconds} s${answer.scope === 'instance' ? ', as is every message of the instance' : ''} (\`${answer.error.code}\`)`
    case 'uncertain':
      return answer.arrives
        ? 'the message arrives, but the acknowledgement is lost'
        : 'neither the message nor an acknowledgement arrives'
    case 'drops':
      return 'the message arrives, but the connection breaks before the acknowledgement'
    case 'silent':
      return 'never acknowledged'
  }
}

/** Describes what a connection does, from its script. */
export function describeConnection({ summary, effect }: ConnectionScript): string {
  if (effect?.kind === 'end') return `${summary} (\`${effect.reason}\`)`
  return effect?.kind === 'restriction' ? `${summary} (\`${effect.code}\`)` : summary
}

const groups = [
  '## Groups',
  'Every account is in `team@group.sandbox` and `family@group.sandbox`, and every other address of a group is a group as well, for as long as ' +
    'the server runs. Each account has its own. Adding a person works like sending them a message: the sandbox refuses those at ' +
    '`unknown.sandbox`, and never gives a result for those at `stuck.sandbox`. A group that you create with a person at `uncertain.sandbox` is ' +
    'made, but the answer is lost.',
  `The members of a group change it if you send them ${Object.values(groupWords).join(', ')}.`,
]

/** The reference of the sandbox in Markdown, rendered from the scripts. */
export function reference(): string {
  return [
    'A simulated network on which you can try everything without an account. Nothing leaves Posthorn. The address of the recipient ' +
      'decides what happens to a message; the settings of the instance decide what happens to its connection.',
    '## Addresses',
    'An address is `<name>@<behaviour>.sandbox`. You choose the name; each name is a separate recipient. The sandbox ' +
      'deduplicates by message id: it accepts a repeated message, but shows it to its recipient only once. Files behave ' +
      'like texts; the sandbox reads a file to its end and checks its size and digest before it accepts it.',
    'People who have a name in their address write under it, and have a picture: `ana@…` is Ana. Those at a phone number have neither.',
    'A phone number is an address, too, so that you can try numbers from your own data: it stands for a recipient at ' +
      `\`${phoneBehaviour}.sandbox\`. Write it with its country code, after \`+\`, \`00\` or nothing, and with spaces, hyphens, dots or ` +
      'parentheses if you like: `+49 151 12345678`, `4915112345678` and `0049-151-12345678` are one recipient, `+4915112345678`.',
    [
      '| Address | What happens to a message | Use it for |',
      '|---|---|---|',
      ...recipientScripts.map(
        (script) =>
          `| \`${addressOf('ana', script.behaviour)}\` | ${describeRecipient(script)} | ${script.purpose} |`,
      ),
    ].join('\n'),
    ...groups,
    '## Connections',
    'The setting `behaviour` decides what the connection of an instance does, and `after_seconds` decides when.',
    [
      '| `behaviour` | The connection … | Default of `after_seconds` |',
      '|---|---|---|',
      ...connectionScripts.map(
        (script) => `| \`${script.behaviour}\` | ${describeConnection(script)} | ${script.after_seconds} |`,
      ),
    ].join('\n'),
    'With the setting `link` and without a token, an instance must be linked before it opens; the link expires after ' +
      `${linkSteps} steps. \`POST /v1/instances/{name}/link\` starts again, by a QR code or a code for any phone number, and ` +
      '`POST /v1/instances/{name}/logout` removes the token: then the instance must be linked, with any settings. ' +
      `Credentials are optional: any \`token\` except \`${refusedToken}\` is accepted.`,
    'Messages leave at any pace, unless the setting `pacing` says otherwise. With `{"pause": {"min_seconds": 1, "max_seconds": 3}}`, an ' +
      'instance pauses after each message, and twice as long on the day after `linked_at`, as on networks for personal accounts.',
    '## Templates',
    'Every account has the same templates; `components` has the form that Meta gives it. A template that may not be sent, or ' +
      'whose parameters do not fit, fails as it does at a real network. Otherwise the address decides what happens.',
    templateTable(),
    '## Reply window',
    'With the setting `reply_window_seconds`, an instance may reply to a person only for that long after they last wrote. ' +
      'Let a person write, by a callback or at an address that replies; `window_ends_at` of their message says until when you ' +
      'may reply. A minute after that, Posthorn refuses texts and files to them with `outside_reply_window`. You can write at ' +
      'any time to people who have never written.',
    '## Callbacks',
    'The sandbox also has callbacks: send one, and see a message arrive. Create an instance with a `token`, and post the ' +
      'message of a person to its `callback_url`, signed with that token:',
    ['```sh', ...callbackExample, '```'].join('\n'),
    'Instead of `text`, or with it, `content` may hold any field of content that a received message has, such as `location`, `order` or ' +
      '`referral`, and `relation` may name a message: `{"type": "reaction", "message": "<network_message_id>"}`.',
    'The response is 200 once the callback is stored, 401 if the signature is wrong, and 400 with the faulty fields if the body is wrong. If ' +
      'you stop the instance, its callbacks wait until you start it again.',
  ].join('\n\n')
}

function templateTable(): string {
  const rows = accountTemplates.map(({ name, language, status, components }) => {
    const parts = components.map(({ type, format, text }) => `${type}: ${text ?? format}`)
    return [code(name), code(language), code(status), parts.join('; ')]
  })
  return markdownTable(['Name', 'Language', 'Status', 'Components'], rows)
}

const callbackExample = [
  'BODY=\'{"from": "ana@delivers.sandbox", "text": "Are you there?"}\'',
  'SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$TOKEN" | sed "s/.* //")',
  'curl -sS -i "$CALLBACK_URL" -H "X-Sandbox-Signature: sha256=$SIGNATURE" -d "$BODY"',
]
