import type { Key } from '../chats.ts'
import type { CallParameters } from '../parameters.ts'
import { badRequest } from '../refusal.ts'

const maxKeys = 100
const maxKeysInRow = 8
const maxData = 64

/** The inline keyboard of a call (core.telegram.org/bots/api#inlinekeyboardmarkup). */
export function keyboardIn(parameters: CallParameters): Key[][] | undefined {
  const markup = parameters.json('reply_markup')
  if (!markup) return undefined
  const rows: unknown = 'inline_keyboard' in markup ? markup.inline_keyboard : undefined
  if (!Array.isArray(rows) || !rows.every((row) => Array.isArray(row)))
    throw badRequest("can't parse reply keyboard markup JSON object")
  const keys = rows.map((row) => row.map(keyIn))
  if (keys.flat().length > maxKeys || keys.some((row) => row.length > maxKeysInRow))
    throw badRequest('REPLY_MARKUP_TOO_LONG')
  return keys
}

function keyIn(given: Partial<Key>): Key {
  const { text, callback_data, url } = given
  if (typeof text !== 'string' || text.trim() === '')
    throw badRequest('can\'t parse inline keyboard button: Field "text" must be non-empty')
  if ((callback_data === undefined) === (url === undefined))
    throw badRequest('Text buttons are unallowed in the inline keyboard')
  if (callback_data !== undefined) {
    const size = Buffer.byteLength(callback_data)
    if (size === 0 || size > maxData) throw badRequest('BUTTON_DATA_INVALID')
    return { text, callback_data }
  }
  const page = URL.parse(String(url))
  if (!page || !/^https?:$/.test(page.protocol) || !page.hostname.includes('.'))
    throw badRequest(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`)
  return { text, url: String(url) }
}
