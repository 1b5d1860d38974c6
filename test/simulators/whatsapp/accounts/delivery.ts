import type { Fault } from '../faults.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { bytes, type Node } from '../wire/node.ts'
import type { Account } from './account.ts'
import type { Device } from './device.ts'

/** Puts something in the mail of a client, which gets it at once if it is there. */
export function deliver(device: Device, mail: Node): void {
  device.mailbox.put(mail)
  if (device.line?.isActive) device.line.send(mail)
}

/** Delivers a message to a client, with the fault that is planned for it. */
export function deliverMessage(whatsapp: WhatsApp, account: Account, device: Device, message: Node): void {
  const fault = whatsapp.faults.take('delivery', account.pn)
  if (fault?.kind === 'delay') {
    setTimeout(() => sendMessage(account, device, message), fault.milliseconds)
    return
  }
  sendMessage(account, device, fault?.kind === 'wrong-bytes' ? spoiled(message) : message, fault)
}

/** Returns the message with other bytes, which no client can decrypt. */
function spoiled(message: Node): Node {
  if (message.content === undefined || message.content instanceof Uint8Array) return message
  const content = message.content.map((part) =>
    part.tag === 'enc' ? { ...part, content: otherBytes(part) } : part,
  )
  return { ...message, content }
}

/** Only the first byte stays, which is the version. */
function otherBytes(part: Node): Uint8Array {
  return Uint8Array.from(bytes(part), (byte, index) => (index === 0 ? byte : byte ^ 1))
}

function sendMessage(account: Account, device: Device, message: Node, fault?: Fault): void {
  const { line, mailbox } = device
  mailbox.put(message)
  if (!line?.isActive || fault?.kind === 'drop') return
  line.send(message)
  if (fault?.kind === 'twice') line.send(message)
  watchAck(account, device, message)
}

/** Has the stream end if the message is not acked, if the account has that trait. */
export function watchAck(account: Account, { line }: Device, message: Node): void {
  const { ackWithin } = account.traits
  if (ackWithin > 0) line?.awaitAck(message.attrs.id ?? '', ackWithin)
}
