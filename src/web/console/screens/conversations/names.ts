import type { Message } from '../../../../contract/resources/message.ts'

/** Returns the names of people by their addresses, as their messages give them. */
export function namesIn(items: readonly Message[]): (address: string) => string {
  return (address) => {
    const { sender } = items.find(({ from, sender }) => from === address && sender?.name) ?? {}
    return sender?.name ?? address
  }
}
