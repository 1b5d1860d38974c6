import { type Connection, stamp, streamError } from '../connection.ts'
import { misbehaviour } from '../misbehaviour.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { node } from '../wire/node.ts'
import { watchAck } from './delivery.ts'
import type { Device } from './device.ts'
import { lidServer, phoneServer } from './jid.ts'

/** Logs a client in that has been linked, if it has the key with which it was linked. */
export function login(whatsapp: WhatsApp, connection: Connection): void {
  const { stream } = connection
  const account = whatsapp.directory.ofPhone(String(stream.login.username))
  const device = account?.devices.get(stream.login.device ?? 0)
  if (!account || !device || Buffer.compare(device.keys.noise, stream.staticKey) !== 0) {
    connection.fail(401)
    return
  }
  const fault = whatsapp.faults.take('login', account.pn)
  if (fault && misbehaviour(connection, fault)) return
  if (device.line) {
    whatsapp.counters.replace(account.pn)
    device.line.endWith(streamError('replaced'))
  }
  device.line = connection
  device.logins += 1
  connection.account = account
  connection.device = device
  const { onClose } = stream
  stream.onClose = () => {
    if (device.line === connection) device.line = undefined
    onClose()
  }
  const attributes = { t: stamp(), lid: account.jid(lidServer, device.number), location: 'lla' }
  connection.send(node('success', attributes))
  // A client that does not say that it is passive need not say that it is active.
  if (!stream.login.passive) setImmediate(() => void activate(whatsapp, connection))
  whatsapp.waiting.look()
}

/** The client wants what has waited for it. What comes meanwhile comes behind that, and before the client is told that it has all. */
export async function activate(whatsapp: WhatsApp, connection: Connection): Promise<void> {
  const { account, device } = connection
  if (!account || !device || connection.isActive) return
  const waiting = device.mailbox.waiting()
  const count = String(waiting.length)
  if (waiting.length > 0) connection.send(node('ib', {}, [node('offline_preview', preview(device))]))
  connection.isActive = true
  waiting.forEach((mail, index) => {
    connection.send({ ...mail, attrs: { ...mail.attrs, offline: String(index) } })
    if (mail.tag === 'message') watchAck(account, device, mail)
  })
  const { duringDrain } = account
  account.duringDrain = undefined
  await duringDrain?.()
  connection.send(node('ib', {}, [node('offline', { count })]))
  askForKeys(whatsapp, device)
  whatsapp.waiting.look()
}

function preview({ mailbox }: Device): Record<string, string> {
  const counts = { count: 0, message: 0, receipt: 0, notification: 0 }
  for (const { tag } of mailbox.waiting()) {
    counts.count += 1
    if (tag === 'message' || tag === 'receipt' || tag === 'notification') counts[tag] += 1
  }
  return Object.fromEntries(Object.entries(counts).map(([name, number]) => [name, String(number)]))
}

/** Asks a client for one-time keys if it has few left. */
export function askForKeys({ settings }: WhatsApp, device: Device): void {
  if (device.keysLeft >= settings.fewKeys || !device.line?.isActive) return
  const attributes = {
    from: phoneServer,
    type: 'encrypt',
    id: `few-${device.number}-${Date.now()}`,
    t: stamp(),
  }
  device.line.send(node('notification', attributes, [node('count', { value: String(device.keysLeft) })]))
}
