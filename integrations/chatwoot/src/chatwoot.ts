import { ChatwootError, type Endpoint, type RequestOptions, request } from './chatwoot-request.ts'

/** A message as Chatwoot's API lists it. Times are seconds since 1970. */
export interface ChatwootMessage {
  readonly id: number
  readonly content: string | null
  /** 0: incoming, 1: outgoing, 2: activity, 3: template. */
  readonly message_type: number
  readonly content_type: string | null
  readonly content_attributes: Readonly<Record<string, unknown>> | null
  readonly private: boolean
  readonly source_id: string | null
  readonly created_at: number
  readonly attachments?: readonly ChatwootAttachment[]
}

export interface ChatwootAttachment {
  readonly id: number
  /** `image`, `audio`, `video`, `file`, or another. */
  readonly file_type: string
  readonly data_url: string | null
  readonly file_size?: number | null
}

export interface ChatwootConversation {
  readonly id: number
  readonly inbox_id: number
  readonly last_activity_at: number
  readonly additional_attributes?: Readonly<Record<string, unknown>> | null
  readonly meta?: { readonly sender?: { readonly id?: number } | null }
}

export interface ChatwootContact {
  readonly id: number
  readonly identifier?: string | null
  readonly phone_number?: string | null
  readonly contact_inboxes?: readonly {
    readonly source_id: string
    readonly inbox?: { readonly id?: number }
  }[]
}

export interface ChatwootInbox {
  readonly id: number
  readonly channel_type: string
  readonly inbox_identifier?: string | null
}

export interface NewContact {
  readonly source_id: string
  readonly name: string
  readonly phone_number?: string
}

/** A message for Chatwoot: words, and a file if there is one. */
export interface NewMessage {
  readonly sourceId: string
  readonly isIncoming: boolean
  readonly content: string
  /** The `source_id` of the message that this one replies to. */
  readonly inReplyTo?: string | undefined
  readonly file?: { readonly blob: Blob; readonly name: string }
}

/** Seconds before an attempt at which the look for its message ends, because clocks differ. */
const lookBackSeconds = 600
const maxPages = 500

/** The calls of Chatwoot's API that the bridge needs, for one account and inbox. Every method throws a `ChatwootError`. */
export class Chatwoot {
  readonly #endpoint: Endpoint
  readonly #accountId: number
  readonly #inboxId: number

  constructor(endpoint: Endpoint, accountId: number, inboxId: number) {
    this.#endpoint = endpoint
    this.#accountId = accountId
    this.#inboxId = inboxId
  }

  /** Returns the inbox, and the time of Chatwoot's clock in seconds. */
  async inbox(): Promise<{ inbox: ChatwootInbox; at: number }> {
    const { body, at } = await request(this.#endpoint, this.#path(`/inboxes/${this.#inboxId}`))
    return { inbox: body as ChatwootInbox, at }
  }

  /** Returns the contact with this `source_id`, and creates it if there is none: repeating it makes no second one. */
  async contact(inboxIdentifier: string, contact: NewContact): Promise<number> {
    const path = `/public/api/v1/inboxes/${encodeURIComponent(inboxIdentifier)}/contacts`
    const body = { ...contact }
    return ((await request(this.#endpoint, path, { method: 'POST', body })).body as { id: number }).id
  }

  /** Shows a picture for a contact (https://developers.chatwoot.com/api-reference/contacts/update-contact). */
  async setAvatar(contactId: number, picture: Blob, signal: AbortSignal): Promise<void> {
    const form = new FormData()
    form.append('avatar', picture, `picture.${picture.type.split('/')[1] ?? 'jpeg'}`)
    await this.#call(`/contacts/${contactId}`, { method: 'PUT', body: form, signal })
  }

  /** Returns the newest conversation of a contact in the inbox. */
  async newestConversation(contactId: number): Promise<number | undefined> {
    const { payload } = (await this.#call(`/contacts/${contactId}/conversations`)) as {
      payload: readonly ChatwootConversation[]
    }
    const own = payload.filter(({ inbox_id }) => inbox_id === this.#inboxId).map(({ id }) => id)
    return own.length === 0 ? undefined : Math.max(...own)
  }

  async createConversation(contactId: number, address: string): Promise<number> {
    const body = {
      inbox_id: this.#inboxId,
      contact_id: contactId,
      source_id: address,
      additional_attributes: { posthorn_address: address },
    }
    return ((await this.#call('/conversations', { method: 'POST', body })) as { id: number }).id
  }

  /** Returns a conversation, or undefined if it is gone or belongs to another inbox. */
  async conversation(id: number): Promise<ChatwootConversation | undefined> {
    const found = (await orGone(this.#call(`/conversations/${id}`))) as ChatwootConversation | undefined
    return found?.inbox_id === this.#inboxId ? found : undefined
  }

  async contactOf(id: number): Promise<ChatwootContact | undefined> {
    const found = (await orGone(this.#call(`/contacts/${id}`))) as { payload: ChatwootContact } | undefined
    return found?.payload
  }

  /** Returns the ids of a contact in the inbox. */
  sourceIdsOf(contact: ChatwootContact): readonly string[] {
    const own = contact.contact_inboxes?.filter(({ inbox }) => inbox?.id === this.#inboxId)
    return own?.map(({ source_id }) => source_id) ?? []
  }

  /** Returns a page of the conversations of the inbox, the one with the latest activity first, and the time of Chatwoot's clock. */
  async conversations(page: number): Promise<{ page: readonly ChatwootConversation[]; at: number }> {
    const query = {
      inbox_id: this.#inboxId,
      status: 'all',
      assignee_type: 'all',
      sort_by: 'last_activity_at_desc',
      page,
    }
    const { body, at } = await request(this.#endpoint, this.#path('/conversations'), { query })
    const { data } = body as { data: { payload: readonly ChatwootConversation[] } }
    return { page: data.payload, at }
  }

  /** Yields the messages of a conversation in pages, from the newest page to the one that goes back to this time. */
  async *pagesBack(conversationId: number, since: number): AsyncGenerator<readonly ChatwootMessage[], void> {
    let before: number | undefined
    for (let pages = 0; pages < maxPages; pages++) {
      const query = before === undefined ? {} : { before }
      const { payload } = (await this.#call(`/conversations/${conversationId}/messages`, { query })) as {
        payload: readonly ChatwootMessage[]
      }
      if (payload.length === 0) return
      yield payload
      const oldest = Math.min(...payload.map(({ created_at }) => created_at))
      const next = Math.min(...payload.map(({ id }) => id))
      if (oldest < since || next === before) return
      before = next
    }
  }

  /** True if the conversation has a message with this `source_id` from this time or later. */
  async hasMessage(conversationId: number, sourceId: string, since: number): Promise<boolean> {
    for await (const page of this.pagesBack(conversationId, since - lookBackSeconds)) {
      if (page.some(({ source_id }) => source_id === sourceId)) return true
    }
    return false
  }

  async createMessage(conversationId: number, message: NewMessage): Promise<void> {
    const path = `/conversations/${conversationId}/messages`
    await this.#call(path, { method: 'POST', body: bodyOf(message) })
  }

  /** Shows how far a reply has come. A message that is gone needs no status. */
  async setStatus(
    conversationId: number,
    messageId: number,
    status: 'sent' | 'delivered' | 'read' | 'failed',
    error?: string,
  ): Promise<void> {
    const body = error === undefined ? { status } : { status, external_error: error }
    await orGone(
      this.#call(`/conversations/${conversationId}/messages/${messageId}`, { method: 'PATCH', body }),
    )
  }

  #path(path: string): string {
    return `/api/v1/accounts/${this.#accountId}${path}`
  }

  async #call(path: string, options?: RequestOptions): Promise<unknown> {
    return (await request(this.#endpoint, this.#path(path), options)).body
  }
}

function bodyOf({
  sourceId,
  isIncoming,
  content,
  inReplyTo,
  file,
}: NewMessage): FormData | Record<string, unknown> {
  const type = isIncoming ? 'incoming' : 'outgoing'
  if (!file) {
    const attributes = inReplyTo === undefined ? {} : { in_reply_to_external_id: inReplyTo }
    return {
      content,
      message_type: type,
      private: false,
      source_id: sourceId,
      content_attributes: attributes,
    }
  }
  const form = new FormData()
  form.append('content', content)
  form.append('message_type', type)
  form.append('private', 'false')
  form.append('source_id', sourceId)
  form.append('attachments[]', file.blob, file.name)
  return form
}

async function orGone<R>(call: Promise<R>): Promise<R | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ChatwootError && error.status === 404) return undefined
    throw error
  }
}
