import type { Account } from '../accounts/account.ts'
import { lidServer } from '../accounts/jid.ts'
import { stamp } from '../connection.ts'
import { type Node, node } from '../wire/node.ts'
import type { Group } from './group.ts'

/** The device that has sent something, and its account. */
export interface Sender {
  readonly account: Account
  readonly device: number
}

/** A message apart from its content: its sender, its chat, and the names that it gives them. */
export interface Envelope {
  readonly id: string
  readonly sender: Sender
  /** `text`, `media`, `reaction` or what else the sender calls it. */
  readonly type: string
  /** The server of the addresses: of the LIDs, or of the phone numbers. */
  readonly server: string
  readonly group?: Group
  /** The id of the list of people to whom the sender writes, each of whom gets it alone. */
  readonly list?: string
  /** The account that it is for, if the receiver is a device of the sender's own account. */
  readonly recipient?: Account
  /** More attributes, such as `category` and `edit`. */
  readonly more?: Readonly<Record<string, string>>
}

/** A message as a device of `to` gets it. */
export function sealedFor(to: Account, envelope: Envelope, content: readonly Node[]): Node {
  const { id, type, sender, more } = envelope
  const attributes = {
    id,
    type,
    t: stamp(),
    notify: sender.account.name,
    ...addresses(to, envelope),
    ...more,
  }
  return node('message', attributes, content)
}

/** The attributes that say from whom and in which conversation, with the other address of each. */
function addresses(
  to: Account,
  { sender, server, group, list, recipient }: Envelope,
): Record<string, string> {
  const { account, device } = sender
  const isLid = server === lidServer
  const from = account.jid(server, device)
  const other = account.otherJid(server)
  const mode = { addressing_mode: isLid ? 'lid' : 'pn' }
  const place = group?.jid ?? (list === undefined ? undefined : `${list}@broadcast`)
  if (place !== undefined) {
    return {
      from: place,
      participant: from,
      [isLid ? 'participant_pn' : 'participant_lid']: other,
      ...mode,
    }
  }
  if (account === to && recipient) {
    const name = isLid ? 'peer_recipient_pn' : 'peer_recipient_lid'
    return { from, recipient: recipient.jid(server), [name]: recipient.otherJid(server), ...mode }
  }
  // A device of the own account that writes to another, such as a phone that hands over its history.
  if (account === to) return { from, ...mode }
  if (isLid && account.traits.hidesNumber) return { from, ...mode }
  return { from, [isLid ? 'sender_pn' : 'sender_lid']: other, ...mode }
}
