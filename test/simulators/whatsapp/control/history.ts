import { type ChatInHistory, type Handover, historyMessage, historyOf } from '../people/history.ts'
import { write } from '../people/writing.ts'
import type { HistorySyncType } from '../proto/message.ts'
import type { WhatsApp } from '../whatsapp.ts'

/** A phone tells its clients of the time before they were linked. */
export const historyActions = {
  /** A phone hands its clients a part of its history. Returns the id of what carries it. */
  shareHistory: (
    whatsapp: WhatsApp,
    wish: {
      readonly person: string
      readonly chats: readonly ChatInHistory[]
      readonly handover: Handover
      /** `INITIAL_BOOTSTRAP` if not given. */
      readonly syncType?: HistorySyncType
    },
  ): Promise<string> => {
    const { directory, media } = whatsapp
    const { syncType = 'INITIAL_BOOTSTRAP', handover } = wish
    const author = directory.get(wish.person)
    const chats = wish.chats.map(({ with: phone, ...chat }) => ({ ...chat, other: directory.get(phone) }))
    const message = historyMessage(historyOf(author, chats, syncType), syncType, handover, media)
    return write(whatsapp, { author, to: author, message, more: { category: 'peer' } })
  },
}
