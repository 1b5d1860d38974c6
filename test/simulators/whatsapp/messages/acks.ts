import { parseJid } from '../accounts/jid.ts'
import { kindOf } from '../accounts/mailbox.ts'
import { type Connection, stamp } from '../connection.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { type Node, node } from '../wire/node.ts'

/** Says to a client that what it sent was taken, or refused with an error. */
export function acknowledge(
  connection: Connection,
  taken: Node,
  more: Readonly<Record<string, string>> = {},
): void {
  const { id = '', to = '', type, participant } = taken.attrs
  const attributes = {
    class: taken.tag,
    id,
    from: to,
    t: stamp(),
    ...(type !== undefined && { type }),
    ...(participant !== undefined && { participant }),
    ...more,
  }
  connection.send(node('ack', attributes))
}

/** Takes the ack of a client, which does not get again what it has acked. */
export function takeAck(whatsapp: WhatsApp, connection: Connection, ack: Node): void {
  const { account, device } = connection
  if (!account || !device) return
  const { id = '', error } = ack.attrs
  const tag = ack.attrs.class ?? ''
  const senders = [ack.attrs.participant, ack.attrs.to].map((jid) => parseJid(jid ?? '').user)
  const users = [...senders, account.pn, account.lid]
  if (!account.traits.losesAcks) device.mailbox.settle(kindOf({ tag, attrs: ack.attrs }), id, users)
  if (tag === 'message') {
    connection.acked(id)
    const settled = { type: 'ack', account: account.pn, device: device.number, at: Date.now() }
    whatsapp.counters.settle(id, error === undefined ? settled : { ...settled, error })
  }
  whatsapp.waiting.look()
}
