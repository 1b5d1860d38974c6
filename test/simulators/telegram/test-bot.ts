import assert from 'node:assert/strict'
import type { ApiError, ApiResponse, ApiSuccess, Message, Update } from '@grammyjs/types'
import type { TelegramProcess } from './start-telegram.ts'

/** A bot by plain HTTP. */
export class TestBot {
  readonly token: string
  readonly #url: string

  constructor(url: string, token: string) {
    this.token = token
    this.#url = url
  }

  /** The answer as it comes; with a form as multipart, otherwise as JSON. */
  fetch(method: string, parameters: object | FormData = {}): Promise<Response> {
    const isForm = parameters instanceof FormData
    return fetch(`${this.#url}/bot${this.token}/${method}`, {
      method: 'POST',
      ...(isForm ? {} : { headers: { 'content-type': 'application/json' } }),
      body: isForm ? parameters : JSON.stringify(parameters),
    })
  }

  async result<T>(method: string, parameters: object | FormData = {}): Promise<T> {
    const response = await this.fetch(method, parameters)
    const answer = (await response.json()) as ApiResponse<T>
    assert.ok(answer.ok, JSON.stringify(answer))
    assert.equal(response.status, 200)
    return (answer as ApiSuccess<T>).result
  }

  async refusal(method: string, parameters: object | FormData = {}): Promise<Omit<ApiError, 'ok'>> {
    const response = await this.fetch(method, parameters)
    const { ok, ...refused } = (await response.json()) as ApiError
    assert.equal(ok, false)
    assert.equal(response.status, refused.error_code)
    return refused
  }

  updates(parameters: object = {}): Promise<Update[]> {
    return this.result('getUpdates', parameters)
  }

  say(chat_id: number | string, text: string, more: object = {}): Promise<Message> {
    return this.result('sendMessage', { chat_id, text, ...more })
  }
}

/** A bot, and a person who has started it, which the bot has forgotten. `next` is the number of the next update. */
export async function acquainted({ url, control }: TelegramProcess) {
  const { token } = await control.createBot({ username: 'house_bot' })
  const bot = new TestBot(url, token)
  const chat = await control.createPerson({ first_name: 'Ana', username: 'ana' })
  await control.write({ token, chat, text: '/start' })
  const [update] = await bot.updates()
  const next = (update?.update_id ?? 0) + 1
  await bot.updates({ offset: next })
  return { bot, token, chat, next }
}

export const badRequest = (what: string) => ({ error_code: 400, description: `Bad Request: ${what}` })
export const forbidden = (what: string) => ({ error_code: 403, description: `Forbidden: ${what}` })
