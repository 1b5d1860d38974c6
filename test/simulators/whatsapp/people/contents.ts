import { createHash, randomBytes } from 'node:crypto'
import type { MediaStore } from '../media/store.ts'
import type { ContextInfo, ExternalAdReply, FileReference, Message } from '../proto/message.ts'
import { encryptMedia, type MediaKind } from '../signal/media.ts'

/** A lie in a file or in its description. A size is the one that is claimed. */
export type FileLie = { readonly about: 'mac' | 'digest' | 'encrypted digest' } | { readonly size: number }

interface Card {
  readonly name: string
  readonly vcard: string
}

interface Choice {
  readonly from: 'buttons' | 'template' | 'list'
  readonly id: string
  readonly title: string
}

/** A message that a person writes. Exactly one of the contents is given; the rest goes with it. */
export interface Content {
  readonly text?: string
  readonly file?: {
    readonly kind: MediaKind
    /** In base64. */
    readonly bytes: string
    readonly mimetype: string
    readonly fileName?: string
    readonly caption?: string
    readonly seconds?: number
    readonly ptt?: boolean
    readonly lie?: FileLie
  }
  readonly location?: {
    readonly latitude: number
    readonly longitude: number
    readonly name?: string
    /** It goes on being told where the person is. */
    readonly isLive?: boolean
  }
  readonly contact?: Card
  readonly contacts?: readonly Card[]
  /** The choice of what a business offered. */
  readonly choice?: Choice
  /** A form that the person filled in, with the answers as JSON. */
  readonly form?: { readonly name: string; readonly json: string; readonly shown: string }
  readonly order?: { readonly count: number; readonly message: string }
  readonly reaction?: { readonly to: string; readonly emoji: string; readonly isOwn?: boolean }
  readonly edit?: { readonly id: string; readonly text: string }
  /** The id of the message that is taken back. */
  readonly revoke?: string
  readonly poll?: {
    readonly question: string
    readonly options: readonly string[]
    readonly several?: boolean
  }
  /** A content that no client of today knows, as polls once were. */
  readonly future?: string
  /** The id of the message that it answers. */
  readonly reply?: { readonly to: string; readonly from: string; readonly text: string }
  /** The digits of whom the text mentions, by LIDs. */
  readonly mentions?: readonly string[]
  /** The advertisement that the person tapped. */
  readonly ad?: ExternalAdReply
  readonly viewOnce?: boolean
  /** Seconds after which it disappears. */
  readonly expiration?: number
  /** Seconds after which all messages of the chat disappear from now on; 0 if they stay. */
  readonly disappearing?: number
}

/** The message that says it. `chat` is the address of the other side, for contents about another message. */
export function messageOf(content: Content, chat: string, store: MediaStore): Message {
  const { viewOnce, expiration } = content
  const plain = plainMessage(content, chat, store)
  if (viewOnce) return { viewOnceMessageV2: { message: plain } }
  return expiration === undefined ? plain : { ephemeralMessage: { message: plain } }
}

function plainMessage(content: Content, chat: string, store: MediaStore): Message {
  const { text, file, location, contact, contacts, choice, form, order } = content
  const { reaction, edit, revoke, poll, future, disappearing } = content
  if (disappearing !== undefined)
    return { protocolMessage: { type: 'EPHEMERAL_SETTING', ephemeralExpiration: disappearing } }
  const contextInfo = contextOf(content)
  if (file) return fileMessage(file, store, contextInfo)
  if (location) return locationMessage(location)
  if (contact) return { contactMessage: cardMessage(contact) }
  if (contacts) {
    const displayName = `${contacts.length} contacts`
    return { contactsArrayMessage: { displayName, contacts: contacts.map(cardMessage) } }
  }
  if (choice) return choiceMessage(choice, contextInfo)
  if (form) {
    const nativeFlowResponseMessage = { name: form.name, paramsJson: form.json }
    return { interactiveResponseMessage: { body: { text: form.shown }, nativeFlowResponseMessage } }
  }
  if (order) return { orderMessage: { orderId: '1', itemCount: order.count, message: order.message } }
  if (reaction) {
    const key = { remoteJid: chat, fromMe: reaction.isOwn ?? false, id: reaction.to }
    return { reactionMessage: { key, text: reaction.emoji, senderTimestampMs: Date.now() } }
  }
  if (edit) {
    const key = { remoteJid: chat, fromMe: true, id: edit.id }
    const editedMessage = { conversation: edit.text }
    return { protocolMessage: { type: 'MESSAGE_EDIT', key, editedMessage, timestampMs: Date.now() } }
  }
  if (revoke !== undefined) {
    return { protocolMessage: { type: 'REVOKE', key: { remoteJid: chat, fromMe: true, id: revoke } } }
  }
  if (poll) return pollMessage(poll)
  if (future !== undefined) return { futureMessage: { text: future } }
  if (text === undefined) throw new Error('The person has nothing to write.')
  return contextInfo ? { extendedTextMessage: { text, contextInfo } } : { conversation: text }
}

function locationMessage(location: NonNullable<Content['location']>): Message {
  const { latitude: degreesLatitude, longitude: degreesLongitude, name, isLive } = location
  const place = { degreesLatitude, degreesLongitude }
  if (isLive) return { liveLocationMessage: { ...place, ...(name !== undefined && { caption: name }) } }
  return { locationMessage: { ...place, ...(name !== undefined && { name }) } }
}

const cardMessage = ({ name, vcard }: Card) => ({ displayName: name, vcard })

function choiceMessage({ from, id, title }: Choice, contextInfo: ContextInfo | undefined): Message {
  const context = contextInfo && { contextInfo }
  switch (from) {
    case 'buttons':
      return { buttonsResponseMessage: { selectedButtonId: id, selectedDisplayText: title, ...context } }
    case 'template':
      return { templateButtonReplyMessage: { selectedId: id, selectedDisplayText: title, ...context } }
    case 'list':
      return { listResponseMessage: { title, singleSelectReply: { selectedRowId: id }, ...context } }
  }
}

function pollMessage({ question, options, several }: NonNullable<Content['poll']>): Message {
  const named = options.map((optionName) => ({ optionName }))
  const poll = { name: question, options: named, selectableOptionsCount: several ? 0 : 1 }
  const messageContextInfo = { messageSecret: randomBytes(32) }
  return several
    ? { pollCreationMessage: poll, messageContextInfo }
    : { pollCreationMessageV3: poll, messageContextInfo }
}

function contextOf({ reply, expiration, mentions, ad }: Content): ContextInfo | undefined {
  if (!reply && expiration === undefined && !mentions && !ad) return undefined
  return {
    ...(mentions && { mentionedJid: mentions.map((lid) => `${lid}@lid`) }),
    ...(ad && { externalAdReply: ad }),
    ...(reply && {
      stanzaId: reply.to,
      participant: reply.from,
      quotedMessage: { conversation: reply.text },
    }),
    ...(expiration !== undefined && { expiration }),
  }
}

function fileMessage(
  file: NonNullable<Content['file']>,
  store: MediaStore,
  contextInfo: ContextInfo | undefined,
): Message {
  const { kind, mimetype, fileName, caption, seconds, ptt } = file
  const reference = {
    ...storeFile(file, store),
    mimetype,
    ...(contextInfo && { contextInfo }),
  }
  const captioned = { ...reference, ...(caption !== undefined && { caption }) }
  switch (kind) {
    case 'image':
      return { imageMessage: captioned }
    case 'video':
      return { videoMessage: { ...captioned, ...(seconds !== undefined && { seconds }) } }
    case 'document':
      return {
        documentMessage: { ...captioned, ...(fileName !== undefined && { fileName, title: fileName }) },
      }
    case 'audio': {
      const waveform = ptt ? { waveform: createHash('sha512').update(file.bytes).digest() } : {}
      return { audioMessage: { ...reference, seconds: seconds ?? 1, ptt: ptt ?? false, ...waveform } }
    }
    case 'sticker':
      return { stickerMessage: reference }
    default:
      throw new Error(`A person does not send a file of kind ${kind}.`)
  }
}

/** Encrypts a file, and puts it on the media host. */
export function storeFile(
  { bytes: base64, kind, lie }: Pick<NonNullable<Content['file']>, 'bytes' | 'kind' | 'lie'>,
  store: MediaStore,
): FileReference {
  const bytes = Buffer.from(base64, 'base64')
  const { encrypted, ...media } = encryptMedia(bytes, kind)
  const about = lie && 'about' in lie ? lie.about : undefined
  if (about === 'mac') encrypted.set(randomBytes(10), encrypted.length - 10)
  const right = about === 'mac' ? { ...media, fileEncSha256: digestOf(encrypted) } : media
  const { mediaKey, fileSha256, fileEncSha256 } = {
    ...right,
    ...(about === 'digest' && { fileSha256: randomBytes(32) }),
    ...(about === 'encrypted digest' && { fileEncSha256: randomBytes(32) }),
  }
  const directPath = store.put(encrypted)
  return {
    url: `https://${store.host}${directPath}`,
    directPath,
    mediaKey,
    mediaKeyTimestamp: Math.floor(Date.now() / 1000),
    fileSha256,
    fileEncSha256,
    fileLength: lie && 'size' in lie ? lie.size : bytes.length,
  }
}

const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** An id as phones make them. */
export const messageId = (): string => `3A${randomBytes(9).toString('hex').toUpperCase()}`
