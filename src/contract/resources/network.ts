import type { Static } from 'typebox'
import { oneOf, openObject, orNull, page, record } from '../scalars.ts'
import { groupAbilities, mediaKinds, sendingAbilities, sendingAbilityMeanings } from '../statuses.ts'
import Type from '../type.ts'
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
        description: 'The progress of a message that a receipt confirms.',
      }),
      {
        description:
          'The receipts that may come from recipients. A message gets no further status than these.',
      },
    ),
    recipients: oneOf(['anyone', 'those_who_wrote'], {
      title: 'Recipients',
      description:
        'The people whom the account can write to: `anyone`, or only `those_who_wrote` to it before.',
    }),
    reply_window_seconds: orNull(
      Type.Integer({
        minimum: 1,
        description:
          'The time after the last incoming message of a conversation within which the account may reply freely; null for any time.',
      }),
    ),
    links: Type.Array(LinkKind, {
      description:
        'The ways in which a person can link an account. Empty if the account needs only credentials. You can request `qr` ' +
        'and `code` with `POST /v1/instances/{name}/link`.',
    }),
    logs_out: Type.Boolean({
      description:
        'Whether `POST /v1/instances/{name}/logout` can log an account out. Its instance then stays and can be linked again.',
    }),
    sends: Type.Array(
      oneOf(sendingAbilities, {
        title: 'SendingAbility',
        description: 'Something that can be sent. New values may be added.',
      }),
      {
        description: [
          'What can be sent besides texts, files (`limits.media_bytes`) and templates:',
          ...sendingAbilities.map((ability) => `- \`${ability}\`: ${sendingAbilityMeanings[ability]}`),
        ].join('\n'),
      },
    ),
    marks_read: Type.Boolean({
      description: 'Whether the account can send read receipts.',
    }),
    checks_addresses: Type.Boolean({
      description: 'Whether the network can tell whether addresses exist.',
    }),
    groups: Type.Array(
      oneOf(groupAbilities, {
        title: 'GroupAbility',
        description: 'Something that the account can do with groups. New values may be added.',
      }),
      {
        description:
          'What the account can do with groups, besides sending to them and receiving from them; empty for nothing. `create`, `join`, `leave`; ' +
          '`list` the groups; `get` one with its members; `rename` it; `describe`: change what it says about itself; `add`, `remove`, `promote` and `demote` members; `invite_link`: get a link ' +
          'by which people join; `approval`: create a group that people join only once the account approves them; `list_requests` to join, and ' +
          '`decide_requests`.',
      },
    ),
    typing: Type.Boolean({
      description:
        'Whether the account can show people that it is typing to them. Some ' +
        'networks require the message that is answered: there, nothing is shown to people who have not written yet.',
    }),
    pictures: Type.Boolean({
      description: 'Whether the account can see the pictures of people and groups.',
    }),
    templates: Type.Boolean({
      description: 'Whether messages can be made from templates that the network approved.',
    }),
    sent_elsewhere: Type.Boolean({
      description: 'Whether the network shows the messages that the account sends from other clients.',
    }),
    callbacks: Type.Boolean({
      description: 'Whether the network sends callbacks to a URL of this server.',
    }),
    connected_means: Type.String({ description: 'What `connected` proves, as one sentence in Markdown.' }),
  },
  'The abilities of the network.',
)
export type Abilities = Static<typeof Abilities>

const Pace = record(
  'Pace',
  {
    messages: Type.Integer({ minimum: 1, description: 'The number of messages that may leave.' }),
    seconds: Type.Integer({ minimum: 1, description: 'The length of the period, in seconds.' }),
  },
  'The highest rate at which messages are sent.',
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
      description: 'The end of this row, in hours after `linked_at` of the instance.',
    }),
    factor: Type.Number({ minimum: 1, description: 'The factor by which each pause is longer.' }),
  },
  'The longer pauses of an account that was linked recently.',
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

const InteractiveLimits = record(
  'InteractiveLimits',
  {
    body_characters: count('The longest body.'),
    buttons: count('The most buttons.'),
    button_characters: count('The longest words on a button.'),
    list_rows: count('The most rows of a list, in all its sections.'),
    row_characters: count('The longest title of a row, or of a section.'),
    row_description_characters: count('The longest description of a row.'),
    id_bytes: count('The longest id of a button or row, in bytes of UTF-8.'),
  },
  'The limits of interactive messages, in Unicode characters unless they say otherwise; 0 if it cannot be sent.',
)

export const Limits = record(
  'NetworkLimits',
  {
    text_characters: count('The longest text, in Unicode characters.'),
    caption_characters: count('The longest caption, in Unicode characters.'),
    media_bytes: MediaBytes,
    interactive: InteractiveLimits,
    poll_options: count('The most answers of a poll; 0 if it cannot be sent.'),
    poll_option_characters: count('The longest answer of a poll, in Unicode characters.'),
    poll_question_characters: count('The longest question of a poll, in Unicode characters.'),
    edit_seconds: orNull(
      Type.Integer({
        minimum: 1,
        description: 'The time after a message was sent within which it can be edited; null for any time.',
      }),
    ),
    retract_seconds: orNull(
      Type.Integer({
        minimum: 1,
        description: 'The time after a message was sent within which it can be retracted; null for any time.',
      }),
    ),
    group_subject_length: count(
      'The longest subject of a group, in UTF-16 code units; 0 if the account can neither create nor rename groups.',
    ),
    group_description_length: count(
      'The longest description of a group, in UTF-16 code units; 0 if the account cannot describe groups.',
    ),
    dedupes_by_id: Type.Boolean({
      description:
        'Whether a message that is sent twice with one id reaches the recipient once, or can be recognized by its id. If so, ' +
        'Posthorn repeats an uncertain attempt with that id; if not, the message becomes `unknown`. The description of the ' +
        'network says if this is an assumption.',
    }),
    in_flight: count(
      'The number of messages of an instance that may await acknowledgement at the same time.',
    ),
    in_flight_per_recipient: count('The number of these that may be texts to one recipient.'),
    answer_timeout_seconds: count(
      'The time within which the network must acknowledge an attempt; a file also gets the time of its transfer.',
    ),
    pacing: orNull(Pace),
    pause: orNull(Pause),
    warm_up: Type.Array(WarmUp, {
      description:
        'The longer pauses after an account was linked, the shortest time first: the first row that has not ended applies. ' +
        'Empty if pauses are always the same.',
    }),
    pacing_per_recipient: orNull(Pace),
    probe_after_seconds: count('The time for which a connection may be silent before Posthorn probes it.'),
    probe_timeout_seconds: count(
      'The time within which the network must respond to a probe; then Posthorn ends the connection.',
    ),
  },
  'The limits of the network. An instance sends at the rate of `pacing`, or with a `pause` between its messages; a network ' +
    'has at most one of them, and the setting `pacing` of an instance replaces it. `pacing_per_recipient` also limits the ' +
    'messages to each recipient of an instance. Null means no limit.',
)
export type Limits = Static<typeof Limits>

const happened = Type.String({ description: 'What happened, in whole sentences.' })
const next = Type.String({ description: 'The next step, and the party that takes it, in whole sentences.' })
const codeFor = (field: string) => Type.String({ description: `The value of \`${field}\`.` })

const NetworkReason = record(
  'NetworkReason',
  { code: codeFor('reason.code'), status: InstanceStatus, happened, next },
  'A reason for which a connection to the network ends, and the status of the instance then.',
)

const NetworkError = record(
  'NetworkError',
  { code: codeFor('error.code'), happened, next },
  'A reason for which the network rejects or returns a message.',
)

const NetworkNotice = record(
  'NetworkNotice',
  { code: Type.String({ description: 'The code of the notice.' }), happened, next },
  'A difference that may arise between the message that a caller sent and the one that the recipient got.',
)

const NetworkRestriction = record(
  'NetworkRestriction',
  { code: codeFor('restriction.code'), happened, next },
  'A restriction that the network may put on an account, or a warning of one.',
)

const JsonSchema = openObject('JsonSchema', 'A JSON Schema (2020-12).')

export const Network = record(
  'Network',
  {
    network: Type.String({ description: 'The name of the network in requests.', examples: ['xmpp'] }),
    title: Type.String({ description: 'The name of the network for people.', examples: ['XMPP'] }),
    for_trying: Type.Boolean({
      description: 'Whether the network is only for trying the API: its messages never leave this server.',
    }),
    description: Type.String({
      description:
        'The network, the form of its addresses, and the guarantees that it can give, in Markdown.',
    }),
    abilities: Abilities,
    limits: Limits,
    settings: JsonSchema,
    credentials: JsonSchema,
    fixed_settings: Type.Array(Type.String(), {
      description: 'The settings that cannot be changed once the instance is created.',
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
  'A messaging network that this server supports. `settings` and `credentials` are the schemas of those of an instance. ' +
    '`template_component` is the schema of a component of a template message; null if the network has no templates.',
)
export type Network = Static<typeof Network>

export const NetworkPage = page('NetworkPage', Network)
