import { createHash } from 'node:crypto'
import { newId, stamp, streamError } from '../connection.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { type Node, node } from '../wire/node.ts'
import type { Account } from './account.ts'
import { deliver } from './delivery.ts'
import type { Device } from './device.ts'
import { lidServer } from './jid.ts'

/** Tells the clients of those who write with an account, and its own, that its list of devices has changed. */
export function announceDevice(
  whatsapp: WhatsApp,
  account: Account,
  change: 'add' | 'remove',
  device: Device,
) {
  if (account.traits.changesUntold) return
  const jids = [0, ...account.devices.keys()].map((number) => account.jid(lidServer, number))
  const hash = createHash('sha256').update(jids.sort().join('')).digest('base64').slice(0, 6)
  const changed = node('device', {
    jid: account.jid(lidServer, device.number),
    'key-index': String(device.keyIndex),
  })
  const attributes = { from: account.jid(lidServer), type: 'devices' }
  const content = [node(change, { device_hash: `2:${hash}` }, [changed])]
  for (const each of [...account.chats].map((lid) => whatsapp.directory.ofJid(`${lid}@${lidServer}`))) {
    if (each) notify(each, attributes, content)
  }
  notify(account, attributes, content, device)
}

/** A notification on its way to a client. */
export interface Notice {
  readonly device: Device
  readonly notification: Node
}

/** Puts a notification in the mail of every client of an account, except one. */
export function notify(
  account: Account,
  attributes: Readonly<Record<string, string>>,
  content: Parameters<typeof node>[2],
  except?: Device,
): Notice[] {
  const told = [...account.devices.values()].filter((device) => device !== except)
  return told.map((device) => {
    const notification = node('notification', { id: newId(), t: stamp(), ...attributes }, content)
    deliver(device, notification)
    return { device, notification }
  })
}

/** Resolves when every client that is connected knows what it was told. */
export function areTaken({ waiting }: WhatsApp, notices: readonly Notice[]): Promise<void> {
  const isTaken = ({ device: { line, mailbox }, notification }: Notice) =>
    !line?.isActive || !mailbox.has(notification)
  return waiting.until(() => notices.every(isTaken))
}

/** Unlinks a client: it is told so if it is connected, and can log in no more. */
export function unlink(whatsapp: WhatsApp, account: Account, device: Device): void {
  account.devices.delete(device.number)
  device.mailbox.clear()
  device.line?.endWith(streamError('device_removed'))
  announceDevice(whatsapp, account, 'remove', device)
  whatsapp.waiting.look()
}
