import type { TObject } from 'typebox'
import { code, table } from '../../runtime/markdown.ts'
import { sizeInWords } from '../../runtime/size.ts'
import { statusAfter } from '../codes.ts'
import { openObject } from '../scalars.ts'
import { type Json, type JsonObject, type NetworkDescription, plain, type Tag } from './document.ts'

/** The section of the reference on a network: a separate tag, because its tables need the width and readers need a link. */
export function networkTag(network: NetworkDescription): Tag {
  const { title, description, settings, credentials, limits } = network
  const parts = [
    `In requests, its name is \`${network.network}\`.`,
    description.trim(),
    '## Settings and credentials',
    fieldTable('settings', settings),
    fieldTable('credentials', credentials),
    '## Limits',
    limitTable(limits),
    '## Reasons',
    'Why an instance has its status: `reason.code`. Those that do not depend on the network stand under *Reasons*.',
    reasonTable(network.reasons),
    '## Errors',
    'Why a message was refused or given back: `error.code`. While a message is `sending`, Posthorn tries again by itself; what is ' +
      'to be done counts once it has `failed`.',
    errorTable(network.errors),
  ]
  return { name: title, description: parts.join('\n\n') }
}

/** The same as data. */
export function networkExtension(network: NetworkDescription): JsonObject {
  const { title, description, settings, credentials, limits, reasons, errors } = network
  const described = Object.entries(reasons).map(([reason, { ends, happened, next }]) => [
    reason,
    { status: statusAfter[ends], happened, next },
  ])
  return plain({
    network: network.network,
    title,
    description,
    settings,
    credentials,
    limits,
    reasons: Object.fromEntries(described),
    errors,
  }) as JsonObject
}

/** What the document says of settings and credentials in requests: the shape of each network, or any other. */
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

/** Generators take a field with a default for one that is always there, in requests as in replies. */
function withoutDefaults(object: TObject): object {
  const properties = Object.entries(plain(object.properties) as Record<string, JsonObject>)
  const bare = properties.map(([name, { default: _, ...schema }]) => [name, schema])
  return { ...object, properties: Object.fromEntries(bare) }
}

/** `xmpp` as it begins the name of a schema: `Xmpp`. */
function titleOf({ network }: NetworkDescription): string {
  return network.replace(/(?:^|[-_])([a-z0-9])/g, (_, first: string) => first.toUpperCase())
}

function fieldTable(name: 'settings' | 'credentials', object: NetworkDescription['settings']): string {
  const required = new Set<string>(object.required ?? [])
  const fields = Object.entries(plain(object.properties) as Record<string, JsonObject>)
  if (fields.length === 0) return `It takes no \`${name}\`.`
  const rows = fields.map(([field, schema]) => [
    code(field),
    typeOf(schema),
    required.has(field) ? 'yes' : 'no',
    String(schema.description ?? ''),
  ])
  return table([code(name), 'Type', 'Required', 'Meaning'], rows)
}

function limitTable(limits: NetworkDescription['limits']): string {
  const { pacing } = limits
  const pace = pacing
    ? `${pacing.messages} messages in ${pacing.seconds} s for each instance; the setting \`pacing\` changes it`
    : 'no limit by default; the setting `pacing` sets one'
  return table(
    ['Limit', 'Value'],
    [
      ['Longest text', `${limits.text_characters} characters`],
      ['Largest files', largestFiles(limits)],
      ['Longest caption', `${limits.caption_characters} characters`],
      ['Pace', pace],
      ['Messages awaiting an answer at the same time', `${limits.in_flight}`],
      ['… of them texts to one recipient', `${limits.in_flight_per_recipient}`],
      [
        'An attempt without an answer',
        `ends after ${limits.answer_timeout_seconds} s, and is ` +
          (limits.dedupes_by_id
            ? 'repeated with the same id'
            : 'not repeated: the message becomes `unknown`'),
      ],
      [
        'A silent connection is probed',
        `after ${limits.probe_after_seconds} s, and ended ${limits.probe_timeout_seconds} s later if it stays silent`,
      ],
    ],
  )
}

function reasonTable(reasons: NetworkDescription['reasons']): string {
  const rows = Object.entries(reasons).map(([reason, { ends, happened, next }]) => [
    code(reason),
    code(statusAfter[ends]),
    happened,
    next,
  ])
  return table(['Code', 'Status', 'What happened', 'What to do'], rows)
}

/** What each code of an error means, and what is to be done. */
export function errorTable(errors: NetworkDescription['errors']): string {
  const rows = Object.entries(errors).map(([error, { happened, next }]) => [code(error), happened, next])
  return table(['Code', 'What happened', 'What to do'], rows)
}

function typeOf(schema: JsonObject): string {
  const words = schema.enum as readonly Json[] | undefined
  if (words) return words.map((word) => code(String(word))).join(', ')
  return typeof schema.type === 'string' ? schema.type : 'see `x-networks`'
}

function largestFiles({ media_bytes }: NetworkDescription['limits']): string {
  const kinds = Object.entries(media_bytes).map(([kind, bytes]) => `${kind} ${sizeInWords(bytes)}`)
  return kinds.length > 0 ? kinds.join(', ') : 'none'
}
