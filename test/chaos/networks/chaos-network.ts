import type { BodyOf } from '../../../src/contract/operation.ts'
import type { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import type { Line } from '../../kit/crash/persistent-sender.ts'
import type { PosthornProcess } from '../../kit/posthorn.ts'
import type { Arrival, SufferedFault } from '../check/story.ts'

/** The names of the nodes, and of the clients, of which each sends to one node. */
export const nodeNames: readonly string[] = ['one', 'two', 'three']

/** A network with its instances, whose far end outlives all nodes and records what arrives. */
export interface ChaosNetwork {
  /** Settings that are URLs of its servers. */
  readonly urls: Readonly<Record<string, string>>
  /** Returns other settings of one node, in which `wire` leads to a port of this machine through a wire of that node. */
  settingsFor?(wire: (port: number) => Promise<number>): Promise<Readonly<Record<string, string>>>
  /** Learns the URLs at which the nodes are reached, before instances are created. */
  reachedAt?(doors: readonly string[]): void
  readonly instances: readonly BodyOf<typeof createInstance>[]
  /** Has a person link the account of an instance that was created. */
  link?(posthorn: Pick<PosthornProcess, 'admin'>, instance: string): Promise<void>
  /** True if it does not recognize repetitions. */
  readonly isForgetful: boolean
  /** The lines on which one client sends. */
  linesOf(client: string): readonly Line[]
  /** Resolves when the network has told the nodes all that it has to tell. */
  atRest?(): Promise<unknown>
  arrived(): Promise<readonly Arrival[]>
  /** Names the sessions that were broken, and other things of which the far end would complain. */
  complaints?(faults: readonly SufferedFault[]): Promise<readonly string[]>
  stop(): Promise<void>
}
