import { randomBytes } from 'node:crypto'
import { node } from '../wire/node.ts'
import type { Account } from './account.ts'
import { notify } from './device-list.ts'
import { lidServer } from './jid.ts'

/** Returns the privacy token of an account that another one has, or gets now. Neither is told. */
export function tokenOf(account: Account, other: Account): Uint8Array {
  const token = account.issued.get(other.lid) ?? randomBytes(16)
  account.issued.set(other.lid, token)
  other.tokens.set(account.lid, token)
  return token
}

/** Gives another account the privacy token of an account, with which it may write to it. `since`: in seconds since 1970. */
export function issueToken(account: Account, other: Account, since: string): void {
  const token = tokenOf(account, other)
  const given = { jid: other.jid(lidServer), t: since, type: 'trusted_contact' }
  const from = { from: account.jid(lidServer), sender_lid: account.jid(lidServer), type: 'privacy_token' }
  notify(other, from, [node('tokens', {}, [node('token', given, token)])])
}
