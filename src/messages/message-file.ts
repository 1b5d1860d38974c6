import type { Selectable } from 'kysely'
import { takeMedia } from '../media/media-record.ts'
import type { MessageFilesTable } from '../store/schema.ts'
import { statement } from '../store/statement.ts'
import type { Reader, Transaction } from '../store/store.ts'

/*
 * The files of messages. One that was uploaded is kept before its message is accepted. One that is given as a URL is fetched
 * afterwards, and waited for (`awaits_file`): a message that is to be sent keeps its place in its lane meanwhile, and one that
 * was received is not told before.
 */

export type MessageFile = Selectable<MessageFilesTable>

/** What is fixed about the file of a message when the message is kept: where it is fetched from, or what was kept. */
export type NewMessageFile = Omit<MessageFile, 'message_id' | 'fetch_attempts'>

const insertFile = statement<Omit<MessageFile, 'fetch_attempts'>>()((sql, argument) =>
  sql.insertInto('message_files').values({
    message_id: argument('message_id'),
    organization_id: argument('organization_id'),
    direction: argument('direction'),
    url: argument('url'),
    fetch_at: argument('fetch_at'),
    voice: argument('voice'),
    filename: argument('filename'),
    declared_type: argument('declared_type'),
    media_id: argument('media_id'),
    mime_type: argument('mime_type'),
    size: argument('size'),
    sha256: argument('sha256'),
  }),
)

/** Keeps the file of a message, in the transaction that keeps the message. Throws where what was kept is gone by now. */
export async function addFile(tx: Transaction, messageId: string, file: NewMessageFile): Promise<void> {
  const { media_id: mediaId, organization_id: organizationId } = file
  await tx.run(insertFile, { ...file, message_id: messageId })
  if (mediaId !== null && !(await takeMedia(tx, { mediaId, organizationId, messageId })))
    throw new Error('a file was forgotten before its message was accepted')
}

/** The files of these messages, by the ids of the messages. */
export async function filesOf(
  reader: Reader,
  messageIds: readonly string[],
): Promise<Map<string, MessageFile>> {
  if (messageIds.length === 0) return new Map()
  const query = reader.sql.selectFrom('message_files').selectAll().where('message_id', 'in', messageIds)
  return new Map((await reader.all(query)).map((file) => [file.message_id, file]))
}

/** What callers are told of a file; what is not known before it was fetched is null. */
export type FileFacts = Pick<MessageFile, 'filename' | 'mime_type' | 'size' | 'sha256'>

/** A file as callers see it. */
export function renderFile({ filename, mime_type, size, sha256 }: FileFacts): FileFacts {
  return { filename, mime_type, size, sha256 }
}
