import Type, { type Static } from 'typebox'
import { InstanceName, id, Metadata, moment, oneOf, openObject, orNull, record } from './scalars.ts'
import { instanceActions, instanceStatuses, instanceStatusMeanings } from './statuses.ts'

export const InstanceStatus = oneOf(instanceStatuses, {
  title: 'InstanceStatus',
  description: [
    'How the instance stands.',
    ...instanceStatuses.map((status) => `- \`${status}\`: ${instanceStatusMeanings[status].meaning}`),
  ].join('\n'),
})
export type InstanceStatus = Static<typeof InstanceStatus>

const Reason = record(
  'Reason',
  {
    code: Type.String({
      description:
        'Why, stable. The codes of every network stand under Reasons, those of one network in its own section.',
      examples: ['probe_timeout'],
    }),
    detail: Type.String({ description: 'What happened and what to do next, for a person.' }),
  },
  'Why the instance is in its status. Null while it is connected, and where there is nothing to tell.',
)

const Restriction = record(
  'Restriction',
  {
    code: Type.String({ description: 'What the network restricts, stable.' }),
    scope: oneOf(['all_messages', 'new_contacts'], {
      title: 'RestrictionScope',
      description: 'Which messages wait for its end.',
    }),
    since: moment('When it began.'),
    ends_at: orNull(moment('When it ends; null where the network does not say.')),
  },
  'A limit that the network put on the account. It is not a status: the instance may well be connected.',
)

const Account = record(
  'Account',
  {
    address: Type.String({
      description: 'The address of the account, in the form of its network.',
      examples: ['ana@example.org'],
    }),
    display_name: orNull(Type.String({ description: 'The name that the network shows for the account.' })),
  },
  'The account on the network, once it is known.',
)

export const LinkKind = oneOf(['qr', 'code'], {
  title: 'LinkKind',
  description: 'What there is to be shown to a person. `qr`: a QR code. `code`: a text to type in.',
})

const Link = record(
  'Link',
  {
    kind: LinkKind,
    value: Type.String({
      description: 'What to show. A secret while it lasts: whoever has it can link the account.',
    }),
    expires_at: moment('When it is replaced by the next one, or the link attempt ends.'),
  },
  'What a person must do to link the account.',
)

const Queue = record(
  'Queue',
  {
    depth: Type.Integer({ minimum: 0, description: 'How many accepted messages are not settled yet.' }),
    oldest_at: orNull(moment('When the oldest of them was accepted.')),
  },
  'The messages of the instance that wait to be sent.',
)

const connectivity = {
  status: InstanceStatus,
  status_since: moment('Since when it has this status.'),
  reason: orNull(Reason),
  action: oneOf(instanceActions, {
    title: 'InstanceAction',
    description:
      'What is to be done next. `none`: nothing. `wait`: nothing either, Posthorn acts. `link`: a person links the account, see ' +
      '`link` in the status. `relink`: the account needs other credentials, or to be linked again. `contact_operator`: somebody ' +
      'removes what `reason` names.',
  }),
  sendable: Type.Boolean({
    description: 'Whether a message accepted now would be handed to the network now.',
  }),
  restriction: orNull(Restriction),
  account: orNull(Account),
  next_attempt_at: orNull(
    moment('When the next attempt is made: to connect while `reconnecting`, to remove while `deleting`.'),
  ),
  connected_at: orNull(moment('When the present or the last connection was made.')),
  last_verified_at: orNull(moment('When the network last answered. What `connected` rests on.')),
}

const Settings = openObject(
  'Settings',
  'The settings of the instance, in the shape that its network documents.',
)

/** Settings in requests: the document has the shapes of every network in its place. */
export const NewSettings = openObject(
  'NewSettings',
  'The settings of the instance, in the shape that its network documents.',
)

/** Credentials, which stand in requests alone: the document has the shapes of every network in their place. */
export const Credentials = openObject(
  'Credentials',
  'The credentials of the account, in the shape that its network documents. Kept sealed, never shown again.',
)

export const Instance = record(
  'Instance',
  {
    id: id('inst', 'Identifies the instance for good, also after its name was given to another.'),
    name: InstanceName,
    network: Type.String({ description: 'The messaging network, for example `xmpp`.', examples: ['xmpp'] }),
    ...connectivity,
    settings: Settings,
    metadata: Metadata,
    queue: Queue,
    created_at: moment('When the instance was created.'),
    updated_at: moment('When the record last changed.'),
  },
  'A messaging instance: a durable connection to a messaging network. Credentials and link codes are never in it.',
)
export type Instance = Static<typeof Instance>

/** What events tell of an instance. */
export const EventInstance = record(
  'EventInstance',
  {
    id: id('inst', 'Identifies the instance for good.'),
    name: InstanceName,
    network: Type.String({ description: 'The messaging network.', examples: ['xmpp'] }),
    ...connectivity,
    metadata: Metadata,
    created_at: moment('When the instance was created.'),
  },
  'An instance as it was when something happened to it.',
)
export type EventInstance = Static<typeof EventInstance>

export const InstanceConnectivity = record(
  'InstanceConnectivity',
  { name: InstanceName, ...connectivity, queue: Queue, link: orNull(Link) },
  'What is known about the connection of an instance, and what a person must do while it is `awaiting_link`.',
)
export type InstanceConnectivity = Static<typeof InstanceConnectivity>

export const CreateInstance = record('CreateInstance', {
  name: InstanceName,
  network: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 63,
      description: 'The messaging network. Left out, it is the default network of the operator.',
      examples: ['xmpp'],
    }),
  ),
  settings: Type.Optional(NewSettings),
  credentials: Type.Optional(Credentials),
  metadata: Type.Optional(Metadata),
})
export type CreateInstance = Static<typeof CreateInstance>

export const ReplaceCredentials = record('ReplaceCredentials', { credentials: Credentials })
export type ReplaceCredentials = Static<typeof ReplaceCredentials>
