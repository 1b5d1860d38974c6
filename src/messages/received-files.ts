import { mediaErrors, sentencesOf } from '../contract/codes.ts'
import { largestFile, type MediaKind } from '../contract/message.ts'
import type { Draft } from '../media/draft.ts'
import { cleanFileName } from '../media/file-name.ts'
import type { Media } from '../media/media.ts'
import { recogniseMedia } from '../media/media-type.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Store, type StoreFunctions, type Transaction, transaction } from '../store/store.ts'
import type { FetchProblem, FetchWork } from './file-fetcher.ts'
import { endFetching, fetchLater, giveFile, waiting } from './file-fetching.ts'
import { type KeptFileOfMessage, keepFile } from './file-intake.ts'
import { tellMessages } from './message-events.ts'
import { storedError } from './settling.ts'

/** A file that came in, and what it was found to be. */
interface ReceivedFile {
  readonly kind: MediaKind
  readonly kept: KeptFileOfMessage
}

/** A file that came in was fetched and kept: its message is told. False where that was done before. */
export const receivedFileArrived = transaction(
  'received-files.arrived',
  async (tx, args: { messageId: string; now: number; file: ReceivedFile }): Promise<boolean> => {
    const { messageId, now } = args
    const { kind, kept } = args.file
    const message = await waiting(tx, messageId)
    if (!message) {
      await endFetching(tx, messageId)
      return false
    }
    await giveFile(tx, { messageId, organizationId: message.organization_id, file: kept })
    await tell(tx, { seq: message.seq, now, change: { kind, error: null } })
    return true
  },
)

/** A file that came in cannot be had: its message is told without it. False where that was done before. */
export const receivedFileFailed = transaction(
  'received-files.failed',
  async (tx, { messageId, now, ...problem }: { messageId: string; now: number } & FetchProblem) => {
    const message = await waiting(tx, messageId)
    await endFetching(tx, messageId)
    if (!message) return false
    await tell(tx, { seq: message.seq, now, change: { error: storedError({ ...problem, permanent: true }) } })
    return true
  },
)

interface Told {
  readonly seq: number
  readonly now: number
  readonly change: { readonly kind?: MediaKind; readonly error: string | null }
}

async function tell(tx: Transaction, { seq, now, change }: Told): Promise<void> {
  const changed = tx.sql
    .updateTable('messages')
    .set({ ...change, awaits_file: 0 })
    .where('seq', '=', seq)
    .returningAll()
  await tellMessages(tx, await tx.all(changed), now)
}

export interface ReceivedFilesContext {
  readonly store: Store
  readonly media: Media
  readonly clock: Clock
}

/** For how long a file is tried to be had after its message came, in milliseconds. */
const patience = 60 * 60_000

/** The files of messages that came in: what they are is found once they are there. */
export function receivedFiles({ store, media, clock }: ReceivedFilesContext): FetchWork<ReceivedFile> {
  const failed: FetchWork<ReceivedFile>['failed'] = ({ message_id: messageId }, { code }) => {
    const detail = sentencesOf({ ...mediaErrors[code], next: 'Ask whoever sent it to send it again.' })
    return store.transact(receivedFileFailed, { messageId, now: clock.now(), code, detail })
  }
  return {
    direction: 'inbound',
    largest: () => Math.max(...Object.values(largestFile)),
    async take({ organization_id: organizationId, ...file }, draft, said) {
      const declared = file.declared_type ?? said.declared
      const { kind, mimeType } = await recogniseMedia({ declared, head: draft.head })
      const filename = cleanFileName(file.filename ?? said.filename, mimeType)
      const kept = await keepFile(media, draft, organizationId, { filename, mime_type: mimeType })
      return { ok: true, file: { kind: fitting(kind, draft), kept } }
    },
    arrived: ({ message_id: messageId }, file) =>
      store.transact(receivedFileArrived, { messageId, now: clock.now(), file }),
    failed,
    async later(file, problem, at) {
      if (at > file.created_at + patience) return failed(file, problem)
      await store.transact(fetchLater, { messageId: file.message_id, at, ...problem })
      return true
    },
  }
}

/** What is larger than an image or audio may be comes as a document. */
function fitting(kind: MediaKind, { size }: Draft): MediaKind {
  return size > largestFile[kind] ? 'document' : kind
}

export const receivedFileFunctions: StoreFunctions = {
  reads: [],
  transactions: [receivedFileArrived, receivedFileFailed],
}
