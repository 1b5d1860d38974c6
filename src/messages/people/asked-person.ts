import { Problem } from '../../contract/problem.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import type { Networks } from '../../networks/driver/registry.ts'
import type { StoreForAll, Turn } from '../../store/store.ts'
import { findSender } from '../outbox/accept/find-sender.ts'
import type { PeoplePlace } from './contact-list.ts'

interface AskedPerson extends PeoplePlace {
  /** An address as a caller writes it. */
  readonly address: string
}

/** A person of an instance, whose id it is, by the one spelling of their address. */
export interface FoundPerson extends AskedPerson {
  readonly instance: string
}

/**
 * Finds which person a caller means. Only the driver of the network tells the address of a group from that of a person: a group is no
 * contact, and what happens to one person must never happen to all of a group.
 */
export async function askedPerson(
  { store, networks }: { readonly store: StoreForAll; readonly networks: Networks },
  { organizationId, instanceName, address }: AskedPerson,
  turn: Turn,
): Promise<FoundPerson> {
  const found = await store.read(findSender, { organization: organizationId, name: instanceName }, turn)
  const driver = found && networks.get(found.network)
  if (!driver) throw new Problem('instance_not_found')
  const spelled = spelledBy(driver, address)
  if (driver.isGroup?.(spelled)) throw new Problem('contact_not_found', { detail: aGroup })
  return { organizationId, instanceName, address: spelled, instance: found.id }
}

const aGroup =
  'This is the address of a group, and groups are no contacts. A person is forgotten by their own address; messages in groups stay.'

/** An address as a caller writes it, and as each of the networks spells it; a caller who names no instance may mean any of them. */
export function spellingsOf(networks: Networks, address: string): readonly string[] {
  return [...new Set([address, ...[...networks.values()].map((driver) => spelledBy(driver, address))])]
}

/** An address as a network spells it; one that it does not understand stays as it is, because a message that is kept may have it. */
function spelledBy(driver: Driver, address: string): string {
  const parsed = driver.parseAddress(address)
  return parsed.ok ? parsed.address : address
}
