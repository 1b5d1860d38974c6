import { S_WHATSAPP_NET, type WASocket } from 'baileys'
import { isReadAcknowledged } from '../baileys/acknowledgements.ts'

/** Milliseconds that WhatsApp may take to answer anything but a message. */
export const answerTime = 10_000

/** Resolves with true if WhatsApp answers a ping in time. */
export async function isAlive(sock: WASocket): Promise<boolean> {
  const ping = { tag: 'ping', attrs: {} }
  const attrs = { to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:p' }
  return await isAnswered(sock.query({ tag: 'iq', attrs, content: [ping] }, answerTime))
}

/** Resolves with true if WhatsApp confirms that this device is unlinked. */
export async function logOut(sock: WASocket): Promise<boolean> {
  const remove = {
    tag: 'remove-companion-device',
    attrs: { jid: sock.user?.id ?? '', reason: 'user_initiated' },
  }
  const attrs = { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md' }
  return await isAnswered(sock.query({ tag: 'iq', attrs, content: [remove] }, answerTime))
}

/** A message that was read, as WhatsApp names it. */
export interface ReadMessage {
  readonly jid: string
  /** Its author, in a group. */
  readonly participant: string | null
  readonly id: string
}

/** Resolves with true if WhatsApp acknowledges in time that the message was read. */
export async function markRead(sock: WASocket, { jid, participant, id }: ReadMessage): Promise<boolean> {
  const acknowledged = isReadAcknowledged(sock.ws, id, answerTime)
  const name = { remoteJid: jid, id, fromMe: false, ...(participant !== null && { participant }) }
  await sock.readMessages([name])
  return await acknowledged
}

/** Resolves with true if an answer comes at all: the library answers a timeout with nothing, or rejects. */
async function isAnswered(answer: Promise<unknown>): Promise<boolean> {
  try {
    return (await answer) !== undefined
  } catch {
    return false
  }
}
