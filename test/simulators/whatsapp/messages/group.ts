import type { Account } from '../accounts/account.ts'
import { groupJid, lidServer, phoneServer } from '../accounts/jid.ts'

/** A group: who is in it, and by which of their addresses. */
export class Group {
  readonly id: string
  readonly subject: string
  readonly addressing: 'lid' | 'pn'
  readonly creator: Account
  readonly members: Set<Account>
  /** People who have left, but still get its messages: from a server that is not to be trusted. */
  readonly overhearing = new Set<Account>()
  /** Seconds after which messages disappear; 0 if they stay. */
  expiration = 0
  /** Seconds since 1970. */
  readonly created = Math.floor(Date.now() / 1000)

  constructor(id: string, subject: string, addressing: 'lid' | 'pn', members: readonly Account[]) {
    const [creator] = members
    if (!creator) throw new Error('A group needs members.')
    this.id = id
    this.subject = subject
    this.addressing = addressing
    this.creator = creator
    this.members = new Set(members)
  }

  get jid(): string {
    return groupJid(this.id)
  }

  /** The server of its members' addresses. */
  get server(): string {
    return this.addressing === 'lid' ? lidServer : phoneServer
  }
}
