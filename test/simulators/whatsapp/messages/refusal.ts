import type { Account } from '../accounts/account.ts'
import { parseJid, phoneServer } from '../accounts/jid.ts'
import { bytes, child, type Node } from '../wire/node.ts'

/** The server's code for a message that it does not let through. */
const restricted = '463'

/** The code with which a message of an account to another is refused by rule; nothing if it is let through. */
export function refusalOf(message: Node, sender: Account, to: Account): string | undefined {
  if (sender === to) return undefined
  const isCold = !sender.chats.has(to.lid)
  if (to.traits.isMigrated && parseJid(message.attrs.to ?? '').server === phoneServer) return restricted
  if (sender.traits.lockedUntil > Date.now() && isCold) return restricted
  if (!to.traits.demandsToken) return undefined
  const token = child(message, 'tctoken')
  const issued = to.issued.get(sender.lid)
  const isRight = token && issued && Buffer.compare(bytes(token), issued) === 0
  return isRight ? undefined : restricted
}
