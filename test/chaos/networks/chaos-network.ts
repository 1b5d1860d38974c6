import type { BodyOf } from '../../../src/contract/operation.ts'
import type { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import type { Line } from '../../kit/crash/persistent-sender.ts'
import type { Arrival } from '../check/story.ts'

/** A network with its instances, whose far end outlives all nodes and records what arrives. */
export interface ChaosNetwork {
  /** Settings that are URLs of its servers. */
  readonly urls: Readonly<Record<string, string>>
  readonly instances: readonly BodyOf<typeof createInstance>[]
  /** True if it does not recognize repetitions. */
  readonly isForgetful: boolean
  /** The lines on which one client sends. */
  linesOf(client: string): readonly Line[]
  arrived(): Promise<readonly Arrival[]>
  stop(): Promise<void>
}
