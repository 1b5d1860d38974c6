import { sees } from '../contract/operation.ts'
import { type MediaToTake, takeMedia } from '../media/media-record.ts'
import { type RowOf, tables } from '../store/schema.ts'
import { statement, valuesOf } from '../store/statement.ts'
import { type Reader, read, type Transaction } from '../store/store.ts'

/*
 * The files of messages. An uploaded file is stored before its message is accepted. A file that is given as a URL, or
 * that the network keeps, is fetched afterwards, and its message waits for it (`awaits_file`): a message to send keeps its place in its lane meanwhile, and a
 * received message gets its event only then.
 */

export type MessageFile = RowOf<'message_files'>

/**
 * The facts about the file of a message that are fixed when the message is stored: the URL to fetch it from, the reference
 * by which its connection opens it, or the stored file to use.
 */
export interface NewMessageFile extends Omit<MessageFile, 'message_id' | 'media_id' | 'fetch_attempts'> {
  readonly media: MediaToTake | null
}

const insertedColumns = Object.keys(tables.message_files).filter(
  (name) => name !== 'fetch_attempts',
) as Exclude<keyof MessageFile, 'fetch_attempts'>[]

const insertFile = statement<Omit<MessageFile, 'fetch_attempts'>>()((sql, argument) =>
  sql.insertInto('message_files').values(valuesOf(argument, insertedColumns)),
)

/** Stores the file of a message, in the transaction that stores the message. Throws if the stored bytes are gone. */
export async function addFile(tx: Transaction, messageId: string, file: NewMessageFile): Promise<void> {
  const { media, organization_id: organizationId } = file
  const media_id = media && (await takeMedia(tx, { media, organizationId, messageId }))
  if (media && media_id === null) throw new Error('a file was forgotten before its message was accepted')
  await tx.run(insertFile, { ...file, message_id: messageId, media_id })
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

/** The file of a message as it can be read now, or why it cannot. */
export type FileFound =
  | { readonly kind: 'kept'; readonly mediaId: string; readonly file: WholeFacts }
  | { readonly kind: 'message_not_found' | 'media_not_found' | 'media_pending' }

interface WholeFacts {
  readonly filename: string
  readonly mimeType: string
  readonly size: number
  readonly sha256: string
}

/** The file of this message, if the message is the organization's. */
export const findFile = read(
  'messages.file',
  async (
    reader,
    args: { organizationId: string; id: string; instances: readonly string[] | null },
  ): Promise<FileFound> => {
    const row = await reader.first(
      reader.sql
        .selectFrom('messages')
        .innerJoin('message_instances', 'message_instances.number', 'messages.instance')
        .leftJoin('outbox', 'outbox.seq', 'messages.seq')
        .leftJoin('message_files as file', 'file.message_id', 'messages.id')
        .leftJoin('media', (join) =>
          join.onRef('media.id', '=', 'file.media_id').on('media.organization_id', '=', args.organizationId),
        )
        .select((eb) => eb.fn.coalesce('outbox.awaits_file', 'messages.awaits_file').as('awaits_file'))
        .select(['instance_name', 'media.id as media_id'])
        .select(['file.filename', 'file.mime_type', 'file.size', 'file.sha256'])
        .where('messages.id', '=', args.id)
        .where('message_instances.organization_id', '=', args.organizationId),
    )
    if (!row || !sees(args, row.instance_name)) return { kind: 'message_not_found' }
    const { media_id: mediaId, filename, mime_type: mimeType, size, sha256 } = row
    if (mediaId !== null && filename !== null && mimeType !== null && size !== null && sha256 !== null)
      return { kind: 'kept', mediaId, file: { filename, mimeType, size, sha256 } }
    return { kind: row.awaits_file === 1 ? 'media_pending' : 'media_not_found' }
  },
)

/** The facts about a file that callers see; null if they are not known until it is fetched. */
export type FileFacts = Pick<MessageFile, 'filename' | 'mime_type' | 'size' | 'sha256'>

/** A file as callers see it. */
export function renderFile({ filename, mime_type, size, sha256 }: FileFacts): FileFacts {
  return { filename, mime_type, size, sha256 }
}
