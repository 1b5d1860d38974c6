import type { Account } from './accounts/account.ts'
import { Directory } from './accounts/directory.ts'
import type { UnlinkedClient } from './accounts/unlinked-client.ts'
import type { Connection } from './connection.ts'
import { Counters } from './counters.ts'
import { Faults } from './faults.ts'
import { MediaStore } from './media/store.ts'
import type { Group } from './messages/group.ts'
import type { Received } from './people/inbox.ts'
import { Waiting } from './waiting.ts'

/** Settings of the whole server that tests can change. */
export interface Settings {
  /** Number of refs for a client that wants to be linked. */
  refs: number
  /** Milliseconds for which they can be scanned. */
  refLifetime: number
  /** Below how many one-time keys a client is asked for more. */
  fewKeys: number
  /** The oldest version of the client that may connect, as `2.3000.0`. */
  oldestVersion: string
  /** Number of hosts for files that clients are told; all are the same one. */
  mediaHosts: number
  /** New chats that an account may still begin, as clients are told. */
  capping: Readonly<Record<string, string | number>>
}

const ordinary: Settings = {
  refs: 6,
  refLifetime: 600_000,
  fewKeys: 10,
  oldestVersion: '0',
  mediaHosts: 1,
  capping: { total_quota: 100, used_quota: 0, capping_status: 'NONE' },
}

/** All that there is: accounts, groups, files, streams, and what is to go wrong. */
export class WhatsApp {
  readonly waiting = new Waiting()
  readonly directory = new Directory()
  /** By id. */
  readonly groups = new Map<string, Group>()
  readonly faults = new Faults()
  readonly counters = new Counters(this.waiting.look)
  readonly media = new MediaStore()
  readonly connections = new Set<Connection>()
  /** Clients that wait to be linked, by each of their refs. */
  readonly registrations = new Map<string, UnlinkedClient>()
  readonly settings: Settings = { ...ordinary }
  /** Called when a person sees a new message. */
  shown: (account: Account, received: Received) => void = () => {}
}
