import type { ParsedAddress } from '../driver/driver.ts'

/** Chat ids have at most 52 significant bits (https://core.telegram.org/bots/api#chat). */
const largestId = 2 ** 52

/**
 * Reads the address of a chat: its id, which is negative for groups and channels, or the `@name` of a public group or channel,
 * in lower case. Bots cannot write to people by their user name or phone number.
 */
export function parseAddress(input: string): ParsedAddress {
  if (/^-?\d{1,16}$/.test(input)) {
    const id = Number(input)
    if (!isChatId(id)) return refused('A chat id is not 0 and has at most 52 bits.')
    return { ok: true, address: String(id) }
  }
  if (/^@[a-z][a-z0-9_]{4,31}$/i.test(input)) return { ok: true, address: input.toLowerCase() }
  if (/^\+[\d\s().-]+$/.test(input))
    return refused(
      'Telegram bots cannot write to phone numbers. Ask the person to write to the bot first; the answer goes to the chat id in `from`.',
    )
  return refused(
    'The address must be the id of a chat, such as `7000000001`, or the `@name` of a public group or channel. People are reached ' +
      'only by the chat id in `from` of what they wrote, not by their user name.',
  )
}

export function isChatId(id: number): boolean {
  return id !== 0 && Math.abs(id) < largestId
}

/** True for the address of a group or channel, by its id or its name: people have positive ids, and no other address. */
export function isGroup(address: string): boolean {
  return address.startsWith('-') || address.startsWith('@')
}

/** True for a group that is no supergroup and no channel, whose ids begin with -100 (https://core.telegram.org/api/bots/ids). */
export function isBasicGroup(address: string): boolean {
  return address.startsWith('-') && Number(address) > -1_000_000_000_000
}

function refused(detail: string): ParsedAddress {
  return { ok: false, detail }
}
