import { deflateSync } from 'node:zlib'
import type { Account } from '../accounts/account.ts'
import { lidServer, phoneServer } from '../accounts/jid.ts'
import { tokenOf } from '../accounts/privacy-token.ts'
import type { MediaStore } from '../media/store.ts'
import { type Conversation, type HistorySyncType, historySyncCodec, type Message } from '../proto/message.ts'
import { type FileLie, messageId, storeFile } from './contents.ts'

const day = 24 * 60 * 60

/** A chat as a phone hands it over. */
export interface ChatInHistory {
  /** The phone number of who writes there. */
  readonly with: string
  readonly text?: string
  /** The contact has given the account a privacy token so many days ago, and only its phone was told. */
  readonly trustedDaysAgo?: number
  /** Seconds after which messages disappear there. */
  readonly expiration?: number
  /** The chat is that of the phone number, and only the list of all addresses says which LID belongs to it. */
  readonly isByNumber?: boolean
}

/** A part of the history, deflated. */
export function historyOf(
  account: Account,
  chats: readonly (Omit<ChatInHistory, 'with'> & { readonly other: Account })[],
  syncType: HistorySyncType,
): Buffer {
  const whole = historySyncCodec.encode({
    syncType,
    conversations: chats.map((chat) => conversationOf(account, chat)),
    chunkOrder: 1,
    progress: 100,
    phoneNumberToLidMappings: chats.map(({ other }) => ({
      pnJid: other.jid(phoneServer),
      lidJid: other.jid(lidServer),
    })),
  })
  return deflateSync(whole)
}

function conversationOf(
  account: Account,
  { other, text, trustedDaysAgo, expiration, isByNumber }: Parameters<typeof historyOf>[1][number],
): Conversation {
  const now = Math.floor(Date.now() / 1000)
  const lid = other.jid(lidServer)
  const id = isByNumber ? other.jid(phoneServer) : lid
  const key = { remoteJid: id, fromMe: false, id: messageId() }
  const said = {
    message: { key, message: { conversation: text ?? '' }, messageTimestamp: now },
    msgOrderId: 1,
  }
  return {
    id,
    ...(text !== undefined && { messages: [said] }),
    conversationTimestamp: now,
    name: other.name,
    ...(!isByNumber && { pnJid: other.jid(phoneServer), lidJid: lid }),
    ...(expiration !== undefined && {
      ephemeralExpiration: expiration,
      ephemeralSettingTimestamp: now - day,
    }),
    ...(trustedDaysAgo !== undefined && {
      tcToken: tokenOf(other, account),
      tcTokenTimestamp: now - trustedDaysAgo * day,
    }),
  }
}

/** Ways in which a phone tells its clients of a part of the history. */
export type Handover =
  | { readonly kind: 'inline' }
  /** `lie`: what is wrong with the file, or with what is said of it. `path`: where it is said to be. */
  | { readonly kind: 'reference'; readonly lie?: FileLie; readonly path?: string }

/** The message with which a phone tells of a part of the history. */
export function historyMessage(
  payload: Uint8Array,
  syncType: HistorySyncType,
  handover: Handover,
  media: MediaStore,
): Message {
  const about = { syncType, chunkOrder: 1, progress: 100 }
  const where =
    handover.kind === 'inline'
      ? { initialHistBootstrapInlinePayload: payload }
      : fileOf(payload, handover, media)
  return {
    protocolMessage: { type: 'HISTORY_SYNC_NOTIFICATION', historySyncNotification: { ...about, ...where } },
  }
}

function fileOf(payload: Uint8Array, { lie, path }: Handover & { kind: 'reference' }, media: MediaStore) {
  const bytes = Buffer.from(payload).toString('base64')
  const reference = storeFile({ kind: 'history', bytes, ...(lie && { lie }) }, media)
  const { url: _, mediaKeyTimestamp: __, ...file } = reference
  return { ...file, ...(path !== undefined && { directPath: path }) }
}
