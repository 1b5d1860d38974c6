import type { Chat, User } from '@grammyjs/types'

/** The people who ask now. */
export class JoinRequests {
  readonly #asking = new Set<string>()

  has(chat: Chat, user: User): boolean {
    return this.#asking.has(placeOf(chat, user))
  }

  add(chat: Chat, user: User): void {
    this.#asking.add(placeOf(chat, user))
  }

  /** True if the person asked. */
  take(chat: Chat, user: User): boolean {
    return this.#asking.delete(placeOf(chat, user))
  }
}

function placeOf(chat: Chat, user: User): string {
  return `${chat.id} ${user.id}`
}
