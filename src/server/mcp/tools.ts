import type { TObject, TProperties, TSchema } from 'typebox'
import { longestWait } from '../../contract/headers.ts'
import type { Operation } from '../../contract/operation.ts'
import {
  sendContactsMessage,
  sendInteractiveMessage,
  sendLocationMessage,
  sendPollMessage,
} from '../../contract/operations/content-operations.ts'
import { listContacts, listConversations } from '../../contract/operations/conversation-operations.ts'
import {
  decideJoinRequests,
  getGroup,
  listGroups,
  listJoinRequests,
} from '../../contract/operations/conversations/group-operations.ts'
import { listEvents } from '../../contract/operations/event-operations.ts'
import {
  editMessage,
  reactToMessage,
  retractMessage,
} from '../../contract/operations/following-operations.ts'
import {
  checkAddresses,
  deleteInstance,
  getInstance,
  listInstances,
  showTyping,
} from '../../contract/operations/instance-operations.ts'
import {
  cancelMessage,
  getMessage,
  listMessages,
  markMessageRead,
  sendMediaMessage,
  sendTemplateMessage,
  sendTextMessage,
} from '../../contract/operations/message-operations.ts'
import { listTemplates } from '../../contract/operations/template-operations.ts'
import { InstanceName } from '../../contract/scalars.ts'
import Type from '../../contract/type.ts'
import {
  viewCheckedAddresses,
  viewContacts,
  viewConversations,
  viewDecisions,
  viewEvents,
  viewGroup,
  viewGroups,
  viewInstance,
  viewInstances,
  viewJoinRequests,
  viewMessage,
  viewMessages,
  viewTemplates,
} from './views.ts'

/** Hints about a tool by which assistants decide whether to ask a person first. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  /** True if it reaches people outside of the organization, or returns what they wrote. */
  readonly openWorldHint: boolean
}

/** A tool: an operation of the contract, with those of its fields that an assistant needs. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly operation: Operation
  /** Schema of its arguments, made from the fields of the operation. */
  readonly input: TObject
  readonly annotations: ToolAnnotations
  /** Makes what the assistant sees of a body of the operation's response. */
  readonly show: (body: never) => unknown
}

/** The argument of sends that becomes the key by which a repetition is recognized. */
export const idempotencyArgument = 'idempotency_key'
/** The argument that becomes `Prefer: wait=N`. */
export const waitArgument = 'wait_seconds'

const reading = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
const sending = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true }

const listLimit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 50, default: 20, description: 'The maximum number of entries.' }),
)
const waitSeconds = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: Math.min(longestWait, 30),
    default: 0,
    description: 'Seconds to wait for something to happen.',
  }),
)
const idempotencyKey = Type.String({
  minLength: 8,
  maxLength: 200,
  description:
    'A new name for each message, such as `reminder-ana-2026-11-28`. Repeat a call without a result with the same key and arguments: it ' +
    'is then sent once.',
})

const sendingFields = ['instance', 'to', 'reply_to', 'topic', 'send_at', 'expires_at', 'client_ref'] as const
const sendingMore = { [idempotencyArgument]: idempotencyKey, [waitArgument]: waitSeconds }
const outcome = 'The result says how far it has got; ask with `get_message` later.'

const ofInstance = 'The name of the instance.'
const { pattern: instancePattern } = InstanceName as { pattern?: string }

/** Shorter descriptions of fields that many tools take, because each tool repeats them. */
const shortDescriptions: Readonly<Record<string, string>> = {
  instance: ofInstance,
  to: 'The address of the recipient.',
  reply_to: 'The `id` of the message that it answers, in the same conversation.',
  send_at: 'Do not send it before this time, at most 30 days ahead.',
  expires_at: 'Give up after this time; by default, 24 hours after it is to be sent.',
  topic: 'The topic in which it is shown, by the `topic_id` of a message there.',
  mentions:
    'In a group, the addresses of the people whom the text mentions: write each in it as `@` with the address.',
  components: 'The values for the placeholders of its header, its body and its buttons.',
  cursor: 'The `next_cursor` of the previous page.',
}

const notEverywhere = 'Not every network can do it.'

export const tools: readonly Tool[] = [
  tool('list_instances', listInstances, {
    title: 'List the instances',
    description:
      'Lists the messaging instances: the accounts through which messages are sent and received, with their network and status.',
    fields: ['status', 'network', 'search', 'cursor'],
    more: { limit: listLimit },
    annotations: { ...reading, openWorldHint: false },
    show: viewInstances,
  }),
  tool('get_instance', getInstance, {
    title: 'Read an instance',
    description:
      'Returns the state of one instance: whether it is connected, and if not, why and what to do. If a person must link its account, ' +
      'they do so in the console or on a link page: no tool shows the code.',
    fields: ['name'],
    annotations: { ...reading, openWorldHint: false },
    show: viewInstance,
  }),
  tool('list_conversations', listConversations, {
    title: 'List the conversations',
    description: 'Lists conversations with their last messages, the newest first.',
    fields: ['instance', 'search', 'kind', 'unread', 'cursor'],
    more: { limit: listLimit },
    annotations: { ...reading, openWorldHint: true },
    show: viewConversations,
  }),
  tool('list_contacts', listContacts, {
    title: 'List the contacts',
    description: 'Lists the people who wrote to an instance, to find the address of a person by their name.',
    fields: ['name', 'search', 'cursor'],
    more: { limit: listLimit },
    annotations: { ...reading, openWorldHint: true },
    show: viewContacts,
  }),
  tool('list_templates', listTemplates, {
    title: 'List the templates',
    description: `Lists the templates of an instance, with the placeholders that \`send_template\` fills. ${notEverywhere}`,
    fields: ['name', 'cursor'],
    more: { limit: listLimit },
    annotations: { ...reading, openWorldHint: false },
    show: viewTemplates,
  }),
  tool('list_groups', listGroups, {
    title: 'List the groups',
    description: `Lists the groups that the account of an instance is in. ${notEverywhere}`,
    fields: ['name', 'cursor'],
    more: { limit: listLimit },
    annotations: { ...reading, openWorldHint: true },
    show: viewGroups,
  }),
  tool('get_group', getGroup, {
    title: 'Read a group',
    description: `Returns a group with its members. ${notEverywhere}`,
    fields: ['name', 'address'],
    annotations: { ...reading, openWorldHint: true },
    show: viewGroup,
  }),
  tool('list_join_requests', listJoinRequests, {
    title: 'List who asks to join a group',
    description: `Lists the people who ask to join a group and must be let in. ${notEverywhere}`,
    fields: ['name', 'address', 'cursor'],
    more: { limit: listLimit },
    annotations: { ...reading, openWorldHint: true },
    show: viewJoinRequests,
  }),
  tool('list_messages', listMessages, {
    title: 'List the messages',
    description:
      'Lists messages, sent and received, the newest first; long texts are cut. Only `next_cursor: null` means the end.',
    fields: [
      ...['instance', 'status', 'direction', 'to', 'conversation', 'client_ref'],
      ...['created_after', 'created_before', 'text', 'cursor'],
    ],
    more: { limit: listLimit },
    annotations: { ...reading, openWorldHint: true },
    show: viewMessages,
  }),
  tool('get_message', getMessage, {
    title: 'Read a message',
    description:
      'Returns one message with its whole text and everything that is known about its delivery: `sent`, `delivered` and `read` are the word ' +
      'of the network.',
    fields: ['id'],
    annotations: { ...reading, openWorldHint: true },
    show: viewMessage,
  }),
  tool('read_events', listEvents, {
    title: 'Read the events',
    description:
      'Returns what happened, the oldest first: messages that were received, steps of those that were sent, changes of instances. Begin ' +
      'with `after: "latest"` for new events, and continue with the `next_cursor` of the result as `after`.',
    fields: ['after', 'types', 'instances'],
    more: { limit: listLimit, [waitArgument]: waitSeconds },
    annotations: { ...reading, openWorldHint: true },
    show: viewEvents,
  }),
  tool('send_text', sendTextMessage, {
    title: 'Send a text',
    description: `Sends a text to one recipient, a real person. ${outcome}`,
    fields: [...sendingFields, 'text', 'mentions'],
    more: sendingMore,
    annotations: sending,
    show: viewMessage,
  }),
  tool('send_file', sendMediaMessage, {
    title: 'Send a file by URL',
    description: `Sends a file that the server fetches from a URL to one recipient, a real person. ${outcome}`,
    fields: [...sendingFields, 'kind', 'url', 'caption', 'filename', 'voice', 'mentions'],
    more: sendingMore,
    annotations: sending,
    show: viewMessage,
  }),
  tool('send_template', sendTemplateMessage, {
    title: 'Send a template',
    description:
      'Sends a message from a template to one recipient, a real person, also if the time to answer them is over. ' +
      `${notEverywhere} ${outcome}`,
    fields: [...sendingFields, 'name', 'language', 'components'],
    more: sendingMore,
    annotations: sending,
    show: viewMessage,
  }),
  tool('send_location', sendLocationMessage, {
    title: 'Send a location',
    description: `Sends a location to one recipient, a real person. ${notEverywhere} ${outcome}`,
    fields: [...sendingFields, 'latitude', 'longitude', 'name', 'address'],
    more: sendingMore,
    annotations: sending,
    show: viewMessage,
  }),
  tool('send_contacts', sendContactsMessage, {
    title: 'Send contact cards',
    description: `Sends the contact details of one or more people to one recipient, a real person. ${notEverywhere} ${outcome}`,
    fields: [...sendingFields, 'contacts'],
    more: sendingMore,
    annotations: sending,
    show: viewMessage,
  }),
  tool('ask_by_buttons', sendInteractiveMessage, {
    title: 'Ask with buttons or a list',
    description:
      'Sends a question with one of `buttons`, `list` and `url_button` to one recipient, a real person. What they choose comes as a message with ' +
      `\`chosen\`. ${notEverywhere} ${outcome}`,
    fields: [...sendingFields, 'header', 'body', 'footer', 'buttons', 'list', 'url_button'],
    more: sendingMore,
    annotations: sending,
    show: viewMessage,
  }),
  tool('send_poll', sendPollMessage, {
    title: 'Send a poll',
    description: `Sends a poll to one recipient, usually a group of real people. ${notEverywhere} ${outcome}`,
    fields: [...sendingFields, 'question', 'options', 'multiple_answers'],
    more: sendingMore,
    annotations: sending,
    show: viewMessage,
  }),
  tool('react_to_message', reactToMessage, {
    title: 'React to a message',
    description: `Reacts with an emoji to a message that was sent or received; \`emoji: null\` takes that back. ${notEverywhere}`,
    fields: ['id', 'emoji'],
    more: sendingMore,
    annotations: sending,
    show: viewMessage,
  }),
  tool('edit_message', editMessage, {
    title: 'Edit a message',
    description: `Replaces the text of a message that you sent, or the caption of a file. ${notEverywhere}`,
    fields: ['id', 'text', 'caption'],
    more: sendingMore,
    annotations: sending,
    show: viewMessage,
  }),
  tool('retract_message', retractMessage, {
    title: 'Delete a message for everyone',
    description:
      'Asks the network to remove a message that you sent, for everyone; they may have read it. A message that still waits is ' +
      `canceled. It cannot be undone. ${notEverywhere}`,
    fields: ['id'],
    more: sendingMore,
    annotations: { ...sending, destructiveHint: true },
    show: viewMessage,
  }),
  tool('decide_join_requests', decideJoinRequests, {
    title: 'Let people into a group, or not',
    description:
      'Lets people into a group who asked to join, or declines, and says of each whether the network did it. Who is let in reads the group ' +
      `from then on, so let in only those whom the person named. ${notEverywhere}`,
    fields: ['name', 'address', 'action', 'people'],
    annotations: sending,
    show: viewDecisions,
  }),
  tool('cancel_message', cancelMessage, {
    title: 'Cancel a message',
    description: 'Cancels a message that was not sent yet. It cannot be undone.',
    fields: ['id'],
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    show: viewMessage,
  }),
  tool('mark_read', markMessageRead, {
    title: 'Mark a message as read',
    description: 'Tells the sender of a received message that it was read, if the network can do that.',
    fields: ['id'],
    annotations: sending,
    show: () => ({ done: true }),
  }),
  tool('check_addresses', checkAddresses, {
    title: 'Check whether addresses exist',
    description:
      'Asks the network which of these addresses people have. Check an address before the first message to it, and no lists: networks ban ' +
      `accounts that ask about many people. ${notEverywhere}`,
    fields: ['name', 'addresses'],
    annotations: sending,
    show: viewCheckedAddresses,
  }),
  tool('show_typing', showTyping, {
    title: 'Show that you are typing',
    description: `Shows a person or a group that the account is typing, until the time is over or a message is sent. ${notEverywhere}`,
    fields: ['name', 'to', 'topic', 'seconds'],
    annotations: sending,
    show: () => ({ done: true }),
  }),
  tool('delete_instance', deleteInstance, {
    title: 'Remove an instance',
    description:
      'Removes an instance for good: logs its account out, cancels its queued messages and frees its name. It cannot be undone, so ask the ' +
      'person first.',
    fields: ['name'],
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    show: (body?: Parameters<typeof viewInstance>[0]) => (body ? viewInstance(body) : { removed: true }),
  }),
]

interface ToolDefinition extends Pick<Tool, 'title' | 'description' | 'annotations' | 'show'> {
  /** Names of the fields of the operation that it takes. */
  readonly fields: readonly string[]
  /** Arguments besides those, or instead of one of them. */
  readonly more?: TProperties
}

function tool(name: string, operation: Operation, { fields, more = {}, ...rest }: ToolDefinition): Tool {
  const known = fieldsOf(operation)
  const taken = fields.map((field) => {
    const schema = known[field]
    if (!schema) throw new Error(`${operation.id} has no field ${field}`)
    const isInstance = (schema as { pattern?: string }).pattern === instancePattern
    const description = isInstance ? ofInstance : shortDescriptions[field]
    return [field, description ? shortened(schema, description) : schema] as const
  })
  const input = Type.Object({ ...Object.fromEntries(taken), ...more }, { additionalProperties: false })
  return { name, operation, input, ...rest }
}

/** The same schema with fewer words. A copy does not take along the mark that a field may be missing. */
function shortened(schema: TSchema & { examples?: unknown }, description: string): TSchema {
  const { examples: _, ...rest } = schema
  const shorter = { ...rest, description }
  return '~optional' in schema ? Type.Optional(shorter) : shorter
}

/** All fields that an operation takes in its path, its query and its body. */
function fieldsOf({ params, query, body }: Operation): Readonly<Record<string, TSchema>> {
  return { ...params?.properties, ...query?.properties, ...body?.properties }
}
