import { undecryptable } from '../../contract/statuses.ts'
import { statement, valuesOf } from '../../store/statement.ts'
import type { KeptOf } from '../../store/tables/kept-message.ts'
import type { MessageRow } from '../message.ts'
import { keptTime } from '../message-times.ts'
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
  'content',
  'error',
  'awaits_file',
] as const

/** The content of a message, and the id by which it is found. */
export type NewContent = Pick<MessageRow, (typeof contentColumns)[number]> & {
  readonly network_message_id: string
}

interface Replacement extends KeptOf<NewContent> {
  /** The number of its instance. */
  readonly instance: number
  /** The time of its event. */
  readonly eventAt: number
}

/** Gives a message that could not be decrypted its content. */
export const replaceContent = statement<Replacement>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      ...valuesOf(argument, contentColumns),
      last_event_after: keptTime(argument('eventAt'))(eb),
    }))
    .where('network_message_id', '=', argument('network_message_id'))
    .where('instance', '=', argument('instance'))
    .where('unsupported', '=', undecryptableText)
    .returningAll(),
)
