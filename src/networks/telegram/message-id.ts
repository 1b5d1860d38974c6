/** A message of a chat, by which Telegram knows it: its number counts in the chat alone. */
export interface NumberedMessage {
  readonly chat: string
  readonly number: number
}

/** The id of a message: its chat and its number. */
export function messageId(chat: string | number, number: number): string {
  return `${chat}:${number}`
}

/** The message that an id names, also if it is that of an edit; null if it is of something else, such as a tap on a button. */
export function placeOf(id: string): NumberedMessage | null {
  const [, chat, number] = /^(-?\d{1,16}):(\d{1,10})(?::e\d+-[0-9a-f]+)?$/.exec(id) ?? []
  return chat === undefined ? null : { chat, number: Number(number) }
}
