import type { AuditNote } from '../../contract/resources/audit.ts'
import type { InstanceStatus } from '../../contract/resources/instance.ts'
import { keepAudit } from '../../organizations/audit-log.ts'
import { ofTurn, statement } from '../../store/statement.ts'
import { briefRead, isForeign, type OfTurn, type StoreFunctions, transaction } from '../../store/store.ts'
import { nothingClaimed } from '../callbacks/claim-store.ts'
import { appendInstanceEvents, appendLinkEvent, type LinkNotice } from '../instance-events.ts'
import { columns, restingStatuses } from '../instance-store.ts'
import { endLinkPages } from '../link-pages/link-page-store.ts'

/** Reads the columns of an instance that opening a connection needs. */
export const readConnectionSecrets = briefRead(
  'instances.connection',
  async (reader, args: { id: string }) => {
    const query = reader.sql
      .selectFrom('instances')
      .select(['settings', 'credentials', 'restriction', 'shared_callback', 'key_owner'])
      .where('id', '=', args.id)
    return (await reader.first(query)) ?? null
  },
)

/** Changes to the connection of an instance. Fields that are left out stay as they are. */
export interface ConnectionChange {
  readonly status?: InstanceStatus
  readonly status_since?: number
  /** JSON text. */
  readonly reason?: string | null
  readonly link?: Uint8Array | null
  /** The part of `link` that events may contain. */
  readonly linkNotice?: LinkNotice
  /** True if callers hear of it even if the status stays. */
  readonly isTold?: true
  /** JSON text. */
  readonly restriction?: string | null
  /** JSON text. */
  readonly account?: string | null
  readonly next_attempt_at?: number | null
  readonly linked_at?: number | null
  readonly connected_at?: number
}

interface RecordArgs extends OfTurn {
  readonly id: string
  readonly change: ConnectionChange
  readonly verifiedAt: number | null
  readonly now: number
}

/**
 * Stores what was observed of a connection, and appends events for changes. If it is stored again, because the first answer was
 * lost, the events are not repeated.
 */
export const recordConnection = transaction(
  'instances.record',
  async (tx, args: RecordArgs) => {
    const { id, now } = args
    const { linkNotice, isTold, ...change } = args.change
    const instances = tx.sql
      .selectFrom('instances')
      .select(['organization_id', 'status', 'link', 'restriction'])
    const before = await tx.first(instances.where('id', '=', id))
    if (!before || isForeign(args, before.organization_id)) return
    const verified = args.verifiedAt === null ? {} : { last_verified_at: args.verifiedAt }
    const update = tx.sql
      .updateTable('instances')
      .set({ ...change, ...verified, updated_at: now })
      .where('id', '=', id)
      .returning(columns)
    const after = await tx.first(update)
    if (!after) return
    if (isTold || after.status !== before.status)
      await appendInstanceEvents(tx, [after], 'instance.status_changed', now)
    if (after.restriction !== before.restriction)
      await appendInstanceEvents(tx, [after], 'instance.restriction_changed', now)
    const isNewLink = change.link && !(before.link && Buffer.compare(change.link, before.link) === 0)
    if (typeof change.linked_at === 'number') await endLinkPages(tx, id, now)
    if (linkNotice && isNewLink) await appendLinkEvent(tx, after, linkNotice, now)
  },
  { isToldTurn: true },
)

interface Verified {
  readonly id: string
  readonly at: number
  readonly turn: string | null
}

const verify = statement<Verified>()((sql, argument) =>
  sql
    .updateTable('instances')
    .set({ last_verified_at: argument('at') })
    .where('id', '=', argument('id'))
    .where(ofTurn(argument('turn'))),
)

const verifyCaughtUp = statement<Verified>()((sql, argument) =>
  sql
    .updateTable('instances')
    .set({ last_verified_at: argument('at'), caught_up_at: argument('at') })
    .where('id', '=', argument('id'))
    .where(ofTurn(argument('turn'))),
)

/** Stores that the network answered and, if nothing is missing, that nothing was missed until then. */
export const recordVerified = transaction(
  'instances.verified',
  async (tx, args: { id: string; at: number; nothingMissing: boolean } & OfTurn) => {
    const { id, at, turn = null } = args
    await tx.run(args.nothingMissing ? verifyCaughtUp : verify, { id, at, turn })
  },
  { isToldTurn: true },
)

/**
 * Stores new credentials instead of the known ones; false if the instance is gone, or its credentials were replaced
 * meanwhile.
 */
export const saveCredentials = transaction(
  'instances.credentials',
  async (tx, args: { id: string; before: Uint8Array; credentials: Uint8Array } & OfTurn) => {
    const query = tx.sql
      .updateTable('instances')
      .set({ credentials: args.credentials })
      .where('id', '=', args.id)
      .where('credentials', '=', args.before)
    const { turn } = args
    return (await tx.run(turn === undefined ? query : query.where('organization_id', '=', turn))) > 0
  },
  { isToldTurn: true },
)

interface ReplaceCredentialsArgs {
  readonly organization: string
  readonly id: string
  readonly credentials: Uint8Array
  /** As in `NewInstance`. */
  readonly sharedCallback: number
  readonly now: number
  readonly audit?: AuditNote | undefined
}

/**
 * Replaces the credentials with those that a caller gave. An instance at rest that is wanted running begins to connect
 * with them; its queue is not touched. A connection that still uses the former ones writes no keys any more.
 */
export const replaceCredentials = transaction(
  'instances.replace-credentials',
  async (tx, args: ReplaceCredentialsArgs) => {
    const own = tx.sql
      .selectFrom('instances')
      .where('id', '=', args.id)
      .where('organization_id', '=', args.organization)
    const row = await tx.first(own.select(['wanted', 'status']))
    if (!row) return 'not_found'
    if (row.wanted === 'removed') return 'deleting'
    const begins = row.wanted === 'running' && restingStatuses.includes(row.status)
    const status = begins ? { status: 'connecting' as const, status_since: args.now, reason: null } : {}
    const replaced = tx.sql
      .updateTable('instances')
      .set((eb) => ({
        credentials: args.credentials,
        updated_at: args.now,
        key_owner: eb('key_owner', '+', 1),
        shared_callback: args.sharedCallback,
        // A proof of the former credentials is none of these, but until another instance claims the account, no callback may
        // be lost.
        ...(args.sharedCallback === 0 ? nothingClaimed : { claimed_at: null }),
        ...status,
      }))
      .where('id', '=', args.id)
      .returning(columns)
    const rows = await tx.all(replaced)
    await appendInstanceEvents(tx, rows, 'instance.credentials_replaced', args.now)
    if (begins) await appendInstanceEvents(tx, rows, 'instance.status_changed', args.now)
    await keepAudit(tx, args.audit)
    return row.wanted
  },
)

export const connectionFunctions: StoreFunctions = {
  reads: [readConnectionSecrets],
  transactions: [recordConnection, recordVerified, saveCredentials, replaceCredentials],
}
