import { Problem } from '../../contract/problem.ts'
import type { Networks } from '../../networks/registry.ts'
import type { Changes } from '../../runtime/changes.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Store } from '../../store/store.ts'
import type { InstanceSecrets } from '../credentials.ts'
import type { InstanceReading } from '../instance.ts'
import type { InstanceReader } from '../instance-reader.ts'
import type { Supervisor } from '../supervisor.ts'

/** What the operations on instances are made from. */
export interface InstanceOperationsContext {
  readonly store: Store
  readonly reader: InstanceReader
  readonly clock: Clock
  readonly networks: Networks
  readonly defaultNetwork: string
  /** Instances that one organization may have; null for any number. */
  readonly instanceLimit: number | null
  readonly secrets: InstanceSecrets
  readonly supervisor: Supervisor
  readonly changes: Changes
}

/** The caller's instance of this name; the problem of one that is not there is the same as of one that is not theirs. */
export async function readInstance(
  { reader }: Pick<InstanceOperationsContext, 'reader'>,
  organization: string,
  name: string,
): Promise<InstanceReading & { link: Uint8Array | null }> {
  const found = await reader.find(organization, name)
  if (!found) throw new Problem('instance_not_found')
  return found
}
