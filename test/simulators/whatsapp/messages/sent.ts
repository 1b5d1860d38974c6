import { deliverMessage } from '../accounts/delivery.ts'
import { groupServer, type Jid, lidServer, parseJid, phoneServer } from '../accounts/jid.ts'
import type { Connection } from '../connection.ts'
import type { Fault } from '../faults.ts'
import { misbehaviour } from '../misbehaviour.ts'
import { arrive } from '../people/arrival.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { child, children, type Node, node } from '../wire/node.ts'
import { acknowledge } from './acks.ts'
import { getAcquainted } from './acquaintance.ts'
import { type Envelope, type Sender, sealedFor } from './envelope.ts'
import type { Group } from './group.ts'
import { groupListHash, listHash, missingDevices } from './list-hash.ts'
import { refusalOf } from './refusal.ts'

/** Attributes that a sender sets and receivers see. */
const passedOn = ['category', 'edit', 'push_priority', 'verified_name', 'expiration']

interface Sent {
  readonly whatsapp: WhatsApp
  readonly connection: Connection
  readonly message: Node
  readonly sender: Sender
}

/** Takes a message of a client: counts it, acks or refuses it, and hands it to every device that it is for. */
export function takeMessage(whatsapp: WhatsApp, connection: Connection, message: Node): void {
  const { account, device } = connection
  if (!account || !device) {
    connection.fail(401)
    return
  }
  whatsapp.counters.message(message.attrs.id ?? '')
  const sent = { whatsapp, connection, message, sender: { account, device: device.number } }
  const fault = whatsapp.faults.take('message', account.pn)
  if (!fault) {
    carry(sent)
    return
  }
  if (fault.kind === 'delay') {
    setTimeout(() => carry(sent), fault.milliseconds)
    return
  }
  goWrong(sent, fault)
}

function goWrong(sent: Sent, fault: Fault): void {
  const { connection, message } = sent
  switch (fault.kind) {
    case 'refuse':
      acknowledge(connection, message, { error: String(fault.code), ...fault.attributes })
      return
    case 'twice':
      route(sent)
      carry(sent)
      return
    case 'drop':
      if (fault.taken ?? true) route(sent)
      return
    case 'cut':
    case 'close':
      if (fault.taken ?? true) route(sent)
      misbehaviour(connection, fault)
      return
    default:
      if (!misbehaviour(connection, fault)) carry(sent)
  }
}

/** Acks a message and routes it, unless a rule speaks against it. */
function carry(sent: Sent): void {
  const { whatsapp, connection, message, sender } = sent
  const to = parseJid(message.attrs.to ?? '')
  if (to.server === groupServer) {
    const group = whatsapp.groups.get(to.user)
    const isIn = group?.members.has(sender.account) ?? false
    acknowledge(connection, message, group && isIn ? changedList(sent, group) : { error: '403' })
    if (isIn) route(sent)
    return
  }
  const receiver = whatsapp.directory.ofJid(message.attrs.to ?? '')
  const refusal = receiver && refusalOf(message, sender.account, receiver)
  if (refusal !== undefined) {
    acknowledge(connection, message, { error: refusal })
    return
  }
  const isMissing = receiver !== undefined && missingDevices(message, sender, receiver)
  acknowledge(connection, message, isMissing ? { phash: listHash(sender, receiver, to.server) } : {})
  if (receiver) getAcquainted(sender.account, receiver)
  route(sent)
}

/** Tells a client whose list of a group's devices is another one what the hash of the right one is. */
function changedList({ whatsapp, message }: Sent, group: Group): { phash?: string } {
  const given = message.attrs.phash
  if (given === undefined) return {}
  const phash = groupListHash(group)
  whatsapp.counters.lists[given === phash ? 'right' : 'wrong'] += 1
  return given === phash ? {} : { phash }
}

/** Hands every device what is encrypted for it. */
function route(sent: Sent): void {
  const { whatsapp, message, sender } = sent
  const to = parseJid(message.attrs.to ?? '')
  if (to.server === groupServer) {
    routeToGroup(sent, to)
    return
  }
  if (to.server !== lidServer && to.server !== phoneServer) return
  const receiver = whatsapp.directory.ofJid(message.attrs.recipient ?? message.attrs.to ?? '')
  if (!receiver) return
  const base = { ...envelope(sent), server: to.server, recipient: receiver }
  const identity = children(message, 'device-identity')
  for (const target of children(child(message, 'participants') ?? node('participants'), 'to')) {
    const jid = parseJid(target.attrs.jid ?? '')
    const account = whatsapp.directory.ofJid(target.attrs.jid ?? '')
    if (!account || (account === sender.account && jid.device === sender.device)) continue
    hand(sent, { account, device: jid.device }, base, [...children(target, 'enc'), ...identity])
  }
  // A message to one device alone: between own devices, or once more to one that could not decrypt it.
  const direct = children(message, 'enc')
  const account = whatsapp.directory.ofJid(message.attrs.to ?? '')
  if (direct.length > 0 && account) {
    const isPeer = message.attrs.category === 'peer'
    const { recipient: _, ...alone } = base
    hand(sent, { account, device: to.device }, isPeer ? alone : base, [...direct, ...identity])
  }
}

function routeToGroup(sent: Sent, to: Jid): void {
  const { whatsapp, message, sender } = sent
  const group = whatsapp.groups.get(to.user)
  if (!group) return
  const base = { ...envelope(sent), server: group.server, group }
  const identity = children(message, 'device-identity')
  const forAll = children(message, 'enc')
  const single = message.attrs.participant
  if (single !== undefined) {
    const account = whatsapp.directory.ofJid(single)
    if (account) hand(sent, { account, device: parseJid(single).device }, base, [...forAll, ...identity])
    return
  }
  const own = new Map<string, readonly Node[]>()
  for (const target of children(child(message, 'participants') ?? node('participants'), 'to')) {
    const account = whatsapp.directory.ofJid(target.attrs.jid ?? '')
    if (account) own.set(`${account.lid}:${parseJid(target.attrs.jid ?? '').device}`, children(target, 'enc'))
  }
  for (const account of [...group.members, ...group.overhearing]) {
    for (const device of [0, ...account.devices.keys()]) {
      if (account === sender.account && device === sender.device) continue
      const distribution = own.get(`${account.lid}:${device}`) ?? []
      hand(sent, { account, device }, base, [...distribution, ...forAll, ...identity])
    }
  }
}

function envelope({ message, sender }: Sent): Omit<Envelope, 'server'> {
  const { id = '', type = 'text' } = message.attrs
  const kept = Object.entries(message.attrs).filter(([name]) => passedOn.includes(name))
  return { id, type, sender, more: Object.fromEntries(kept) }
}

/** Hands a message to one device: a phone decrypts it here, a client gets it by its stream. */
function hand(sent: Sent, to: Sender, envelope: Envelope, content: readonly Node[]): void {
  const { whatsapp } = sent
  const { account, device } = to
  if (device === 0) {
    void arrive(whatsapp, account, envelope, content)
    return
  }
  const linked = account.devices.get(device)
  if (linked) deliverMessage(whatsapp, account, linked, sealedFor(account, envelope, content))
}
