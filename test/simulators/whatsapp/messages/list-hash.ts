import { createHash } from 'node:crypto'
import type { Account } from '../accounts/account.ts'
import { parseJid } from '../accounts/jid.ts'
import { child, children, type Node } from '../wire/node.ts'
import type { Sender } from './envelope.ts'
import type { Group } from './group.ts'

/** True if a message to all devices of both sides has been encrypted for fewer than there are. */
export function missingDevices(message: Node, sender: Sender, receiver: Account): boolean {
  const participants = child(message, 'participants')
  if (!participants) return false
  const given = children(participants, 'to').map(({ attrs }) => parseJid(attrs.jid ?? ''))
  const has = (account: Account, device: number) =>
    given.some((jid) => (jid.user === account.lid || jid.user === account.pn) && jid.device === device)
  return devicesOf(sender, receiver).some(({ account, device }) => !has(account, device))
}

/** The hash of the devices that there are, with which the sender can see that its list is old. */
export function listHash(sender: Sender, receiver: Account, server: string): string {
  const jids = devicesOf(sender, receiver).map(({ account, device }) => account.jid(server, device))
  return `2:${createHash('sha256').update(jids.sort().join('')).digest('base64').slice(0, 6)}`
}

/**
 * The hash of all devices in a group, the one that sends included: of their addresses with agent and device, as whatsmeow writes them
 * (`participantListHashV2` in its `send.go`, `ADString` in its `types/jid.go`).
 */
export function groupListHash({ members, server }: Group): string {
  const names = [...members].flatMap((account) => {
    const { user } = parseJid(account.jid(server))
    return account.numbers().map((device) => `${user}.0:${device}@${server}`)
  })
  const digest = createHash('sha256').update(names.sort().join('')).digest()
  return `2:${digest.subarray(0, 6).toString('base64').replaceAll('=', '')}`
}

function devicesOf(sender: Sender, receiver: Account): Sender[] {
  return [...new Set([receiver, sender.account])].flatMap((account) =>
    account
      .numbers()
      .map((device) => ({ account, device }))
      .filter(({ device }) => account !== sender.account || device !== sender.device),
  )
}
