import { unlink } from '../accounts/device-list.ts'
import { parseJid } from '../accounts/jid.ts'
import { finishCode, takeHello } from '../accounts/pairing-code.ts'
import { child } from '../wire/node.ts'
import type { Answer, Question } from './question.ts'

/** Lets a client go that unlinks itself, and plays the server in linking by code. */
export function answerLinking({ whatsapp, connection, iq }: Question): Answer | undefined {
  const { account } = connection
  const removal = child(iq, 'remove-companion-device')
  if (removal && account) {
    const device = account.devices.get(parseJid(removal.attrs.jid ?? '').device)
    if (!device) return { code: 404, text: 'item-not-found' }
    setImmediate(() => unlink(whatsapp, account, device))
    return []
  }
  const code = child(iq, 'link_code_companion_reg')
  if (!code) return undefined
  return code.attrs.stage === 'companion_finish'
    ? finishCode(whatsapp, connection, code)
    : takeHello(whatsapp, connection, code)
}
