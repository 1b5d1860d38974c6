import { randomInt } from 'node:crypto'
import type { Message } from '@grammyjs/types'
import { badRequest } from '../refusal.ts'

/** Seconds in which a bot can answer a tap. */
const answerable = 60

interface Query {
  readonly bot: number
  readonly at: number
  answers: number
}

/** The taps on buttons below messages of bots, which each bot has to answer: until then, the app shows that it waits. */
export class Taps {
  readonly #queries = new Map<string, Query>()

  /** Returns the id of the query. */
  begin(bot: number, at: number): string {
    const id = `3${randomInt(1e8, 1e9)}${randomInt(1e8, 1e9)}`
    this.#queries.set(id, { bot, at, answers: 0 })
    return id
  }

  answer(bot: number, id: string, now: number): void {
    const query = this.#queries.get(id)
    if (!query || query.bot !== bot || now - query.at > answerable * 1000)
      throw badRequest('query is too old and response timeout expired or query ID is invalid')
    query.answers += 1
  }

  /** The number of answers to one tap. */
  answersTo(id: string): number {
    return this.#queries.get(id)?.answers ?? 0
  }
}

/** True if the message has a button with this data. */
export function hasButton(message: Message, data: string): boolean {
  const keys = message.reply_markup?.inline_keyboard.flat() ?? []
  return keys.some((key) => 'callback_data' in key && key.callback_data === data)
}
