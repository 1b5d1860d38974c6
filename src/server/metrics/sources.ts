import type { QuotaName } from '../../contract/statuses.ts'
import type { Counts } from '../../runtime/counts.ts'
import type { WaitingCalls } from '../../store/store.ts'
import type { ConnectionCounts } from '../connections/connections.ts'

/** What the gauges are read from when somebody asks. */
export interface MetricsSources {
  /** What the networks count, if anything. */
  readonly networkCounts?: readonly Counts[]
  connections(): ConnectionCounts
  instancesByStatus(): ReadonlyMap<string, number>
  /** How many attempts to deliver an event to a webhook are under way. */
  webhookAttempts(): number
  /** How many files are being fetched: files that callers send, and files that were received. */
  fileFetches(): Readonly<Record<'sent' | 'received', number>>
  /** How many voice notes are being converted, and how many wait for it. */
  voiceConversions(): Readonly<Record<'running' | 'waiting', number>>
  /** How many names of hosts are being looked up, how many wait for it, and how many were refused so far. */
  nameLookUps(): Readonly<Record<'underway' | 'waiting' | 'refused', number>>
  /** How many bytes are held for connections to networks. */
  connectionMemory(): number
  /** How many calls wait for their turn at the store. */
  storeWaiting(): WaitingCalls
  /** How many bytes of answers are asked for and not read, and how many answers wait for room. */
  answers(): Readonly<Record<'withKey' | 'withoutKey' | 'waiting', number>>
  /** What waits for webhooks that are enabled and not paused. */
  webhookBacklog(): Promise<{ readonly depth: number; readonly oldestAgeSeconds: number }>
  /** What networks posted and nobody handled yet. */
  callbacks(): Promise<{ readonly count: number; readonly bytes: number }>
  queue(): Promise<{ readonly depth: number; readonly held: number; readonly oldestAgeSeconds: number }>
  /** What all organizations use together of each quota, and how many of them have nothing left of it. */
  usage(): Promise<Readonly<Record<'totals' | 'exhausted', Readonly<Record<QuotaName, number>>>>>
}
