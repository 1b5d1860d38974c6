import type { TObject } from 'typebox'
import { code, markdownTable } from '../../runtime/text/markdown.ts'
import { sizeInWords } from '../../runtime/text/size.ts'
import type { CodeMeaning } from '../codes.ts'
import type { NetworkDescription } from '../network-description.ts'
import type { Network } from '../resources/network.ts'
import { openObject } from '../scalars.ts'
import { type JsonObject, type JsonValue, plain, type Tag } from './document.ts'

/** The section of the reference on a network: a separate tag, because its tables need the width and readers need a link. */
export function networkTag(network: Network): Tag {
  const { title, description, settings, credentials, fixed_settings, abilities, limits } = network
  const { reasons, errors, notices, restrictions } = network
  const parts = [
    `In requests, its name is \`${network.network}\`.`,
    description.trim(),
    '## Abilities',
    abilityTable(abilities, limits),
    '## Settings and credentials',
    fieldTable('settings', settings),
    ...(fixed_settings.length > 0
      ? [`Fixed once the instance is created: ${fixed_settings.map(code).join(', ')}.`]
      : []),
    fieldTable('credentials', credentials),
    ...(network.template_component
      ? ['## Components of templates', fieldTable('component', network.template_component)]
      : []),
    '## Limits',
    limitTable(limits),
    '## Reasons',
    '`reason.code` says why an instance has its status. Reasons that do not depend on the network are listed under *Reasons*.',
    reasonTable(reasons),
    '## Errors',
    '`error.code` says why the network rejected or returned a message. While a message is `sending`, Posthorn tries again by ' +
      'itself; follow the table once it has `failed`.',
    codeTable(errors),
    ...(notices.length > 0
      ? [
          '## Notices',
          'A notice says that a message was sent differently from what you asked for.',
          codeTable(notices),
        ]
      : []),
    ...(restrictions.length > 0
      ? [
          '## Restrictions',
          '`restriction.code` names a restriction of the account, or a warning of one. A restriction does not end the connection.',
          codeTable(restrictions),
        ]
      : []),
  ]
  return { name: title, description: parts.join('\n\n') }
}

/** Returns the schemas of settings and credentials in requests: the shape of each network, or any other. */
export function shapesByNetwork(networks: readonly NetworkDescription[]): Record<string, JsonObject> {
  if (networks.length === 0) return {}
  const choice = (what: 'settings' | 'credentials', noun: string) => {
    const named = networks.map((network) => ({
      ...withoutDefaults(network[what]),
      title: `${titleOf(network)}${noun}`,
    }))
    const other = openObject(`Other${noun}`, `The ${what} of a network that this document does not know.`)
    return plain({ anyOf: [...named, other] }) as JsonObject
  }
  return {
    NewSettings: choice('settings', 'Settings'),
    Credentials: choice('credentials', 'Credentials'),
  }
}

/** Generators take a field with a default for one that is always there, in requests as in responses. */
function withoutDefaults(object: TObject): object {
  const properties = Object.entries(plain(object.properties) as Record<string, JsonObject>)
  const bare = properties.map(([name, { default: _, ...schema }]) => [name, schema])
  return { ...object, properties: Object.fromEntries(bare) }
}

/** `xmpp` as it begins the name of a schema: `Xmpp`. */
function titleOf({ network }: NetworkDescription): string {
  return network.replace(/(?:^|[-_])([a-z0-9])/g, (_, first: string) => first.toUpperCase())
}

function fieldTable(name: 'settings' | 'credentials' | 'component', schema: Network['settings']): string {
  const required = new Set(schema.required as readonly string[] | undefined)
  const fields = Object.entries(schema.properties as Record<string, JsonObject>)
  if (fields.length === 0) return `It takes no \`${name}\`.`
  const rows = fields.map(([field, of]) => [
    code(field),
    typeOf(of),
    required.has(field) ? 'yes' : 'no',
    String(of.description ?? ''),
  ])
  return markdownTable([code(name), 'Type', 'Required', 'Meaning'], rows)
}

function abilityTable(abilities: Network['abilities'], { dedupes_by_id }: Network['limits']): string {
  const { message_ids, receipts, recipients, reply_window_seconds, connected_means } = abilities
  const yesOrNo = (can: boolean) => (can ? 'yes' : 'no')
  return markdownTable(
    ['Ability', 'On this network'],
    [
      ['Receipts', receipts.length > 0 ? receipts.map(code).join(', ') : 'none: `sent` is the last status'],
      ['Recipients of a first message', recipientsInWords[recipients]],
      [
        'Time to reply to a conversation',
        reply_window_seconds === null
          ? 'at any time'
          : `freely for ${durationInWords(reply_window_seconds)} after its last incoming message`,
      ],
      ['Message ids', messageIdsInWords[message_ids]],
      [
        'After a lost acknowledgement',
        dedupes_by_id
          ? 'the attempt is repeated with the same id, by which the network deduplicates; the description says if that is assumed'
          : 'the attempt is not repeated, and the message becomes `unknown`',
      ],
      ['What `connected` proves', connected_means],
      ['Ways to link an account', linksInWords(abilities.links)],
      ['Can log an account out, and keep its instance', yesOrNo(abilities.logs_out)],
      ['Can tell senders that their messages were read', yesOrNo(abilities.marks_read)],
      ['Can tell whether addresses exist', yesOrNo(abilities.checks_addresses)],
      ['Groups', abilities.groups.length > 0 ? abilities.groups.map(code).join(', ') : 'no'],
      ['Can show that the account is typing', yesOrNo(abilities.typing)],
      ['Messages from approved templates', yesOrNo(abilities.templates)],
      ['Shows what the account sends from other clients', yesOrNo(abilities.sent_elsewhere)],
      ['Sends callbacks to a URL of this server', yesOrNo(abilities.callbacks)],
    ],
  )
}

function linksInWords(links: Network['abilities']['links']): string {
  return links.length > 0 ? links.map(code).join(', ') : 'none: the account needs only credentials'
}

const recipientsInWords = {
  anyone: 'anyone',
  those_who_wrote: 'only people who have written to the account',
} as const satisfies Record<Network['abilities']['recipients'], string>

const messageIdsInWords = {
  ours: 'fixed by Posthorn before the first attempt',
  assigned: 'assigned by the network when it accepts a message; until then, `network_message_id` is null',
} as const satisfies Record<Network['abilities']['message_ids'], string>

/** Seconds in the largest unit that needs no fraction. */
function durationInWords(seconds: number): string {
  const [unit, length] = units.find(([, length]) => seconds % length === 0) ?? ['second', 1]
  const count = seconds / length
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const units = [
  ['hour', 3600],
  ['minute', 60],
] as const

function limitTable(limits: Network['limits']): string {
  const { pacing_per_recipient: each, warm_up } = limits
  return markdownTable(
    ['Limit', 'Value'],
    [
      ['Longest text', `${limits.text_characters} characters`],
      ['Largest files', largestFiles(limits)],
      ['Longest caption', `${limits.caption_characters} characters`],
      ['Pace', paceInWords(limits)],
      ...(warm_up.length > 0 ? [['… after an account was linked', warmUpInWords(warm_up)]] : []),
      ...(each ? [['… to one recipient', messagesIn(each)]] : []),
      ['Messages awaiting an acknowledgement at the same time', `${limits.in_flight}`],
      ['… of them texts to one recipient', `${limits.in_flight_per_recipient}`],
      ['An attempt without an outcome', `ends after ${limits.answer_timeout_seconds} s`],
      [
        'A silent connection is probed',
        `after ${limits.probe_after_seconds} s, and ended ${limits.probe_timeout_seconds} s later if it stays silent`,
      ],
    ],
  )
}

function messagesIn({ messages, seconds }: { readonly messages: number; readonly seconds: number }): string {
  return `${messages} message${messages === 1 ? '' : 's'} in ${seconds} s`
}

function paceInWords({ pacing, pause }: Network['limits']): string {
  if (pacing) return `${messagesIn(pacing)} for each instance; the setting \`pacing\` changes it`
  if (!pause) return 'no limit by default; the setting `pacing` sets one'
  return (
    `one message at a time for each instance, and after each a pause of ${pause.min_seconds} to ${pause.max_seconds} s at random; the ` +
    'setting `pacing` changes it'
  )
}

function warmUpInWords(rows: Network['limits']['warm_up']): string {
  const parts = rows.map(({ until_hours, factor }) => `${factor} times as long until ${until_hours} h`)
  return `pauses are ${parts.join(', ')}; the setting \`pacing\` changes it`
}

function reasonTable(reasons: Network['reasons']): string {
  const rows = reasons.map((reason) => [code(reason.code), code(reason.status), reason.happened, reason.next])
  return markdownTable(['Code', 'Status', 'What happened', 'What to do'], rows)
}

/** Makes a table of codes, with the meaning of each and the next step. */
export function meaningTable(meanings: Readonly<Record<string, CodeMeaning>>): string {
  return codeTable(Object.entries(meanings).map(([code, meaning]) => ({ code, ...meaning })))
}

function codeTable(meanings: readonly (CodeMeaning & { readonly code: string })[]): string {
  const rows = meanings.map((meaning) => [code(meaning.code), meaning.happened, meaning.next])
  return markdownTable(['Code', 'What happened', 'What to do'], rows)
}

function typeOf(schema: JsonObject): string {
  const words = schema.enum as readonly JsonValue[] | undefined
  if (words) return words.map((word) => code(String(word))).join(', ')
  return typeof schema.type === 'string' ? schema.type : 'see `GET /v1/networks`'
}

function largestFiles({ media_bytes }: Network['limits']): string {
  const kinds = Object.entries(media_bytes).map(([kind, bytes]) => `${kind} ${sizeInWords(bytes)}`)
  return kinds.length > 0 ? kinds.join(', ') : 'none'
}
