import type { StoreForAll } from '../../store/store.ts'
import type { NodeLease } from '../node-lease.ts'

/** The parts that the operations on nodes are made from. */
export interface NodeOperationsContext {
  readonly store: StoreForAll
  /** The node that responds. */
  readonly node: Pick<NodeLease, 'id'>
  /** Milliseconds for which a node that is not seen is trusted. */
  readonly trustedFor: number
}
