/** The things that a message depends on besides itself: who sends it, and what is known of the room that it goes to. */
export interface Surroundings {
  /** The address that sends it. */
  readonly account: string
  /** The id under which the people in a room know a stanza of the account; null if that is not remembered. */
  sharedId(stanza: string): string | null
  /** The name of a person in the room; null if it is not known. */
  nickOf(address: string): string | null
}

/** Those of a message to a person. */
export function directly(account: string): Surroundings {
  return { account, sharedId: () => null, nickOf: () => null }
}
