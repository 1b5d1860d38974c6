import { say } from '../../words/say.ts'
import type { Organization } from './organization-activity.ts'

type Listed = Pick<Organization, 'instances' | 'last_24_hours' | 'usage'>

/** The numbers by which organizations can be sorted, the greatest first. An unknown one comes after all others. */
const numbers = {
  instances: ({ instances }: Listed) => instances.total,
  accepted: ({ last_24_hours }: Listed) => last_24_hours.accepted,
  failed: ({ last_24_hours }: Listed) => last_24_hours.failed_share ?? -1,
  unsettled: ({ usage }: Listed) => usage.unsettled_messages.used,
  stored: ({ usage }: Listed) => usage.stored_bytes.used + usage.file_bytes.used,
} as const

export type OrganizationOrder = keyof typeof numbers

export const organizationOrders = Object.keys(numbers) as OrganizationOrder[]

/** Returns the title of the column with the numbers of an order. */
export function titleOfOrder(order: OrganizationOrder): string {
  const titles = {
    instances: say('server.instances'),
    accepted: say('keys.accepted_in_day'),
    failed: say('keys.failed_in_day'),
    unsettled: say('quotas.names.unsettled_messages'),
    stored: say('keys.stored'),
  }
  return titles[order]
}

/** Sorts organizations that come by name. Those with the same number stay sorted by it. */
export function inOrderOf<T extends Listed>(
  order: OrganizationOrder | undefined,
  all: readonly T[],
): readonly T[] {
  if (!order) return all
  const numberOf = numbers[order]
  return all.toSorted((a, b) => numberOf(b) - numberOf(a))
}

/** The number of an organization by which it can be sorted. */
export const numberIn = (order: Exclude<OrganizationOrder, 'failed'>, listed: Listed) =>
  numbers[order](listed)
