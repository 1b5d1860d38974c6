import { deliver } from '../accounts/delivery.ts'
import { groupServer, parseJid, writeJid } from '../accounts/jid.ts'
import { type Connection, stamp } from '../connection.ts'
import { takePhoneReceipt } from '../people/receipts.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { child, children, type Node, node } from '../wire/node.ts'
import { acknowledge } from './acks.ts'
import type { Sender } from './envelope.ts'
import type { Receipt } from './receipt.ts'

/** Types that are for the server and the own phone alone. */
const internal = new Set(['sender', 'peer_msg', 'hist_sync', 'read-self', 'played-self', 'server-error'])

/** Takes a receipt of a client: acks it, and passes it on to those who have sent the messages. */
export function takeReceipt(whatsapp: WhatsApp, connection: Connection, receipt: Node): void {
  const { account, device } = connection
  if (!account || !device) return
  const { id = '', type } = receipt.attrs
  if (whatsapp.faults.take('receipt', account.pn)?.kind === 'drop') return
  acknowledge(connection, receipt)
  const list = child(receipt, 'list')
  const ids = [id, ...(list ? children(list, 'item').map(({ attrs }) => attrs.id ?? '') : [])]
  const { participant, to, recipient } = receipt.attrs
  const users = [participant, to, recipient].map((jid) => parseJid(jid ?? '').user)
  const senders = new Set(users)
  for (const user of users) {
    const known = whatsapp.directory.ofUser(user)
    if (known) senders.add(known.pn).add(known.lid)
  }
  if (type !== undefined && internal.has(type)) senders.add(account.pn).add(account.lid)
  for (const each of ids) {
    if (!account.traits.losesAcks) device.mailbox.settle('message', each, senders)
    const settled = { type: type ?? 'delivery', account: account.pn, device: device.number, at: Date.now() }
    whatsapp.counters.settle(each, settled)
  }
  if (type === undefined || !internal.has(type)) {
    passOn(whatsapp, { account, device: device.number }, receipt, ids)
  }
  whatsapp.waiting.look()
}

function passOn(whatsapp: WhatsApp, from: Sender, receipt: Node, ids: readonly string[]): void {
  const { to = '', participant, type, recipient } = receipt.attrs
  const target = parseJid(to)
  const group = target.server === groupServer ? whatsapp.groups.get(target.user) : undefined
  const author = whatsapp.directory.ofJid(participant ?? to)
  if (!author) return
  const isRetry = type === 'retry'
  forward(whatsapp, {
    from,
    to: author,
    ids,
    server: group ? group.server : target.server,
    ...(group && { group }),
    ...(type !== undefined && type !== 'inactive' && { type }),
    ...(isRetry && { device: parseJid(participant ?? to).device, content: retryContent(receipt) }),
    ...(isRetry && recipient !== undefined && { recipient }),
  })
}

const retryContent = ({ content }: Node): readonly Node[] =>
  content === undefined || content instanceof Uint8Array ? [] : content

/** Brings a receipt to the phone and the clients of the account that it is for, or to one of them. */
export function forward(whatsapp: WhatsApp, receipt: Receipt): void {
  const { to, device, from, server } = receipt
  if (device === undefined || device === 0) void takePhoneReceipt(whatsapp, receipt)
  for (const linked of to.devices.values()) {
    const isMeant = device === undefined ? true : linked.number === device
    if (!isMeant || (to === from.account && linked.number === from.device)) continue
    deliver(linked, receiptNode(receipt, server))
  }
}

function receiptNode(receipt: Receipt, server: string): Node {
  const { from, ids, type, group, content, recipient } = receipt
  const [id = '', ...others] = ids
  const number = type === 'retry' ? from.device : 0
  const jid = from.account.jid(server, number)
  const attributes = {
    id,
    t: stamp(),
    ...(type !== undefined && { type }),
    ...(group ? { from: group.jid, participant: jid } : { from: jid }),
    ...(recipient !== undefined && { recipient: writeJid(parseJid(recipient)) }),
  }
  const list =
    others.length > 0
      ? [
          node(
            'list',
            {},
            others.map((each) => node('item', { id: each })),
          ),
        ]
      : []
  const inside = [...list, ...(content ?? [])]
  return node('receipt', attributes, inside.length > 0 ? inside : undefined)
}
