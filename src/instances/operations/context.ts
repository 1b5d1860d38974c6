import type { Caller } from '../../contract/handler.ts'
import { Problem } from '../../contract/problem.ts'
import type { Instance, InstanceConnectivity } from '../../contract/resources/instance.ts'
import type { SealedCredentials, Settings } from '../../networks/driver/account.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import type { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import { SealBroken } from '../../runtime/secrets/seal.ts'
import type { StoreForAll, Turn } from '../../store/store.ts'
import { type CallbackTokens, callbackPathOf } from '../callbacks/callback-tokens.ts'
import { readConnectionSecrets } from '../connection/connection-store.ts'
import type { InstanceContext } from '../context.ts'
import { type InstanceReading, type InstanceRow, renderConnectivity, renderInstance } from '../instance.ts'
import type { InstanceReader } from '../instance-reader.ts'
import type { Supervisor } from '../lifecycle/supervisor.ts'
import type { LinkPictures } from '../linking/link-pictures.ts'

/** The parts that the operations on instances are made from. */
export interface InstanceOperationsContext
  extends Pick<InstanceContext, 'clock' | 'alarms' | 'log' | 'networks' | 'secrets' | 'instanceChanges'> {
  readonly store: StoreForAll
  /** The node that this process runs. */
  readonly node: { readonly id: string }
  /** The nodes as this one sees them. */
  readonly peers: { isHeard(id: string): boolean }
  readonly reader: InstanceReader
  readonly pictures: LinkPictures
  readonly pictureTurns: Pick<FairSemaphore, 'run'>
  readonly defaultNetwork: string
  /** Instances that one organization may have; null for any number. */
  readonly instanceLimit: number | null
  readonly supervisor: Supervisor
  readonly callbackTokens: CallbackTokens
  /** Addresses that an organization may have: as many as incoming messages. */
  readonly incomingCapacity: { readonly limit: number | null }
  /** The URL at which callers reach the server, without a slash at the end; empty if it is not known. */
  readonly baseUrl: string
}

/** An instance as the caller may see it. */
export function showInstance(
  context: InstanceOperationsContext,
  caller: Pick<Caller, 'role'>,
  reading: InstanceReading,
): Instance {
  const settings = JSON.parse(reading.row.settings)
  return renderInstance(reading, callbackUrlOf(context, caller, reading.row, settings))
}

/** The connectivity of an instance, with its link step. */
export function showConnectivity(
  { secrets }: Pick<InstanceOperationsContext, 'secrets'>,
  reading: InstanceReading & { readonly link: Uint8Array | null },
): InstanceConnectivity {
  return renderConnectivity(reading, reading.link && secrets.openLink(reading.row.id, reading.link))
}

/**
 * The callback URL of an instance: its own, or that of the operator. Null if it has none, or the caller does not manage instances.
 */
export function callbackUrlOf(
  { networks, callbackTokens, baseUrl }: InstanceOperationsContext,
  { role }: Pick<Caller, 'role'>,
  { id, network, shared_callback }: Pick<InstanceRow, 'id' | 'network' | 'shared_callback'>,
  settings: Settings,
): string | null {
  const callbacks = networks.get(network)?.callbacks
  if (role !== 'admin' || !callbacks || callbacks.usedWith?.(settings) === false) return null
  if (shared_callback === 0) return baseUrl + callbackPathOf(network, callbackTokens.of(network, id))
  return callbacks.shared ? baseUrl + callbackPathOf(network, callbackTokens.ofOperator(network)) : null
}

/** 1 if an instance with these credentials is called back at the URL of the operator, otherwise 0. */
export function usesSharedCallback({ callbacks }: Driver, credentials: SealedCredentials): 0 | 1 {
  return callbacks?.shared?.isUsedBy(credentials) ? 1 : 0
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

/** The credentials of an instance, with what the driver keeps beside them; null if there are none that can be read. */
export async function storedCredentials(
  { store, secrets }: Pick<InstanceOperationsContext, 'store' | 'secrets'>,
  { id, turn }: { readonly id: string; readonly turn: Turn },
): Promise<SealedCredentials | null> {
  const kept = await store.read(readConnectionSecrets, { id }, turn)
  if (!kept) return null
  try {
    return secrets.openCredentials(id, kept.credentials)
  } catch (error) {
    if (error instanceof SealBroken) return null
    throw error
  }
}
