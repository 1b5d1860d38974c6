import type { INodePropertyOptions } from 'n8n-workflow'

/** The types of events that a webhook of Posthorn can be for. */
const types = [
  'contact.opted_in',
  'contact.opted_out',
  'group.changed',
  'instance.created',
  'instance.credentials_replaced',
  'instance.deleted',
  'instance.link_changed',
  'instance.restriction_changed',
  'instance.status_changed',
  'instance.updated',
  'message.canceled',
  'message.delivered',
  'message.expired',
  'message.failed',
  'message.queued',
  'message.read',
  'message.received',
  'message.sent',
  'message.sent_elsewhere',
  'message.unknown',
  'quota.exceeded',
  'template.status_changed',
  'webhook.caught_up',
  'webhook.disabled',
  'webhook.lagging',
]

/** A title for a type: `Message Received` for `message.received`. */
const titleOf = (type: string): string =>
  type.replaceAll(
    /(^|[._])(\w)/g,
    (_, mark: string, letter: string) => `${mark && ' '}${letter.toUpperCase()}`,
  )

export const eventOptions: INodePropertyOptions[] = [
  { name: '*', value: '*', description: 'All events, including types that are added later' },
  ...types.map((type) => ({ name: titleOf(type), value: type })),
]
