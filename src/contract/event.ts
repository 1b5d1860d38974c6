import Type, { type Static, type TSchema } from 'typebox'
import { EventInstance, LinkKind } from './instance.ts'
import { Message } from './message.ts'
import { InstanceName, id, Metadata, moment, oneOf, orNull, record } from './scalars.ts'
import { quotaNames } from './statuses.ts'
import { WebhookDisabledReason } from './webhook-disabled-reason.ts'

const MessageInstance = record(
  'MessageInstance',
  {
    id: id('inst', 'Identifies the instance for good.'),
    name: InstanceName,
    metadata: Metadata,
  },
  'The instance of the message, with the labels that you gave it.',
)

const messageData = record(
  'MessageEventData',
  { instance: MessageInstance, message: Message },
  'The message as it was when it happened, and its instance.',
)
export type MessageEventData = Static<typeof messageData>

const instanceData = record(
  'InstanceEventData',
  { instance: EventInstance },
  'The instance as it was when it happened.',
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
      'What there is to act on. What to show is a secret: only the status of the instance has it.',
    ),
  },
  'The instance, and that somebody must act to link it.',
)
export type LinkEventData = Static<typeof linkData>

/** Its URL is not in it: that may hold a secret, and events go to more people than webhooks are shown to. */
const WebhookNotice = record('WebhookNotice', { id: id('wh', 'Identifies the webhook.') })

const disabledData = record(
  'WebhookDisabledEventData',
  {
    webhook: WebhookNotice,
    reason: WebhookDisabledReason,
  },
  'The webhook that gets no events from now on, and why.',
)
export type WebhookDisabledEventData = Static<typeof disabledData>

const testData = record(
  'WebhookTestEventData',
  { webhook: WebhookNotice },
  'The webhook that was to be tested.',
)
export type WebhookTestEventData = Static<typeof testData>

const quotaData = record(
  'QuotaEventData',
  {
    quota: record('QuotaNotice', {
      name: oneOf(quotaNames, {
        title: 'QuotaName',
        description: 'Which quota, as `GET /v1/quotas` names it.',
      }),
      used: Type.Integer({ description: 'How much of it was used then.' }),
      limit: Type.Integer({ description: 'How much there is.' }),
    }),
    refused: Type.Integer({
      minimum: 1,
      description: 'How many requests, files or messages were turned away since the time of `since`.',
    }),
    since: moment('When the first of them was.'),
  },
  'The quota that something was turned away for, and how often.',
)
export type QuotaEventData = Static<typeof quotaData>

const lagData = record(
  'WebhookLagEventData',
  {
    webhook: WebhookNotice,
    pending: Type.Integer({ minimum: 0, description: 'How many deliveries are pending.' }),
    oldest_at: orNull(moment('Since when the oldest of them waits; null if nothing does.')),
  },
  'The webhook, and what waits for it.',
)
export type WebhookLagEventData = Static<typeof lagData>

interface EventKind {
  readonly meaning: string
  readonly data: TSchema
}

/** Every kind of event, with what it tells. */
export const eventKinds = {
  'instance.created': { meaning: 'An instance was created.', data: instanceData },
  'instance.status_changed': { meaning: 'An instance has another status.', data: instanceData },
  'instance.link_changed': {
    meaning: 'There is something new to be shown to the person who links the account.',
    data: linkData,
  },
  'instance.credentials_replaced': {
    meaning: 'Somebody gave an instance other credentials.',
    data: instanceData,
  },
  'instance.deleted': { meaning: 'An instance is removed, and its name free.', data: instanceData },
  'message.received': {
    meaning:
      'Somebody wrote to the account of an instance. Where the message has a file, it is told once the file is kept, or cannot be had.',
    data: messageData,
  },
  'message.queued': { meaning: 'A message was accepted.', data: messageData },
  'message.sent': { meaning: 'The network acknowledged a message.', data: messageData },
  'message.delivered': {
    meaning: "The recipient's side confirmed that a message arrived.",
    data: messageData,
  },
  'message.read': { meaning: "The recipient's side confirmed that a message was read.", data: messageData },
  'message.failed': { meaning: 'The network refused a message for good.', data: messageData },
  'message.expired': { meaning: 'The time of a message was over before it was sent.', data: messageData },
  'message.canceled': {
    meaning: 'A message was taken back, or its instance removed, before it was sent.',
    data: messageData,
  },
  'message.unknown': {
    meaning: 'What became of an attempt to send a message cannot be known.',
    data: messageData,
  },
  'quota.exceeded': {
    meaning:
      'Messages or files were turned away because of a quota: told at once, then once an hour while it goes on.',
    data: quotaData,
  },
  'webhook.disabled': { meaning: 'A webhook gets no events from now on.', data: disabledData },
  'webhook.lagging': {
    meaning:
      'What is pending for a webhook waits for longer than the limit of the operator, 5 minutes by default.',
    data: lagData,
  },
  'webhook.caught_up': {
    meaning: 'A webhook that was lagging does so no more: nothing waits for half of that time.',
    data: lagData,
  },
  'webhook.test': {
    meaning: 'Somebody asked for a test of a webhook. Only that webhook gets it.',
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

/** What every event has beside its type and its data. */
export const eventFields = {
  id: id('evt', 'Identifies the event for good: however often it is delivered, it is the same.'),
  sequence: Type.Integer({
    minimum: 1,
    description:
      'The number of the event in your organization. Numbers have no gaps, so a number that is missing is an event that you missed, ' +
      'or one that your filter or the limit of your key leaves out.',
  }),
  epoch: Type.String({
    description:
      'Which history the number belongs to. It changes only if the server goes back to a backup, because numbers are given again then: `epoch` and `sequence` together name one event.',
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

/** The schema of an event of this type. */
export function schemaOfEvent(type: EventType): TSchema {
  return kinds[eventTypes.indexOf(type)] as TSchema
}
