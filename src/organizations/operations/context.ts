import type { Store } from '../../store/store.ts'
import type { Quotas } from '../usage.ts'

/** What the operations on an organization are made from. */
export interface OrganizationOperationsContext {
  readonly store: Store
  readonly quotas: Quotas
}
