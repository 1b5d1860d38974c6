import type { Account } from '../accounts/account.ts'

/** From now on each of the two knows the other. */
export function getAcquainted(one: Account, other: Account): void {
  if (one === other) return
  one.chats.add(other.lid)
  other.chats.add(one.lid)
}
