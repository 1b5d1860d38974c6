import type { Node } from '../../contract/operations/node-operations.ts'
import {
  type FindingCode,
  findingSeverities,
  serverFindings,
} from '../../contract/operations/operator/findings.ts'
import type { ServerFinding, ServerHealth } from '../../contract/operations/operator/server-operations.ts'
import { timestamp } from '../../runtime/clock.ts'

/** Facts about a server that its health does not show as such. */
export interface HiddenFacts {
  readonly now: number
  /** False if other nodes may have taken over what this one has. */
  readonly isTrusted: boolean
  /** Undefined if it is not known whether there was a backup. */
  readonly lastBackupAt: number | null | undefined
  /** Webhooks for which no attempt has succeeded for an hour. */
  readonly webhooksFailingLong: number
  readonly exhaustedOrganizations: number
  /** All nodes; those that are gone as well. */
  readonly nodes: readonly Node[]
  /** Milliseconds by which the clock of the database is ahead of this machine's. */
  readonly clockAhead: number
  /** False if a standby server could take over that does not confirm commits. */
  readonly hasConfirmingStandbys: boolean
  /** Files and folders that other users of the machine may open. */
  readonly openPaths: number
  readonly setup: Setup
}

/** Facts that do not change while a server runs. */
export interface Setup {
  readonly isInTheOpen: boolean
  readonly isOnNetworkFileSystem: boolean
  /** True if each node keeps files in a folder of its own. */
  readonly keepsFilesInFolder: boolean
  readonly lacksVoicePrograms: boolean
}

type Shown = Pick<ServerHealth, 'status' | 'disk' | 'queue' | 'webhooks' | 'instances'>

const minute = 60
const day = 86_400_000
const gigabyte = 1024 ** 3
const megabyte = 1024 ** 2

/** Limits as in the alerts of docs/monitoring.md, and in the doctor. */
const maxOverdue = 10 * minute
const maxWebhookAge = 15 * minute
const maxBackupAge = 2 * day
const maxClockDifference = 5_000

/** A thing that was found: how many, and since when; false if there is nothing. */
type Found = false | { readonly count?: number; readonly since?: number | null }

const some = (count: number): Found => count > 0 && { count }
const isSo = (holds: boolean): Found => holds && {}

/** Returns the findings in the facts, the most severe first. */
export function findingsIn(shown: Shown, hidden: HiddenFacts): ServerFinding[] {
  const found = Object.entries({
    ...ofService(shown, hidden),
    ...ofWork(shown, hidden),
    ...ofNodes(hidden),
    ...ofSetup(hidden),
  } satisfies Record<FindingCode, Found>) as [FindingCode, Found][]
  const findings = found.flatMap(([code, what]) => (what === false ? [] : [render(code, what)]))
  const rank = ({ severity }: ServerFinding) => findingSeverities.indexOf(severity)
  return findings.sort((a, b) => rank(a) - rank(b))
}

function render(code: FindingCode, { count, since }: Exclude<Found, false>): ServerFinding {
  return { code, ...serverFindings[code], count: count ?? null, since: timestamp(since ?? null) }
}

/** Findings about the store, the disk and the backups. */
function ofService({ status, disk }: Shown, { now, isTrusted, lastBackupAt }: HiddenFacts) {
  const free = disk?.free_bytes ?? Number.POSITIVE_INFINITY
  const share = disk && disk.size_bytes > 0 ? free / disk.size_bytes : 1
  const isFull = share < 0.02 || free < 100 * megabyte
  const isOld = typeof lastBackupAt === 'number' && now - lastBackupAt > maxBackupAge
  return {
    node_not_trusted: isSo(!isTrusted),
    store_unavailable: isSo(isTrusted && status === 'store_unavailable'),
    storage_full: isSo(status === 'storage_full'),
    store_corrupt: isSo(status === 'store_corrupt'),
    store_replaced: isSo(status === 'store_replaced'),
    disk_full: isSo(isFull),
    disk_low: isSo(!isFull && (share < 0.1 || free < gigabyte)),
    backup_old: isOld && { since: lastBackupAt },
    backup_missing: isSo(lastBackupAt === null),
  } satisfies Partial<Record<FindingCode, Found>>
}

/** Findings about what organizations send and receive. */
function ofWork({ queue, webhooks, instances }: Shown, hidden: HiddenFacts) {
  const { now, webhooksFailingLong, exhaustedOrganizations } = hidden
  const longer = (seconds: number | null | undefined, most: number): Found =>
    (seconds ?? 0) > most && { since: now - (seconds ?? 0) * 1000 }
  return {
    messages_held: some(queue?.held ?? 0),
    queue_overdue: longer(queue?.overdue_seconds, maxOverdue),
    instances_need_person: some((instances.logged_out ?? 0) + (instances.failed ?? 0)),
    webhooks_behind: longer(webhooks?.oldest_seconds, maxWebhookAge),
    webhooks_failing: some(webhooksFailingLong),
    webhooks_disabled: some(webhooks?.disabled ?? 0),
    quotas_exhausted: some(exhaustedOrganizations),
  } satisfies Partial<Record<FindingCode, Found>>
}

/** Findings about the nodes that share the store. */
function ofNodes({ nodes, clockAhead, hasConfirmingStandbys, setup }: HiddenFacts) {
  const running = nodes.filter(({ status }) => status === 'running' || status === 'draining')
  return {
    nodes_silent: some(nodes.filter(({ status }) => status === 'silent').length),
    versions_differ: isSo(new Set(running.map(({ version }) => version)).size > 1),
    files_on_one_node: isSo(setup.keepsFilesInFolder && running.length > 1),
    clocks_differ: isSo(Math.abs(clockAhead) > maxClockDifference),
    standbys_unconfirmed: isSo(!hasConfirmingStandbys),
  } satisfies Partial<Record<FindingCode, Found>>
}

/** Findings about how the server was set up. */
function ofSetup({ openPaths, setup }: HiddenFacts) {
  return {
    folder_open: some(openPaths),
    listening_in_the_open: isSo(setup.isInTheOpen),
    network_file_system: isSo(setup.isOnNetworkFileSystem),
    voice_notes_off: isSo(setup.lacksVoicePrograms),
  } satisfies Partial<Record<FindingCode, Found>>
}
