import Type, { type Static } from 'typebox'
import { oneOf, openObject, orNull, page, record } from '../scalars.ts'
import { mediaKinds } from '../statuses.ts'
import { InstanceStatus, LinkKind } from './instance.ts'
import type { MediaKind } from './message.ts'

/**
 * Abilities of a network, as data: the reference is written from them, and the laws of the conformance suite follow from
 * them.
 */
export const Abilities = record(
  'NetworkAbilities',
  {
    message_ids: oneOf(['ours', 'assigned'], {
      title: 'MessageIds',
      description:
        '`ours`: Posthorn fixes the id of a message before its first attempt. `assigned`: the network gives it an id when it accepts ' +
        'it; until that id is known, `network_message_id` is null.',
    }),
    receipts: Type.Array(
      oneOf(['delivered', 'read'], {
        title: 'ReceiptState',
        description: 'How far a receipt says that a message got.',
      }),
      { description: 'The receipts that recipients may give. A message gets no further than these.' },
    ),
    recipients: oneOf(['anyone', 'those_who_wrote'], {
      title: 'Recipients',
      description: 'Whom the account can write to: `anyone`, or only `those_who_wrote` to it before.',
    }),
    reply_window_seconds: orNull(
      Type.Integer({
        minimum: 1,
        description:
          'For how long after the last incoming message of a conversation the account may answer it freely; null for any time.',
      }),
    ),
    links: Type.Array(LinkKind, {
      description:
        'How a person can link an account. Empty if credentials are all that is needed. `qr` and `code` can be asked for with ' +
        '`POST /v1/instances/{name}/link`.',
    }),
    logs_out: Type.Boolean({
      description:
        'Whether an account can be logged out, so that its instance stays and can be linked again, with ' +
        '`POST /v1/instances/{name}/logout`.',
    }),
    marks_read: Type.Boolean({
      description: 'Whether the account can tell a sender that it read a message.',
    }),
    templates: Type.Boolean({
      description: 'Whether messages can be made from templates that the network approved.',
    }),
    sent_elsewhere: Type.Boolean({
      description: 'Whether the network shows what the account sends from other clients.',
    }),
    callbacks: Type.Boolean({
      description: 'Whether the network posts what happens to a URL of this server.',
    }),
    connected_means: Type.String({ description: 'What `connected` proves, as one sentence in Markdown.' }),
  },
  'What the network can do.',
)
export type Abilities = Static<typeof Abilities>

const Pace = record(
  'Pace',
  {
    messages: Type.Integer({ minimum: 1, description: 'How many messages may leave.' }),
    seconds: Type.Integer({ minimum: 1, description: 'In how many seconds.' }),
  },
  'How fast messages are sent.',
)
export type Pace = Static<typeof Pace>

const Pause = record(
  'Pause',
  {
    min_seconds: Type.Number({ minimum: 0, description: 'The shortest pause.' }),
    max_seconds: Type.Number({ minimum: 0, description: 'The longest pause.' }),
  },
  'A pause after each message, of a random length.',
)
export type Pause = Static<typeof Pause>

const WarmUp = record(
  'WarmUp',
  {
    until_hours: Type.Number({
      exclusiveMinimum: 0,
      description: 'Until how many hours after `linked_at` of the instance.',
    }),
    factor: Type.Number({ minimum: 1, description: 'How many times as long each pause is.' }),
  },
  'How much longer the pauses are while an account was linked only recently.',
)
export type WarmUp = Static<typeof WarmUp>

const MediaBytes = Type.Unsafe<Readonly<Partial<Record<MediaKind, number>>>>({
  type: 'object',
  title: 'MediaBytes',
  description: 'The largest file of each kind, in bytes. A kind that is missing cannot be sent.',
  properties: Object.fromEntries(mediaKinds.map((kind) => [kind, { type: 'integer', minimum: 1 }])),
  additionalProperties: false,
})

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const Limits = record(
  'NetworkLimits',
  {
    text_characters: count('The longest text, in Unicode characters.'),
    caption_characters: count('The longest caption, in Unicode characters.'),
    media_bytes: MediaBytes,
    dedupes_by_id: Type.Boolean({
      description:
        'Whether a message that is sent twice with one id reaches the recipient once, or can be recognized by its id. If so, an ' +
        'attempt whose answer was lost is repeated with that id; if not, the message becomes `unknown`. The description of the network in ' +
        'the reference says if that is assumed.',
    }),
    in_flight: count('How many messages of an instance may await an answer of the network at the same time.'),
    in_flight_per_recipient: count('How many of them may be texts to one recipient.'),
    answer_timeout_seconds: count(
      'How long an attempt may take to be answered; a file gets the time of its transfer in addition.',
    ),
    pacing: orNull(Pace),
    pause: orNull(Pause),
    warm_up: Type.Array(WarmUp, {
      description:
        'How much longer pauses are after an account was linked, the shortest time first: the first row whose time is not over counts. ' +
        'Empty if that makes no difference.',
    }),
    pacing_per_recipient: orNull(Pace),
    probe_after_seconds: count('How long a connection may be silent before it is probed.'),
    probe_timeout_seconds: count('How long a probe may take before the connection is ended.'),
  },
  'The limits of the network. An instance sends at the rate of `pacing`, or with a `pause` between its messages; a network has at ' +
    'most one of them, and the setting `pacing` of an instance replaces it. `pacing_per_recipient` is for each recipient of an instance ' +
    'in addition. Null means no limit.',
)
export type Limits = Static<typeof Limits>

const happened = Type.String({ description: 'What happened, in whole sentences.' })
const next = Type.String({ description: 'What to do next, and by whom, in whole sentences.' })
const codeFor = (field: string) => Type.String({ description: `The value of \`${field}\`.` })

const NetworkReason = record(
  'NetworkReason',
  { code: codeFor('reason.code'), status: InstanceStatus, happened, next },
  'Why a connection to the network ends, and the status of the instance then.',
)

const NetworkError = record(
  'NetworkError',
  { code: codeFor('error.code'), happened, next },
  'Why the network refuses a message, or gives it back.',
)

const NetworkNotice = record(
  'NetworkNotice',
  { code: Type.String({ description: 'The code of the notice.' }), happened, next },
  'What may have been done otherwise than it was asked for when a message was sent.',
)

const NetworkRestriction = record(
  'NetworkRestriction',
  { code: codeFor('restriction.code'), happened, next },
  'What the network may restrict an account in, or warn of.',
)

const JsonSchema = openObject('JsonSchema', 'A JSON Schema (2020-12).')

export const Network = record(
  'Network',
  {
    network: Type.String({ description: 'Names the network in requests.', examples: ['xmpp'] }),
    title: Type.String({ description: 'The name of the network for people.', examples: ['XMPP'] }),
    for_trying: Type.Boolean({
      description: 'Whether the network is for trying the API: then nothing that is sent leaves this server.',
    }),
    description: Type.String({
      description: 'What the network is, what an address looks like, and what it can promise, in Markdown.',
    }),
    abilities: Abilities,
    limits: Limits,
    settings: JsonSchema,
    credentials: JsonSchema,
    fixed_settings: Type.Array(Type.String(), {
      description: 'The settings that cannot be changed once the instance is created; the others can be.',
      examples: [['address']],
    }),
    template_component: orNull(JsonSchema),
    reasons: Type.Array(NetworkReason, {
      description:
        'Every reason of the network; those that do not depend on the network are in the reference.',
    }),
    errors: Type.Array(NetworkError, { description: 'Every error of the network.' }),
    notices: Type.Array(NetworkNotice, { description: 'Every notice of the network; most have none.' }),
    restrictions: Type.Array(NetworkRestriction, {
      description: 'Every restriction of the network; most have none.',
    }),
  },
  'A messaging network that this server speaks. `settings` and `credentials` describe those of an instance, and ' +
    '`template_component` a component of a template when it is sent; null if the network has no templates.',
)
export type Network = Static<typeof Network>

export const NetworkPage = page('NetworkPage', Network)
