import { loadProto } from './load.ts'

/**
 * An end-to-end message from one device to another: one kind of content, and perhaps a context or a group's key. Sizes are
 * in bytes, times in seconds unless they end in Ms; an absent field is not in the object.
 */
export interface Message {
  conversation?: string
  extendedTextMessage?: ExtendedTextMessage
  imageMessage?: ImageMessage
  documentMessage?: DocumentMessage
  audioMessage?: AudioMessage
  videoMessage?: VideoMessage
  stickerMessage?: StickerMessage
  locationMessage?: LocationMessage
  contactMessage?: ContactMessage
  reactionMessage?: ReactionMessage
  contactsArrayMessage?: ContactsArrayMessage
  liveLocationMessage?: LiveLocationMessage
  templateButtonReplyMessage?: TemplateButtonReplyMessage
  buttonsResponseMessage?: ButtonsResponseMessage
  listResponseMessage?: ListResponseMessage
  interactiveResponseMessage?: InteractiveResponseMessage
  orderMessage?: OrderMessage
  /** A poll in which a person may choose several answers. */
  pollCreationMessage?: PollCreationMessage
  /** A poll in which a person chooses one answer. */
  pollCreationMessageV3?: PollCreationMessage
  pollUpdateMessage?: PollUpdateMessage
  /** A content that no client of today knows. */
  futureMessage?: { text?: string }
  protocolMessage?: ProtocolMessage
  /** A message that an account sent, told to its other devices. */
  deviceSentMessage?: { destinationJid?: string; message?: Message; phash?: string }
  /** The key to what this device will send to a group. */
  senderKeyDistributionMessage?: { groupId?: string; axolotlSenderKeyDistributionMessage?: Uint8Array }
  messageContextInfo?: MessageContextInfo
  viewOnceMessage?: WrappedMessage
  viewOnceMessageV2?: WrappedMessage
  viewOnceMessageV2Extension?: WrappedMessage
  ephemeralMessage?: WrappedMessage
  documentWithCaptionMessage?: WrappedMessage
  editedMessage?: WrappedMessage
}

export interface WrappedMessage {
  message?: Message
}

export interface MessageKey {
  remoteJid?: string
  fromMe?: boolean
  id?: string
  participant?: string
}

export interface ContextInfo {
  stanzaId?: string
  participant?: string
  quotedMessage?: Message
  remoteJid?: string
  mentionedJid?: string[]
  forwardingScore?: number
  isForwarded?: boolean
  /** Seconds after which the message disappears. */
  expiration?: number
  /** The advertisement that led to the message. */
  externalAdReply?: ExternalAdReply
}

export interface ExternalAdReply {
  title?: string
  body?: string
  sourceType?: string
  sourceId?: string
  sourceUrl?: string
  ctwaClid?: string
}

export interface MessageContextInfo {
  deviceListMetadata?: {
    senderKeyHash?: Uint8Array
    senderTimestamp?: number
    senderKeyIndexes?: number[]
    recipientKeyHash?: Uint8Array
    recipientTimestamp?: number
    recipientKeyIndexes?: number[]
  }
  deviceListMetadataVersion?: number
  messageSecret?: Uint8Array
  reportingTokenVersion?: number
}

export interface ExtendedTextMessage {
  text?: string
  matchedText?: string
  description?: string
  title?: string
  jpegThumbnail?: Uint8Array
  contextInfo?: ContextInfo
}

/** Fields with which every message describes its file. */
export interface FileReference {
  url?: string
  directPath?: string
  mimetype?: string
  fileLength?: number
  fileSha256?: Uint8Array
  fileEncSha256?: Uint8Array
  mediaKey?: Uint8Array
  mediaKeyTimestamp?: number
}

export interface ImageMessage extends FileReference {
  caption?: string
  height?: number
  width?: number
  jpegThumbnail?: Uint8Array
  contextInfo?: ContextInfo
  viewOnce?: boolean
}

export interface DocumentMessage extends FileReference {
  title?: string
  fileName?: string
  caption?: string
  pageCount?: number
  contactVcard?: boolean
  jpegThumbnail?: Uint8Array
  contextInfo?: ContextInfo
}

export interface AudioMessage extends FileReference {
  seconds?: number
  /** True for a voice note. */
  ptt?: boolean
  /** 64 loudnesses from 0 to 100. */
  waveform?: Uint8Array
  streamingSidecar?: Uint8Array
  contextInfo?: ContextInfo
  viewOnce?: boolean
}

export interface VideoMessage extends FileReference {
  caption?: string
  seconds?: number
  gifPlayback?: boolean
  height?: number
  width?: number
  jpegThumbnail?: Uint8Array
  streamingSidecar?: Uint8Array
  contextInfo?: ContextInfo
  viewOnce?: boolean
}

export interface StickerMessage extends FileReference {
  height?: number
  width?: number
  isAnimated?: boolean
  pngThumbnail?: Uint8Array
  contextInfo?: ContextInfo
}

export interface LocationMessage {
  degreesLatitude?: number
  degreesLongitude?: number
  name?: string
  address?: string
  url?: string
  isLive?: boolean
  accuracyInMeters?: number
  comment?: string
  jpegThumbnail?: Uint8Array
  contextInfo?: ContextInfo
}

export interface ContactMessage {
  displayName?: string
  vcard?: string
  contextInfo?: ContextInfo
}

export interface PollCreationMessage {
  encKey?: Uint8Array
  name?: string
  options?: { optionName?: string }[]
  /** 0 stands for any number. */
  selectableOptionsCount?: number
  contextInfo?: ContextInfo
}

export interface PollUpdateMessage {
  pollCreationMessageKey?: MessageKey
  vote?: { encPayload?: Uint8Array; encIv?: Uint8Array }
  senderTimestampMs?: number
}

export interface PollVoteMessage {
  /** The SHA-256 of each chosen answer. */
  selectedOptions?: Uint8Array[]
}

export interface ContactsArrayMessage {
  displayName?: string
  contacts?: ContactMessage[]
  contextInfo?: ContextInfo
}

export interface LiveLocationMessage {
  degreesLatitude?: number
  degreesLongitude?: number
  caption?: string
  contextInfo?: ContextInfo
}

export interface TemplateButtonReplyMessage {
  selectedId?: string
  selectedDisplayText?: string
  contextInfo?: ContextInfo
}

export interface ButtonsResponseMessage {
  selectedButtonId?: string
  selectedDisplayText?: string
  contextInfo?: ContextInfo
}

export interface ListResponseMessage {
  title?: string
  singleSelectReply?: { selectedRowId?: string }
  contextInfo?: ContextInfo
}

export interface InteractiveResponseMessage {
  body?: { text?: string }
  nativeFlowResponseMessage?: { name?: string; paramsJson?: string }
  contextInfo?: ContextInfo
}

export interface OrderMessage {
  orderId?: string
  itemCount?: number
  message?: string
  orderTitle?: string
  contextInfo?: ContextInfo
}

export interface ReactionMessage {
  key?: MessageKey
  /** An emoji; empty takes the reaction back. */
  text?: string
  senderTimestampMs?: number
}

/** Notices between devices about messages, keys and history; no person sees them. */
export interface ProtocolMessage {
  type?:
    | 'REVOKE'
    | 'EPHEMERAL_SETTING'
    | 'HISTORY_SYNC_NOTIFICATION'
    | 'APP_STATE_SYNC_KEY_SHARE'
    | 'APP_STATE_SYNC_KEY_REQUEST'
    | 'INITIAL_SECURITY_NOTIFICATION_SETTING_SYNC'
    | 'SHARE_PHONE_NUMBER'
    | 'MESSAGE_EDIT'
    | 'PEER_DATA_OPERATION_REQUEST_MESSAGE'
    | 'PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE'
    | 'LID_MIGRATION_MAPPING_SYNC'
  key?: MessageKey
  ephemeralExpiration?: number
  historySyncNotification?: HistorySyncNotification
  appStateSyncKeyShare?: { keys?: AppStateSyncKey[] }
  appStateSyncKeyRequest?: { keyIds?: { keyId?: Uint8Array }[] }
  editedMessage?: Message
  timestampMs?: number
  peerDataOperationRequestMessage?: PeerDataRequest
}

export interface AppStateSyncKey {
  keyId?: { keyId?: Uint8Array }
  keyData?: {
    keyData?: Uint8Array
    fingerprint?: { rawId?: number; currentIndex?: number; deviceIndexes?: number[] }
    timestamp?: number
  }
}

/** A linked device asks its phone for something, such as a message that it could not decrypt. */
export interface PeerDataRequest {
  peerDataOperationRequestType?:
    | 'UPLOAD_STICKER'
    | 'SEND_RECENT_STICKER_BOOTSTRAP'
    | 'GENERATE_LINK_PREVIEW'
    | 'HISTORY_SYNC_ON_DEMAND'
    | 'PLACEHOLDER_MESSAGE_RESEND'
  placeholderMessageResendRequest?: { messageKey?: MessageKey }[]
}

export type HistorySyncType =
  | 'INITIAL_BOOTSTRAP'
  | 'INITIAL_STATUS_V3'
  | 'FULL'
  | 'RECENT'
  | 'PUSH_NAME'
  | 'NON_BLOCKING_DATA'
  | 'ON_DEMAND'

/** Source of a part of the history for a linked device: a file, or the bytes of a `HistorySync`, deflated. */
export interface HistorySyncNotification {
  fileSha256?: Uint8Array
  fileLength?: number
  mediaKey?: Uint8Array
  fileEncSha256?: Uint8Array
  directPath?: string
  syncType?: HistorySyncType
  chunkOrder?: number
  originalMessageId?: string
  progress?: number
  initialHistBootstrapInlinePayload?: Uint8Array
}

/** A part of the history that a phone gives to a device that it has linked. */
export interface HistorySync {
  syncType?: HistorySyncType
  conversations?: Conversation[]
  chunkOrder?: number
  progress?: number
  pushnames?: { id?: string; pushname?: string }[]
  phoneNumberToLidMappings?: { pnJid?: string; lidJid?: string }[]
}

export interface Conversation {
  id?: string
  messages?: { message?: WebMessageInfo; msgOrderId?: number }[]
  lastMsgTimestamp?: number
  unreadCount?: number
  ephemeralExpiration?: number
  ephemeralSettingTimestamp?: number
  conversationTimestamp?: number
  name?: string
  /** The privacy token that this contact gave to the account. */
  tcToken?: Uint8Array
  tcTokenTimestamp?: number
  tcTokenSenderTimestamp?: number
  displayName?: string
  pnJid?: string
  lidJid?: string
}

export interface WebMessageInfo {
  key?: MessageKey
  message?: Message
  messageTimestamp?: number
  participant?: string
  pushName?: string
}

const codec = loadProto(new URL('message.proto', import.meta.url))

export const messageCodec = codec<Message>('Message')
export const pollVoteCodec = codec<PollVoteMessage>('PollVoteMessage')
export const historySyncCodec = codec<HistorySync>('HistorySync')
