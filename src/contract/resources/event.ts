import type { Static, TSchema } from 'typebox'
import { InstanceName, id, Metadata, moment, oneOf, orNull, record } from '../scalars.ts'
import { marketingSources, quotaNames, typingStateMeanings, typingStates } from '../statuses.ts'
import Type from '../type.ts'
import { EventInstance, LinkKind } from './instance.ts'
import { Message } from './message.ts'
import { groupChangeFields } from './people/group.ts'
import { Template } from './template.ts'
import { WebhookDisabledReason } from './webhook-disabled-reason.ts'

const MessageInstance = record(
  'MessageInstance',
  {
    id: id('inst', 'Identifies the instance permanently.'),
    name: InstanceName,
    metadata: Metadata,
  },
  'The instance of the message, with the labels that you gave it.',
)

const messageData = record(
  'MessageEventData',
  { instance: MessageInstance, message: Message },
  'The message at the time of the event, and its instance.',
)
export type MessageEventData = Static<typeof messageData>

const instanceData = record(
  'InstanceEventData',
  { instance: EventInstance },
  'The instance at the time of the event.',
)
export type InstanceEventData = Static<typeof instanceData>

const linkData = record(
  'LinkEventData',
  {
    instance: EventInstance,
    link: record(
      'LinkNotice',
      {
        kind: LinkKind,
        expires_at: moment('When it is replaced by the next one, or the link attempt ends.'),
      },
      'The step that the person must take. Its value is a secret: only the status of the instance contains it.',
    ),
  },
  'The instance, and the link step that a person must take.',
)
export type LinkEventData = Static<typeof linkData>

const { name: templateName, language, status, network_status, rejected_reason } = Template.properties
const templateData = record(
  'TemplateEventData',
  {
    instance: MessageInstance,
    template: record('TemplateNotice', {
      name: templateName,
      language,
      status,
      network_status,
      rejected_reason,
    }),
  },
  'The template, its new status, and an instance whose account has it.',
)
export type TemplateEventData = Static<typeof templateData>

const contactData = record(
  'ContactEventData',
  {
    instance: MessageInstance,
    contact: record('ContactNotice', {
      address: Type.String({
        description: 'The most permanent address of the person.',
        examples: ['ana@delivers.sandbox'],
      }),
      aliases: Type.Array(Type.String(), { description: 'Their other addresses, as far as they are known.' }),
    }),
    by: oneOf(marketingSources, {
      title: 'MarketingSource',
      description:
        'How they said it. `network`: to their network, which told the account. `stop_word`, `start_word`: with a message to the ' +
        'account that was one of these words.',
    }),
    at: moment('When they said it.'),
  },
  'The person who chose, and how.',
)
export type ContactEventData = Static<typeof contactData>

const groupData = record(
  'GroupEventData',
  { instance: MessageInstance, ...groupChangeFields },
  'The instance, the group, and what changed in it.',
)
export type GroupEventData = Static<typeof groupData>

/** Its URL is not in it: that may hold a secret, and events go to more people than webhooks are shown to. */
const WebhookNotice = record('WebhookNotice', { id: id('wh', 'Identifies the webhook.') })

const disabledData = record(
  'WebhookDisabledEventData',
  {
    webhook: WebhookNotice,
    reason: WebhookDisabledReason,
  },
  'The webhook that no longer gets events, and why.',
)
export type WebhookDisabledEventData = Static<typeof disabledData>

const testData = record('WebhookTestEventData', { webhook: WebhookNotice }, 'The webhook that is tested.')
export type WebhookTestEventData = Static<typeof testData>

const quotaData = record(
  'QuotaEventData',
  {
    quota: record('QuotaNotice', {
      name: oneOf(quotaNames, {
        title: 'QuotaName',
        description: 'The name of the quota in `GET /v1/quotas`.',
      }),
      used: Type.Integer({ description: 'The amount that was used at that time.' }),
      limit: Type.Integer({ description: 'The limit of the quota.' }),
    }),
    refused: Type.Integer({
      minimum: 1,
      description: 'The number of requests, files or messages that were refused since `since`.',
    }),
    since: moment('When the first of them was refused.'),
  },
  'The quota that caused refusals, and how many.',
)
export type QuotaEventData = Static<typeof quotaData>

const lagData = record(
  'WebhookLagEventData',
  {
    webhook: WebhookNotice,
    pending: Type.Integer({ minimum: 0, description: 'The number of pending deliveries.' }),
    oldest_at: orNull(moment('Since when the oldest of them has been waiting; null if none is.')),
  },
  'The webhook and its backlog.',
)
export type WebhookLagEventData = Static<typeof lagData>

interface EventKind {
  readonly meaning: string
  readonly data: TSchema
}

/** Every kind of event, with its data. */
export const eventKinds = {
  'instance.created': { meaning: 'An instance was created.', data: instanceData },
  'instance.status_changed': { meaning: 'The status of an instance changed.', data: instanceData },
  'instance.link_changed': {
    meaning: 'There is a new step to show to the person who links the account.',
    data: linkData,
  },
  'instance.restriction_changed': {
    meaning: 'The network restricted the account of an instance, warned of a restriction, or lifted one.',
    data: instanceData,
  },
  'instance.updated': {
    meaning: 'Settings or labels of an instance were changed.',
    data: instanceData,
  },
  'instance.credentials_replaced': {
    meaning: 'The credentials of an instance were replaced.',
    data: instanceData,
  },
  'instance.deleted': { meaning: 'An instance was removed, and its name is free.', data: instanceData },
  'message.received': {
    meaning:
      'A person wrote to the account of an instance. If the message has a file, the event follows once the file is stored ' +
      'or cannot be fetched. An `undecryptable` message gets a second event once its content has arrived.',
    data: messageData,
  },
  'message.sent_elsewhere': {
    meaning:
      'The account of an instance sent a message from another client. If the message has a file, the event follows once the ' +
      'file is stored or cannot be fetched.',
    data: messageData,
  },
  'message.queued': { meaning: 'A message was accepted.', data: messageData },
  'message.sent': { meaning: 'The network acknowledged a message.', data: messageData },
  'message.delivered': {
    meaning: "The recipient's side confirmed that a message arrived.",
    data: messageData,
  },
  'message.read': { meaning: "The recipient's side confirmed that a message was read.", data: messageData },
  'message.failed': { meaning: 'A message failed: `error` says why.', data: messageData },
  'message.expired': { meaning: 'A message expired before it was sent.', data: messageData },
  'message.canceled': {
    meaning: 'A message was canceled, or its instance was removed, before it was sent.',
    data: messageData,
  },
  'message.unknown': {
    meaning: 'Posthorn cannot know whether an attempt to send a message succeeded.',
    data: messageData,
  },
  'template.status_changed': {
    meaning: 'The network decided on a template of the account, or changed its mind.',
    data: templateData,
  },
  'contact.opted_out': {
    meaning:
      'A person wants no more marketing from the account: they said so to their network, or sent one of `stop_words`. Messages ' +
      'from templates for marketing are not sent to them any more.',
    data: contactData,
  },
  'contact.opted_in': {
    meaning: 'A person wants marketing from the account (again).',
    data: contactData,
  },
  'group.changed': {
    meaning:
      'A group changed: its subject, its members, or whether the account of the instance is in it. The network may report the same change more than once. If a group ' +
      'changes very often, Posthorn reports several changes as one.',
    data: groupData,
  },
  'quota.exceeded': {
    meaning:
      'Posthorn refused messages or files because of a quota. Sent at once, then once an hour while refusals continue.',
    data: quotaData,
  },
  'webhook.disabled': { meaning: 'A webhook was disabled and no longer gets events.', data: disabledData },
  'webhook.lagging': {
    meaning:
      'An event has been waiting for a webhook for longer than the limit that the operator set (5 minutes by default).',
    data: lagData,
  },
  'webhook.caught_up': {
    meaning: 'A webhook is no longer lagging: no event has been waiting for half of that limit.',
    data: lagData,
  },
  'webhook.test': {
    meaning: 'A caller requested a test of a webhook. Only that webhook gets this event.',
    data: testData,
  },
} as const satisfies Record<string, EventKind>

export type EventType = keyof typeof eventKinds
export const eventTypes = Object.keys(eventKinds) as EventType[]

export const EventType = oneOf(eventTypes, {
  title: 'EventType',
  description: [
    'What happened.',
    ...eventTypes.map((type) => `- \`${type}\`: ${eventKinds[type].meaning}`),
  ].join('\n'),
})

/** Fields of every event besides its type and its data. */
export const eventFields = {
  id: id('evt', 'Identifies the event permanently. It is the same in every delivery.'),
  sequence: Type.Integer({
    minimum: 1,
    description:
      'The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, ' +
      'or one that your filter or the limits of your key exclude.',
  }),
  epoch: Type.String({
    description:
      'The history that the number belongs to. It changes only when the server is restored from a backup, because numbers ' +
      'are then used again: `epoch` and `sequence` together identify one event.',
    examples: ['4jw8r0km'],
  }),
  timestamp: moment('When it happened.'),
}

const kinds: readonly TSchema[] = eventTypes.map((type) =>
  record(
    `${titleOf(type)}Event`,
    {
      id: eventFields.id,
      type: Type.Literal(type),
      sequence: eventFields.sequence,
      epoch: eventFields.epoch,
      timestamp: eventFields.timestamp,
      data: eventKinds[type].data,
    },
    eventKinds[type].meaning,
  ),
)

function titleOf(type: EventType): string {
  return type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Any event. */
export interface Event {
  readonly id: string
  readonly type: EventType
  readonly sequence: number
  readonly epoch: string
  readonly timestamp: string
  readonly data: object
}

export const Event = Type.Unsafe<Event>({ ...Type.Union([...kinds]), title: 'Event' })

/** The type of the events that are not stored, and that only streams bring. */
export const typingEvent = 'conversation.typing'

/** Types that a stream may ask for. */
export type StreamedEventType = EventType | typeof typingEvent

export const StreamedEventType = oneOf([...eventTypes, typingEvent], {
  title: 'StreamedEventType',
  description: `The type of an event, as in \`type\`, or \`${typingEvent}\`, which only event streams have.`,
})

export const ConversationTypingEvent = record(
  'ConversationTypingEvent',
  {
    type: Type.Literal(typingEvent),
    timestamp: moment('When it was seen.'),
    data: record('TypingEventData', {
      instance: record(
        'TypingInstance',
        { id: id('inst', 'Identifies the instance permanently.'), name: InstanceName },
        'The instance of the conversation.',
      ),
      conversation: Type.String({ description: 'The address of the conversation, as in its messages.' }),
      from: Type.String({ description: 'The address of the person; in a group, that of the member.' }),
      state: oneOf(typingStates, {
        title: 'TypingState',
        description: [
          'What the person does:',
          ...typingStates.map((state) => `- \`${state}\`: ${typingStateMeanings[state]}`),
        ].join('\n'),
      }),
    }),
  },
  'A person begins or stops typing to the account. It is not stored, and has neither an id nor a number.',
)
export type ConversationTypingEvent = Static<typeof ConversationTypingEvent>

/** The schema of an event of this type. */
export function schemaOfEvent(type: EventType): TSchema {
  return kinds[eventTypes.indexOf(type)] as TSchema
}
