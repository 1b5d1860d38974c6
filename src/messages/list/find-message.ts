import { sees } from '../../contract/operation.ts'
import type { Message } from '../../contract/resources/message.ts'
import { briefRead, type Reader } from '../../store/store.ts'
import { type CurrentMessage, currentMessage, currentMessages } from '../current-message.ts'
import { mayHaveFile, renderMessage } from '../message.ts'
import { renderAll } from './message-list.ts'
import { readWaitsFor } from './waits-for.ts'

/**
 * The message to find, and the caller's view: `instances` are the names of those that the caller may know of, null for all.
 */
export interface MessagePlace {
  readonly organizationId: string
  readonly id: string
  readonly instances: readonly string[] | null
}

/** The row of a message, if the caller may know of the message. */
export async function findRow(reader: Reader, place: MessagePlace): Promise<CurrentMessage | null> {
  const row = await reader.first(
    currentMessages(reader.sql)
      .where('id', '=', place.id)
      .where('organization_id', '=', place.organizationId),
  )
  return row && sees(place, row.instance_name) ? currentMessage(row) : null
}

/**
 * The message with this id, if it is the organization's, and of an instance that the caller may know of, with what it waits for at the
 * moment `now`.
 */
export const findMessage = briefRead(
  'messages.find',
  async (reader, args: MessagePlace & { readonly now: number }): Promise<Message | null> => {
    const row = await findRow(reader, args)
    if (!row) return null
    const [rendered] = mayHaveFile(row) ? await renderAll(reader, [row]) : [renderMessage(row, undefined)]
    return rendered ? { ...rendered, waits_for: await readWaitsFor(reader, row, args.now) } : null
  },
)
