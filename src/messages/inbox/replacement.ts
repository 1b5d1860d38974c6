import { undecryptable } from '../../contract/statuses.ts'
import { statement } from '../../store/statement.ts'
import type { MessageRow } from '../message.ts'
import { timeOfLastEvent } from '../transition.ts'
import { undecryptableText } from '../undecryptable.ts'
import type { IncomingMessage } from './incoming-message.ts'

/** The column `unsupported` of a message; null if it can be shown. */
export function unsupportedText({ unsupported }: IncomingMessage): string | null {
  if (unsupported?.type === undecryptable) return undecryptableText
  return unsupported && JSON.stringify(unsupported)
}

/** What a message says, and how it is found. */
export interface NewContent
  extends Pick<MessageRow, 'kind' | 'text' | 'subject' | 'relation' | 'unsupported' | 'error'> {
  readonly networkId: string
  readonly awaitsFile: number
}

interface Replacement extends NewContent {
  readonly instance: string
  readonly now: number
}

/** Gives a message that could not be decrypted its content. */
export const replaceContent = statement<Replacement>()((sql, argument) =>
  sql
    .updateTable('messages')
    .set((eb) => ({
      kind: argument('kind'),
      text: argument('text'),
      subject: argument('subject'),
      relation: argument('relation'),
      unsupported: argument('unsupported'),
      error: argument('error'),
      awaits_file: argument('awaitsFile'),
      last_event_at: timeOfLastEvent(argument('now'))(eb),
    }))
    .where('network_message_id', '=', argument('networkId'))
    .where('instance_id', '=', argument('instance'))
    .where('unsupported', '=', undecryptableText)
    .returningAll(),
)
