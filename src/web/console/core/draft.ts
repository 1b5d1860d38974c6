import type { MediaKind, Message } from '../../../contract/resources/message.ts'
import type { SendText } from '../../../contract/resources/sending.ts'
import { call } from './api.ts'
import {
  type ContentKind,
  contentBody,
  contentKinds,
  contentOperations,
  type EnteredContents,
  emptyContents,
  enteredContents,
} from './contents/contents.ts'
import { type ShownCall, shownCall } from './curl.ts'
import { localField, momentOf } from './local-time.ts'
import type { Network } from './operations.ts'
import { upload } from './upload.ts'

/** Kinds of content that the form can send. */
export const draftKinds = ['text', 'file', 'url', 'template', ...contentKinds] as const
export type DraftKind = (typeof draftKinds)[number]

export function isContentKind(kind: DraftKind): kind is ContentKind {
  return (contentKinds as readonly DraftKind[]).includes(kind)
}

/** The ways in which a file can be shown to its recipient. */
export const mediaKinds = ['document', 'image', 'audio', 'video', 'sticker'] as const satisfies MediaKind[]

/** Content of the form, as it was entered. */
export interface Draft {
  readonly instance: string
  readonly to: string
  readonly kind: DraftKind
  readonly text: string
  readonly file: File | undefined
  readonly url: string
  readonly mediaKind: MediaKind
  readonly caption: string
  readonly filename: string
  readonly name: string
  readonly language: string
  /** JSON. */
  readonly components: string
  readonly contents: EnteredContents
  /** In local time, as the field has it. */
  readonly sendAt: string
  readonly clientRef: string
  /** The id of the message that this one replies to; empty if there is none. */
  readonly replyTo: string
  /** The id of the topic of the group; empty if the network chooses. */
  readonly topic: string
  /** The addresses of the people whom its text or its caption mentions. */
  readonly mentions: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
}

export const emptyDraft: Draft = {
  instance: '',
  to: '',
  kind: 'text',
  text: '',
  file: undefined,
  url: '',
  mediaKind: 'document',
  caption: '',
  filename: '',
  name: '',
  language: '',
  components: '',
  contents: emptyContents,
  sendAt: '',
  clientRef: '',
  replyTo: '',
  topic: '',
  mentions: [],
  metadata: {},
}

/** The form for what a message was, to send it anew; its file is added when it was read. */
export function draftOf(message: Message): Draft {
  const { instance, to, conversation, text, caption, media, template, client_ref, send_at, kind } = message
  const { metadata, topic } = message
  const isFuture = send_at !== null && Date.parse(send_at) > Date.now()
  return {
    ...emptyDraft,
    instance,
    to: to ?? conversation,
    kind: template ? 'template' : media ? 'file' : (contentKinds.find((each) => each === kind) ?? 'text'),
    text: text ?? '',
    mediaKind: mediaKinds.find((each) => each === kind) ?? 'document',
    caption: caption ?? '',
    filename: media?.filename ?? '',
    name: template?.name ?? '',
    language: template?.language ?? '',
    components: template?.components.length ? JSON.stringify(template.components, null, 2) : '',
    contents: enteredContents(message),
    topic: topic?.id ?? '',
    sendAt: isFuture ? localField(send_at) : '',
    clientRef: client_ref ?? '',
    metadata,
  }
}

/** Thrown for components that are no JSON. */
export class ComponentsError extends Error {}

/** The call that sends a draft. Throws a `ComponentsError`. */
export function callOf(draft: Draft, network?: Network): ShownCall {
  const { kind, text, url, mediaKind, name, language } = draft
  const common = commonOf(draft)
  if (isContentKind(kind)) {
    const body = { ...common, ...contentBody(kind, draft.contents, network) }
    return { id: contentOperations[kind], request: { body } as unknown as ShownCall['request'] }
  }
  if (kind === 'text')
    return shownCall('sendTextMessage', {
      body: { ...common, text, ...(draft.mentions.length > 0 ? { mentions: [...draft.mentions] } : {}) },
    })
  if (kind === 'file') return shownCall('uploadMediaMessage', { body: formOf(draft) })
  if (kind === 'template') {
    const components = componentsOf(draft.components)
    return shownCall('sendTemplateMessage', {
      body: { ...common, name, language, ...(components ? { components } : {}) },
    })
  }
  return shownCall('sendMediaMessage', { body: { ...common, kind: mediaKind, url, ...labelsOf(draft) } })
}

function commonOf(draft: Draft): Omit<SendText, 'text'> {
  const { instance, to, sendAt, clientRef, replyTo, topic, metadata } = draft
  const send_at = momentOf(sendAt)
  return {
    instance,
    to: to.trim(),
    ...(send_at === '' ? {} : { send_at }),
    ...(clientRef === '' ? {} : { client_ref: clientRef }),
    ...(replyTo === '' ? {} : { reply_to: replyTo }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(topic === '' ? {} : { topic }),
  }
}

function labelsOf({ caption, filename }: Draft): { caption?: string; filename?: string } {
  return { ...(caption === '' ? {} : { caption }), ...(filename === '' ? {} : { filename }) }
}

/** The fields come before the file, so that a wrong one is refused before the file was sent. */
function formOf(draft: Draft): FormData {
  const form = new FormData()
  const fields = { ...commonOf(draft), kind: draft.mediaKind, ...labelsOf(draft) }
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  if (draft.mentions.length > 0) form.append('mentions', JSON.stringify(draft.mentions))
  if (draft.file) form.append('file', draft.file)
  return form
}

type Components = Record<string, unknown>[]

function componentsOf(json: string): Components | undefined {
  if (json.trim() === '') return undefined
  try {
    return JSON.parse(json) as Components
  } catch (error) {
    throw new ComponentsError(error instanceof Error ? error.message : String(error))
  }
}

/** Returns the content of a draft as a text that differs if the content does. */
export function contentOf({ file, ...entered }: Draft): string {
  return JSON.stringify([entered, file?.name, file?.size, file?.lastModified])
}

/** Sends a draft, and tells how much of its file has left. Throws a `ComponentsError`, or what `call` throws. */
export async function deliver(
  draft: Draft,
  key: string,
  progress: (share: number) => void,
  network?: Network,
): Promise<Message> {
  const { id, request } = callOf(draft, network)
  const keyed = { ...request, headers: { 'idempotency-key': key } }
  const { body } = keyed
  const sent =
    body instanceof FormData
      ? await upload('uploadMediaMessage', { ...keyed, body } as never, progress)
      : await call(id, keyed)
  return sent as Message
}
