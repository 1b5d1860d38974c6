import { undecryptable } from '../../contract/statuses.ts'
import { timeOfEvent } from '../../events/journal.ts'
import { statement, valuesOf } from '../../store/statement.ts'
import type { MessageRow } from '../message.ts'
import { undecryptableText } from '../undecryptable.ts'
import type { IncomingMessage } from './incoming-message.ts'

/** The column `unsupported` of a message; null if it can be shown. */
export function unsupportedText({ unsupported }: IncomingMessage): string | null {
  if (unsupported?.type === undecryptable) return undecryptableText
  return unsupported && JSON.stringify(unsupported)
}

/** The columns of the content of a message, which may come after the message. */
export const contentColumns = [
  'kind',
  'text',
  'subject',
  'relation',
  'unsupported',
  'error',
  'awaits_file',
] as const

/** The content of a message, and the id by which it is found. */
export type NewContent = Pick<MessageRow, (typeof contentColumns)[number]> & {
  readonly network_message_id: string
}

interface Replacement extends NewContent {
  /** The number of its instance, and its organization. */
  readonly instance: number
  readonly organization_id: string
  readonly now: number
}

/** Gives a message that could not be decrypted its content. */
export const replaceContent = statement<Replacement>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set({
      ...valuesOf(argument, contentColumns),
      last_event_at: timeOfEvent(sql, argument('now')).where('id', '=', argument('organization_id')),
    })
    .where('network_message_id', '=', argument('network_message_id'))
    .where('instance', '=', argument('instance'))
    .where('unsupported', '=', undecryptableText)
    .returningAll(),
)
