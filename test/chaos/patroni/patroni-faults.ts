import { setTimeout as wait } from 'node:timers/promises'
import { type PatroniCluster, signal } from './patroni-cluster.ts'

/** Milliseconds for which something stands still: twice as long as Patroni lets a primary be silent. */
const stillFor = 40_000

type Fault = (cluster: PatroniCluster, place: { primary: number; standby: number }) => Promise<void>

/** Faults of the primary, with the mending of each. */
export const patroniFaults = {
  /** Patroni and PostgreSQL die. */
  async kill(cluster, { primary }) {
    const { patroni, postgres } = cluster.processesOf(primary)
    signal([...patroni, ...postgres], 'SIGKILL')
    await wait(stillFor)
    cluster.startMember(primary)
  },
  /** PostgreSQL dies. */
  async 'kill-postgres'(cluster, { primary }) {
    signal(cluster.processesOf(primary).postgres, 'SIGKILL')
  },
  /** Patroni and PostgreSQL stand still. */
  async freeze(cluster, { primary }) {
    const { patroni, postgres } = cluster.processesOf(primary)
    await standStill([...patroni, ...postgres])
  },
  /** PostgreSQL stands still. */
  async 'freeze-postgres'(cluster, { primary }) {
    await standStill(cluster.processesOf(primary).postgres)
  },
  /** Patroni stands still. */
  async 'freeze-patroni'(cluster, { primary }) {
    await standStill(cluster.processesOf(primary).patroni)
  },
  /** The primary and the standby change places, as an operator orders. */
  switch: (cluster, { primary, standby }) => cluster.switchOver(primary, standby),
} as const satisfies Readonly<Record<string, Fault>>

export type PatroniFault = keyof typeof patroniFaults

async function standStill(pids: readonly number[]): Promise<void> {
  signal(pids, 'SIGSTOP')
  await wait(stillFor)
  signal(pids, 'SIGCONT')
}
