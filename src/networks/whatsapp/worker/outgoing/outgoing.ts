import type { GroupMetadata, NewChatMessageCapInfo, WASocket } from 'baileys'
import type { ContactKnown } from '../../../driver/observation.ts'
import type { Departures } from '../baileys/departures.ts'
import type { DeviceCache } from '../baileys/device-cache.ts'
import type { Keys } from '../keys.ts'
import type { Expirations } from './expirations.ts'
import type { Polls } from './polls.ts'
import { Resending } from './resending.ts'
import { MessageSender } from './sending.ts'
import { DeviceSessions } from './sessions.ts'

export interface OutgoingOptions {
  readonly sock: WASocket
  readonly keys: Keys
  readonly devices: DeviceCache
  readonly expirations: Expirations
  readonly polls: Polls
  readonly departures: Departures
  /** Milliseconds that WhatsApp may take to acknowledge a message. */
  readonly ackTimeoutMs?: number
  /** Milliseconds after which clients accept no edit of a message. */
  readonly maxEditAgeMs?: number
  /** As WhatsApp says now, if it is `fresh`. Rejects with its error if the account may not see the group. */
  readonly groupOf: (group: string, fresh: boolean) => Promise<GroupMetadata>
  /** Forgets the members of these groups, and the devices of these people. */
  readonly forget: (...jids: readonly string[]) => void
  readonly report: (contact: ContactKnown) => void
  readonly reportNewChats: (info: NewChatMessageCapInfo) => void
}

/** Makes the parts that send messages through a socket, for the first time and again. */
export function outgoing(options: OutgoingOptions): {
  readonly sending: MessageSender
  readonly resending: Resending
} {
  const { sock, keys, devices, groupOf } = options
  const sessions = new DeviceSessions(sock, devices)
  const sending = new MessageSender({
    ...options,
    sessions,
    groupOf: (group) => groupOf(group, false),
  })
  const sentIn = (conversation: string, id: string) => sending.sentIn(conversation, id)
  const resending = new Resending({ sock, keys, devices, sessions, sentIn, groupOf })
  return { sending, resending }
}
