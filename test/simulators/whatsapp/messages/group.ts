import { randomBytes } from 'node:crypto'
import type { Account } from '../accounts/account.ts'
import { groupJid, lidServer, phoneServer } from '../accounts/jid.ts'

/** Peculiarities of a group, which tests set. */
export interface GroupTraits {
  /** It is a community, or the announcements of one: the server names both among the groups. */
  community: '' | 'parent' | 'announcements'
  /** Those who follow a link must wait for the word of an admin. */
  needsApproval: boolean
  /** Only admins change its subject. */
  isLocked: boolean
  /** Number of members without an account, of whom the server tells nevertheless. */
  phantoms: number
}

/** A group: who is in it, and by which of their addresses. */
export class Group {
  readonly id: string
  subject: string
  description = ''
  /** The id of the description that it has, or had last. */
  descriptionId = 'D0'
  readonly addressing: 'lid' | 'pn'
  readonly creator: Account
  readonly members: Set<Account>
  readonly admins: Set<Account>
  /** The times at which people asked to join, in seconds since 1970. */
  readonly requests = new Map<Account, number>()
  /** People who have left, but still get its messages: from a server that is not to be trusted. */
  readonly overhearing = new Set<Account>()
  readonly traits: GroupTraits = { community: '', needsApproval: false, isLocked: false, phantoms: 0 }
  /** The path of its picture on the media host. */
  picture: string | undefined
  /** The end of its link. */
  code = newCode()
  /** Those that no longer lead into it. */
  readonly oldCodes = new Set<string>()
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
    this.admins = new Set([creator])
  }

  get jid(): string {
    return groupJid(this.id)
  }

  /** The server of its members' addresses. */
  get server(): string {
    return this.addressing === 'lid' ? lidServer : phoneServer
  }

  /** The link that was used until now leads nowhere from now on. */
  renewCode(): void {
    this.oldCodes.add(this.code)
    this.code = newCode()
  }
}

const newCode = (): string => randomBytes(16).toString('base64url')

let lastGroup = 120_363_000_000_000_000n

/** A new id of a group. */
export function newGroupId(): string {
  lastGroup += 1n
  return String(lastGroup)
}
