import type { Chat, ChatPhoto } from '@grammyjs/types'
import type { StoredFile } from '../files.ts'

/** The picture of a person or a group, in the two sizes that Telegram keeps. */
interface Picture {
  readonly small: StoredFile
  readonly big: StoredFile
}

/** The pictures that people and groups show now. */
export class Pictures {
  readonly #pictures = new Map<number, Picture>()

  set(chat: Chat, picture: Picture | null): void {
    if (picture) this.#pictures.set(chat.id, picture)
    else this.#pictures.delete(chat.id)
  }

  /** As a bot sees it. */
  of(bot: number, chat: Chat): ChatPhoto | undefined {
    const picture = this.#pictures.get(chat.id)
    return (
      picture && {
        small_file_id: `${bot}-${picture.small.key}`,
        small_file_unique_id: `S${picture.small.key}`,
        big_file_id: `${bot}-${picture.big.key}`,
        big_file_unique_id: `B${picture.big.key}`,
      }
    )
  }
}
