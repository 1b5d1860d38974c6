import type { Unsupported } from '../contract/resources/message.ts'
import { undecryptable } from '../contract/statuses.ts'
import type { MessageRow } from './message.ts'

/*
 * A message that could not be decrypted is stored as what it is, and its content takes its place when it comes again and can be read: the
 * message keeps its id, its place in lists and its times, and its first event says the same for ever (docs/decisions/0064).
 */

const undecrypted: Unsupported = { type: undecryptable, name: null }

/** As it stands in the column `unsupported`, byte for byte, so that it can be compared. */
export const undecryptableText = JSON.stringify(undecrypted)

/** Returns true if a row stands for a message that could not be decrypted. */
export function isUndecryptable({ unsupported }: Pick<MessageRow, 'unsupported'>): boolean {
  return unsupported === undecryptableText
}

/** The columns of such a message before its content comes. */
export const withoutContent = {
  kind: 'unsupported',
  text: null,
  subject: null,
  relation: null,
  unsupported: undecryptableText,
} as const satisfies Partial<MessageRow>
