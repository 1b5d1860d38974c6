import { createContext } from 'preact'
import type { Answer } from './operations.ts'

/** The owner of the session: a key of an organization, or the operator. */
export type Me = Answer<'getMe'>

/** The owner of the session, for parts that no screen tells. */
export const SignedIn = createContext<Me | null>(null)

/** True of a key that is limited to some instances: what concerns the whole organization is refused to it. */
export function isLimited({ key }: Me): boolean {
  return key !== null && key.instances !== null
}

/** True of a key that may do everything in its organization. */
export function isUnlimitedAdmin(me: Me): boolean {
  return me.key?.role === 'admin' && !isLimited(me)
}

/** Returns true if a session may send messages. */
export function maySend(me: Me): boolean {
  return me.key !== null && me.key?.role !== 'read'
}
