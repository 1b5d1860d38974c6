/** An address: of a person's device by phone number or LID, of a group, or of the server. */
export interface Jid {
  readonly user: string
  /** 0 is the phone. */
  readonly device: number
  readonly server: string
}

export const phoneServer = 's.whatsapp.net'
export const lidServer = 'lid'
export const groupServer = 'g.us'

/** Reads `user`, `user:device` or `user_agent:device` before the @; a text without @ is a server. */
export function parseJid(text: string): Jid {
  const at = text.lastIndexOf('@')
  if (at < 0) return { user: '', device: 0, server: text }
  const [, user = '', device = '0'] = /^([^:_]*)(?:_\d+)?(?::(\d+))?$/.exec(text.slice(0, at)) ?? []
  return { user, device: Number(device), server: text.slice(at + 1) }
}

/** Writes an address; device 0 is not written. */
export function writeJid({ user, device, server }: Jid): string {
  return `${user}${device === 0 ? '' : `:${device}`}@${server}`
}

export const groupJid = (id: string): string => `${id}@${groupServer}`
