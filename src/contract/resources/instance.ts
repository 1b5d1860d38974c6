import type { Static } from 'typebox'
import { InstanceName, id, Metadata, moment, oneOf, openObject, orNull, record } from '../scalars.ts'
import { instanceActions, instanceStatuses, instanceStatusMeanings } from '../statuses.ts'
import Type from '../type.ts'

export const InstanceStatus = oneOf(instanceStatuses, {
  title: 'InstanceStatus',
  description: [
    'The state of the instance.',
    ...instanceStatuses.map((status) => `- \`${status}\`: ${instanceStatusMeanings[status].meaning}`),
  ].join('\n'),
})
export type InstanceStatus = Static<typeof InstanceStatus>

const Reason = record(
  'Reason',
  {
    code: Type.String({
      description:
        'The reason, as a stable code. Codes that apply to every network are listed under *Reasons*, those of one network in its section.',
      examples: ['probe_timeout'],
    }),
    detail: Type.String({ description: 'What happened and what to do next, for a person.' }),
  },
  'The reason for the status of the instance. Null while it is connected, and if there is no particular reason.',
)

const Restriction = record(
  'Restriction',
  {
    code: Type.String({
      description: 'The restriction, as a stable code. The codes are listed in the section of the network.',
      examples: ['account_restricted'],
    }),
    detail: Type.String({ description: 'What happened and what to do next, for a person.' }),
    scope: oneOf(['all_messages', 'new_contacts', 'none'], {
      title: 'RestrictionScope',
      description:
        'The messages that wait until the restriction ends. `none`: the network only warns, and no message waits.',
    }),
    since: moment('When it began.'),
    ends_at: orNull(
      moment('When it ends, or when Posthorn tries again. Null if it lasts until the network lifts it.'),
    ),
  },
  'A restriction that the network put on the account, or a warning of one; if there are several, the widest. It is not a ' +
    'status: the instance may still be connected.',
)

const Account = record(
  'Account',
  {
    address: Type.String({
      description: 'The address of the account, in the form of its network.',
      examples: ['ana@example.org'],
    }),
    display_name: orNull(Type.String({ description: 'The name that the network shows for the account.' })),
    url: orNull(
      Type.String({
        description:
          'A link at which people can write to the account. Null if the network has no such links.',
        examples: ['https://t.me/example_bot'],
      }),
    ),
  },
  'The account on the network, once it is known.',
)

export const LinkKind = oneOf(['qr', 'code', 'url', 'question'], {
  title: 'LinkKind',
  description:
    'The kind of step. `qr`: a QR code to scan. `code`: a code to type in. `url`: a page to open. `question`: a question of ' +
    'the network; send the answer to `POST /v1/instances/{name}/link/answer`.',
})

export type LinkKind = Static<typeof LinkKind>

export const Link = record(
  'Link',
  {
    kind: LinkKind,
    value: Type.String({
      description:
        'The value to show. Keep it secret until it expires, because its holder can link the account.',
    }),
    expires_at: moment('When it is replaced by the next one, or the link attempt ends.'),
  },
  'The step that a person must take to link the account.',
)

export type Link = Static<typeof Link>

export const StartLink = record('StartLink', {
  kind: Type.Optional(
    oneOf(['qr', 'code'], {
      title: 'LinkOrder',
      description:
        'The way to link; by default, `qr`. `qr`: the person scans a QR code with their phone. `code`: they type a code into ' +
        'the app on the phone with the number `phone`.',
    }),
  ),
  phone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 32,
      description:
        'The phone number of the account, with its country code: 7 to 15 digits, with `+`, spaces, dots and hyphens as you like. ' +
        'Required for `code`, and only for that.',
      examples: ['+49 151 12345678'],
    }),
  ),
})
export type StartLink = Static<typeof StartLink>

export const AnswerLink = record('AnswerLink', {
  answer: Type.String({
    minLength: 1,
    maxLength: 512,
    description:
      'The answer, as the person gave it. Posthorn passes it to the network, and does not store it.',
    examples: ['4821-7730'],
  }),
})

const Queue = record(
  'Queue',
  {
    depth: Type.Integer({
      minimum: 0,
      description: 'The number of accepted messages that are not settled yet.',
    }),
    oldest_at: orNull(moment('When the oldest unsettled message was accepted.')),
  },
  'The messages of the instance that wait to be sent.',
)

const connectivity = {
  status: InstanceStatus,
  status_since: moment('When the instance entered this status.'),
  reason: orNull(Reason),
  action: oneOf(instanceActions, {
    title: 'InstanceAction',
    description:
      'The next step. `none`: there is none. `wait`: wait, because Posthorn is acting. `link`: have a person link the ' +
      'account; see `link` in the status. `relink`: replace the credentials, or link the account again. `contact_operator`: ' +
      'have the operator fix the cause that `reason` names.',
  }),
  sendable: Type.Boolean({
    description: 'Whether Posthorn would send a message to the network at once if it were accepted now.',
  }),
  restriction: orNull(Restriction),
  account: orNull(Account),
  next_attempt_at: orNull(
    moment(
      'The time of the next attempt: to connect while `reconnecting`, to remove the instance while `deleting`.',
    ),
  ),
  linked_at: orNull(
    moment(
      'When the account was last linked, which is when it first connected with that link. Null if it is not linked, and on ' +
        'networks that need no link.',
    ),
  ),
  connected_at: orNull(moment('When the current or most recent connection was established.')),
  last_verified_at: orNull(moment('When the network last responded: the evidence for `connected`.')),
}

const Settings = openObject(
  'Settings',
  'The settings of the instance as the caller gave them, in the form that its network documents. Settings that were left out ' +
    'have the default of the network; that of `pacing`, for example, is in its limits (`GET /v1/networks`).',
)

/** Settings in requests: in the document, the schemas of all networks replace it. */
export const NewSettings = openObject(
  'NewSettings',
  'The settings of the instance, in the form that its network documents.',
)

/** Credentials, which are only in requests: in the document, the schemas of all networks replace it. */
export const Credentials = openObject(
  'Credentials',
  'The credentials of the account, in the form that its network documents. Stored encrypted and never shown again.',
)

const words = (description: string, examples: string[][]) =>
  orNull(
    Type.Array(Type.String({ minLength: 1, maxLength: 40, pattern: '[\\p{L}\\p{N}]' }), {
      maxItems: 50,
      description,
      examples,
    }),
  )

const compared =
  'A word has a letter or a digit. A text counts if it consists of one of the words and nothing else; case, accents, invisible characters, the width of letters, and spaces and punctuation around it do not matter. A word can be in only one of the two lists.'

/** Words about marketing; the sentence says what null means. */
export const marketingWords = (ofNull: string) => ({
  stop_words: words(
    `Words by which people opt out of marketing when they send one of them. ${compared} ${ofNull}`,
    [['stop', 'sair']],
  ),
  start_words: words(`Words by which they opt in again. ${compared} ${ofNull}`, [['start', 'voltar']]),
})

const ownWords = marketingWords(
  'Null for those that the operator set for the organization; an empty list for none. An inherited list counts, too, when words are ' +
    'compared. If the operator changes it later, a word that is then in both lists opts out.',
)

const givenWords = {
  stop_words: Type.Optional(ownWords.stop_words),
  start_words: Type.Optional(ownWords.start_words),
}

export const Instance = record(
  'Instance',
  {
    id: id('inst', 'Identifies the instance permanently, even after another instance took its name.'),
    name: InstanceName,
    network: Type.String({ description: 'The messaging network, for example `xmpp`.', examples: ['xmpp'] }),
    ...connectivity,
    settings: Settings,
    metadata: Metadata,
    ...ownWords,
    queue: Queue,
    callback_url: orNull(
      Type.String({
        description:
          'The URL that the network sends callbacks to: that of the instance or, if the instance uses an app of the ' +
          'operator, that of the operator. If the section of the network says so, enter it at the network, unless the ' +
          'operator has done that. Without `POSTHORN_BASE_URL`, it begins with the path. Anyone who knows it can send ' +
          'requests to it, but cannot sign them. Null if the instance gets no callbacks, and for keys without the role ' +
          '`admin`.',
        examples: ['https://posthorn.example/v1/callbacks/sandbox/cb_…'],
      }),
    ),
    created_at: moment('When the instance was created.'),
    updated_at: moment('When the record last changed.'),
  },
  'A messaging instance: a durable connection to a messaging network. It never contains credentials or link codes.',
)
export type Instance = Static<typeof Instance>

/** An instance as events show it. */
export const EventInstance = record(
  'EventInstance',
  {
    id: id('inst', 'Identifies the instance permanently.'),
    name: InstanceName,
    network: Type.String({ description: 'The messaging network.', examples: ['xmpp'] }),
    ...connectivity,
    metadata: Metadata,
    created_at: moment('When the instance was created.'),
  },
  'The instance at the time of the event.',
)
export type EventInstance = Static<typeof EventInstance>

export const InstanceConnectivity = record(
  'InstanceConnectivity',
  { name: InstanceName, ...connectivity, queue: Queue, link: orNull(Link) },
  'The state of the connection of an instance, and the step that a person must take while it is `awaiting_link`.',
)
export type InstanceConnectivity = Static<typeof InstanceConnectivity>

export const CreateInstance = record('CreateInstance', {
  name: InstanceName,
  network: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 63,
      description: 'The messaging network. By default, the one that the operator chose.',
      examples: ['xmpp'],
    }),
  ),
  settings: Type.Optional(NewSettings),
  credentials: Type.Optional(Credentials),
  metadata: Type.Optional(Metadata),
  ...givenWords,
})
export type CreateInstance = Static<typeof CreateInstance>

const ChangedSettings = openObject(
  'ChangedSettings',
  'The settings to change, in the form that the network documents: each replaces the current value as a whole, and `null` ' +
    'removes it, so the default of the network applies. Settings that are left out stay.',
)

/** As many as could be removed, and as many as could take their place. */
const ChangedMetadata = Type.Unsafe<Record<string, string | null>>({
  type: 'object',
  title: 'ChangedMetadata',
  description:
    'The labels to change: each replaces the current value, and `null` removes it. Labels that are left out stay. An instance has at most 20.',
  maxProperties: 40,
  propertyNames: { type: 'string', minLength: 1, maxLength: 64 },
  additionalProperties: { type: ['string', 'null'], maxLength: 500 },
  examples: [{ department: 'sales', ticket: null }],
})

export const UpdateInstance = record('UpdateInstance', {
  settings: Type.Optional(ChangedSettings),
  metadata: Type.Optional(ChangedMetadata),
  ...givenWords,
})
export type UpdateInstance = Static<typeof UpdateInstance>

export const ReplaceCredentials = record('ReplaceCredentials', { credentials: Credentials })
export type ReplaceCredentials = Static<typeof ReplaceCredentials>
