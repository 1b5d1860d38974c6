import { randomUUID } from 'node:crypto'

/** The numbers by which Chatwoot's API gives the type of a message. */
export const messageTypes = { incoming: 0, outgoing: 1, activity: 2, template: 3 } as const

export type MessageTypeName = keyof typeof messageTypes

export interface Attachment {
  readonly id: number
  readonly key: string
  readonly name: string
  readonly contentType: string
  readonly bytes: Buffer
}

export interface StoredMessage {
  readonly id: number
  readonly conversation: StoredConversation
  content: string | null
  readonly type: MessageTypeName
  readonly contentType: string
  contentAttributes: Record<string, unknown>
  readonly isPrivate: boolean
  readonly sourceId: string | null
  status: 'sent' | 'delivered' | 'read' | 'failed'
  /** Each status that the message had after the first. */
  readonly statuses: string[]
  readonly attachments: readonly Attachment[]
  /** Seconds since 1970. */
  readonly createdAt: number
}

export interface StoredContact {
  readonly id: number
  readonly name: string
  readonly phoneNumber: string | null
  readonly identifier: string | null
  readonly inboxes: { readonly inboxId: number; readonly sourceId: string }[]
  avatar?: NonNullable<NewStoredMessage['files']>[number]
}

export interface StoredConversation {
  readonly id: number
  readonly inboxId: number
  readonly contact: StoredContact
  readonly sourceId: string
  readonly additionalAttributes: Record<string, unknown>
  status: 'open' | 'resolved'
  lastActivityAt: number
  readonly messages: StoredMessage[]
}

export interface NewStoredMessage {
  readonly content: string | null
  readonly type: MessageTypeName
  readonly isPrivate?: boolean
  readonly sourceId?: string | null
  readonly contentType?: string
  readonly contentAttributes?: Record<string, unknown>
  readonly files?: readonly { readonly name: string; readonly contentType: string; readonly bytes: Buffer }[]
}

/** A request that Chatwoot refuses: its status and its words. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, words: string) {
    super(words)
    this.status = status
  }
}

/** Everything that Chatwoot's database holds: it outlives its server. */
export class World {
  readonly accountId = 3
  readonly inboxId = 7
  readonly inboxIdentifier = 'inbox-identifier-1'
  readonly contacts: StoredContact[] = []
  readonly conversations: StoredConversation[] = []
  /** The messages of a conversation in a minute; more are refused. */
  maxPerMinute = 1_000_000
  #messageId = 100
  #attachmentId = 0

  get messages(): StoredMessage[] {
    return this.conversations.flatMap(({ messages }) => messages)
  }

  /** Returns the contact with this id in the inbox, or one with the number, or creates it, as the public API does. */
  contact(sourceId: string, name: string, phoneNumber: string | null): StoredContact {
    if (phoneNumber !== null && !/^\+[1-9]\d{1,14}$/.test(phoneNumber))
      throw new Refusal(422, 'Phone number should be in e164 format')
    const known = this.contacts.find(({ inboxes }) =>
      inboxes.some((inbox) => inbox.inboxId === this.inboxId && inbox.sourceId === sourceId),
    )
    if (known) return known
    const same =
      phoneNumber === null ? undefined : this.contacts.find((contact) => contact.phoneNumber === phoneNumber)
    const contact = same ?? { id: this.contacts.length + 1, name, phoneNumber, identifier: null, inboxes: [] }
    contact.inboxes.push({ inboxId: this.inboxId, sourceId })
    if (!same) this.contacts.push(contact)
    return contact
  }

  converse(
    contactId: number,
    sourceId: string | undefined,
    attributes: Record<string, unknown> = {},
  ): StoredConversation {
    const contact = this.contacts.find(({ id }) => id === contactId)
    if (!contact) throw new Refusal(404, 'Resource could not be found')
    const conversation: StoredConversation = {
      id: this.conversations.length + 1,
      inboxId: this.inboxId,
      contact,
      sourceId: sourceId ?? randomUUID(),
      additionalAttributes: attributes,
      status: 'open',
      lastActivityAt: now(),
      messages: [],
    }
    this.conversations.push(conversation)
    return conversation
  }

  conversation(id: number): StoredConversation {
    const found = this.conversations.find((conversation) => conversation.id === id)
    if (!found) throw new Refusal(404, 'Resource could not be found')
    return found
  }

  message(id: number): StoredMessage {
    const found = this.messages.find((message) => message.id === id)
    if (!found) throw new Refusal(404, 'Resource could not be found')
    return found
  }

  /** Stores a message. Chatwoot recognizes no repetitions: a message that is posted twice stands there twice. */
  add(conversation: StoredConversation, given: NewStoredMessage): StoredMessage {
    const minuteAgo = now() - 60
    const recent = conversation.messages.filter(({ createdAt }) => createdAt >= minuteAgo)
    if (recent.length >= this.maxPerMinute) throw new Refusal(422, 'Validation failed: Too many messages')
    if ((given.content ?? '').includes('\0')) throw new Refusal(500, 'string contains null byte')
    if ((given.content ?? '').length > 150_000)
      throw new Refusal(422, 'Content is too long (maximum is 150000 characters)')
    const message: StoredMessage = {
      id: ++this.#messageId,
      conversation,
      content: given.content,
      type: given.type,
      contentType: given.contentType ?? 'text',
      contentAttributes: given.contentAttributes ?? {},
      isPrivate: given.isPrivate ?? false,
      sourceId: given.sourceId ?? null,
      status: 'sent',
      statuses: [],
      attachments: (given.files ?? []).map((file) => ({
        id: ++this.#attachmentId,
        key: randomUUID(),
        ...file,
      })),
      createdAt: now(),
    }
    conversation.messages.push(message)
    conversation.lastActivityAt = message.createdAt
    if (given.type === 'incoming') conversation.status = 'open'
    return message
  }

  /** Changes the status as Chatwoot allows it: a message that was read is never only delivered again. */
  setStatus(message: StoredMessage, status: string, error: unknown): void {
    if (status !== 'sent' && status !== 'delivered' && status !== 'read' && status !== 'failed') return
    if (message.status === 'read' && status === 'delivered') return
    message.status = status
    message.statuses.push(status)
    const { external_error: _, ...others } = message.contentAttributes
    message.contentAttributes = status === 'failed' ? { ...others, external_error: error } : others
  }

  attachment(key: string): Attachment | undefined {
    return this.messages.flatMap(({ attachments }) => attachments).find((one) => one.key === key)
  }
}

export function now(): number {
  return Math.floor(Date.now() / 1_000)
}
