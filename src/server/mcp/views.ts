import type { Contact } from '../../contract/resources/contact.ts'
import type { Conversation } from '../../contract/resources/conversation.ts'
import type { Event } from '../../contract/resources/event.ts'
import type { EventInstance, Instance } from '../../contract/resources/instance.ts'
import type { Message } from '../../contract/resources/message.ts'
import type { CheckedAddresses } from '../../contract/resources/people/address-check.ts'
import type {
  Group,
  GroupWithMembers,
  JoinRequest,
  MemberResult,
} from '../../contract/resources/people/group.ts'

import type { Template } from '../../contract/resources/template.ts'

/*
 * Resources as assistants see them. Every field is named here, so that a field that the contract gets later is not shown before
 * it is known to be harmless: settings, callback URLs and labels may hold secrets, and what others wrote may hold orders.
 */

/** Characters of a text that a list shows; the message itself has all of them. */
const maxListedText = 2_000

/** The name of the field with all that was written by people who are not our caller. */
export const writtenByOthers = 'written_by_others'

type Shown = Record<string, unknown>

/** A message with its whole text. */
export function viewMessage(message: Message): Shown {
  return messageWith(message, Number.POSITIVE_INFINITY)
}

export function viewMessages(page: { data: readonly Message[]; next_cursor: string | null }): Shown {
  return { messages: page.data.map(listed), next_cursor: page.next_cursor }
}

export function viewConversations(page: {
  data: readonly Conversation[]
  next_cursor: string | null
}): Shown {
  const conversations = page.data.map(
    ({ instance, conversation, aliases, kind, name, unread, last_message }) => ({
      instance,
      conversation,
      ...(aliases.length > 0 ? { aliases } : {}),
      ...(kind === 'group' ? { kind } : {}),
      ...(unread ? { unread } : {}),
      ...(name ? { [writtenByOthers]: { name } } : {}),
      last_message: listed(last_message),
    }),
  )
  return { conversations, next_cursor: page.next_cursor }
}

/** People, who choose their names themselves. */
export function viewContacts(page: { data: readonly Contact[]; next_cursor: string | null }): Shown {
  const contacts = page.data.map(({ address, aliases, name, username, marketing, last_message_at }) => {
    const written = present({ name, username })
    return present({
      address,
      aliases: aliases.length > 0 ? aliases : undefined,
      marketing,
      last_message_at,
      [writtenByOthers]: Object.keys(written).length > 0 ? written : undefined,
    })
  })
  return { contacts, next_cursor: page.next_cursor }
}

/** Templates with the texts of their parts, whose placeholders are to be filled. */
export function viewTemplates(page: { data: readonly Template[]; next_cursor: string | null }): Shown {
  const templates = page.data.map(({ name, language, category, status, components }) => {
    const parts = components.map(({ type, format, text }) => present({ type, format, text }))
    return present({ name, language, category, status, parts })
  })
  return { templates, next_cursor: page.next_cursor }
}

export function viewGroups(page: { data: readonly Group[]; next_cursor: string | null }): Shown {
  return { groups: page.data.map(groupOf), next_cursor: page.next_cursor }
}

/** A group with its members. People choose their names and subjects. */
export function viewGroup(group: GroupWithMembers): Shown {
  const members = group.members?.map(({ address, name, role }) =>
    present({ address, role, [writtenByOthers]: name === null ? null : { name } }),
  )
  return present({ ...groupOf(group), members, members_left_out: group.members_left_out })
}

/** People who ask to join a group. */
export function viewJoinRequests(page: { data: readonly JoinRequest[]; next_cursor: string | null }): Shown {
  const requests = page.data.map(({ address, name, asked_at }) =>
    present({ address, asked_at, [writtenByOthers]: name === null ? null : { name } }),
  )
  return { requests, next_cursor: page.next_cursor }
}

/** The result for each person whose request was answered. The sentences of an error are Posthorn's own. */
export function viewDecisions({ data }: { data: readonly MemberResult[] }): Shown {
  const people = data.map(({ address, result, error }) =>
    present({ address, result, error: error && { code: error.code, detail: error.detail } }),
  )
  return { people }
}

/** The word of the network on each address. */
export function viewCheckedAddresses({ data }: CheckedAddresses): Shown {
  const addresses = data.map(({ input, address, exists, checked_at }) =>
    present({ input, address, exists, checked_at }),
  )
  return { addresses }
}

function groupOf({ address, subject, description, size, role, approval, created_at }: Group): Shown {
  const written = present({ subject, description })
  return present({ address, size, role, approval, created_at, [writtenByOthers]: written })
}

/** The state of an instance, without its settings, its labels and its callback URL. */
export function viewInstance(instance: Instance): Shown {
  const { queue, created_at } = instance
  return { ...stateOf(instance), queue, created_at }
}

export function viewInstances(page: { data: readonly Instance[]; next_cursor: string | null }): Shown {
  return { instances: page.data.map(viewInstance), next_cursor: page.next_cursor }
}

export function viewEvents(page: { data: readonly Event[]; next_cursor: string }): Shown {
  return { events: page.data.map(eventOf), next_cursor: page.next_cursor }
}

function listed(message: Message): Shown {
  return messageWith(message, maxListedText)
}

function messageWith(message: Message, maxText: number): Shown {
  const { id, direction, origin, instance, from, to, conversation, kind, status, media, error } = message
  const text = cut(message.text, maxText)
  const content = present({
    text: text?.shown,
    text_is_cut: text?.isCut ? true : undefined,
    caption: message.caption,
    subject: message.subject,
    filename: media?.filename,
    content_not_shown: message.unsupported?.type,
    ...fieldsOfContent(message),
  })
  const isOurs = origin === 'posthorn'
  return present({
    id,
    direction,
    instance,
    from,
    to,
    conversation,
    kind,
    status,
    ...(isOurs ? content : { [writtenByOthers]: content }),
    file: media && present({ mime_type: media.mime_type, bytes: media.size }),
    template: message.template && { name: message.template.name, language: message.template.language },
    related_to:
      message.relation && present({ type: message.relation.type, message_id: message.relation.message_id }),
    topic_id: message.topic?.id,
    mentions: message.mentions,
    client_ref: message.client_ref,
    error: error && { code: error.code, detail: error.detail, permanent: error.permanent },
    notices: message.notices.length > 0 ? message.notices : undefined,
    waits_for: message.waits_for && present({ ...message.waits_for }),
    ...timesOf(message),
  })
}

/** Fields for the content of a message besides text and files. A form may be large: its answers are left out. */
function fieldsOfContent(message: Message): Shown {
  const { location, contacts, interactive, poll, poll_vote, sender, referral, topic } = message
  const choices = interactive?.buttons ?? interactive?.list?.sections.flatMap(({ rows }) => rows)
  const chosen = message.button_reply ?? message.list_reply
  return {
    writer: sender?.name,
    topic: topic?.name,
    location: location && present({ ...location }),
    contacts: contacts?.map((card) => present({ ...card })),
    choices: choices?.map(({ id, title }) => ({ id, title })),
    chosen: chosen && present({ id: chosen.id, title: chosen.title, payload: chosen.payload }),
    poll: poll && { question: poll.question, options: poll.options },
    voted_for: poll_vote?.options,
    order: message.order && {
      items: message.order.items.map((item) => present({ ...item })),
      items_left_out: message.order.items_left_out,
    },
    referral: referral && present({ type: referral.type, title: referral.title, url: referral.url }),
  }
}

function timesOf(message: Message): Shown {
  const { created_at, send_at, expires_at, sent_at, delivered_at, read_at, window_ends_at } = message
  return { created_at, send_at, expires_at, sent_at, delivered_at, read_at, window_ends_at }
}

function stateOf(instance: EventInstance | Instance): Shown {
  const { name, network, status, status_since, reason, action, sendable, restriction, account } = instance
  const { connected_at, last_verified_at, next_attempt_at } = instance
  return present({
    name,
    network,
    status,
    status_since,
    reason: reason && { code: reason.code, detail: reason.detail },
    action,
    sendable,
    restriction,
    account: account && present({ address: account.address, display_name: account.display_name }),
    connected_at,
    last_verified_at,
    next_attempt_at,
  })
}

interface EventParts {
  readonly message?: Message
  readonly instance?: EventInstance | { readonly name: string }
  readonly quota?: { readonly name: string; readonly used: number; readonly limit: number }
  readonly webhook?: { readonly id: string }
}

function eventOf({ id, type, sequence, timestamp, data }: Event): Shown {
  const { message, instance, quota, webhook } = data as EventParts
  return present({
    id,
    type,
    sequence,
    timestamp,
    message: message && listed(message),
    instance: instance && 'status' in instance ? stateOf(instance) : undefined,
    quota: quota && { name: quota.name, used: quota.used, limit: quota.limit },
    webhook: webhook && { id: webhook.id },
  })
}

/** The fields that have a value, because each field costs an assistant some of its room. */
function present(fields: Shown): Shown {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  )
}

function cut(text: string | undefined, max: number) {
  if (text === undefined) return undefined
  const isCut = text.length > max
  return { shown: isCut ? text.slice(0, max).toWellFormed() : text, isCut }
}
