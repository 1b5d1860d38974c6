import { mediaErrors, sentencesOf } from '../../contract/codes.ts'
import type { Draft } from '../../contract/handler.ts'
import { largestFile, type MediaKind } from '../../contract/resources/message.ts'
import { cleanFileName } from '../../media/content/file-name.ts'
import { recogniseMedia } from '../../media/content/media-type.ts'
import { malformed, NetFailure } from '../../net/failure.ts'
import type { BoundedFetch } from '../../net/fetch/bounded-fetch.ts'
import type { Fetched, GuardedFetch } from '../../net/fetch/fetch.ts'
import type { FileRequest } from '../../networks/driver/abilities/files.ts'
import { type FileToFetch, fetchLater } from './fetch-store.ts'
import { type FetchWork, type FileParts, requestOf } from './fetcher.ts'
import { keepFile } from './file-intake.ts'
import { type KeptReceivedFile, receivedFileArrived, receivedFileFailed } from './received-file-store.ts'

/** The two ways to the bytes of a received file. */
interface ReceivedFetches {
  /** Goes to no private address, even if the operator lists it. */
  readonly fetch: GuardedFetch
  /** Holds what a connection opens to the limits of `fetch`. */
  readonly bounded: BoundedFetch
}

/** Milliseconds after its message, or after the start of the server, in which a file is fetched again and again. */
const givenUpAfter = 60 * 60_000

/** The files of messages that came in: what they are is found once they are there. */
export function receivedFiles(
  { store, media, clock, supervisor }: Pick<FileParts, 'store' | 'media' | 'clock' | 'supervisor'>,
  fetches: ReceivedFetches,
): FetchWork<KeptReceivedFile> {
  // No file could be fetched while the server was down, and connections take a moment to be there.
  const began = clock.now()
  const failed: FetchWork<KeptReceivedFile>['failed'] = (file, { code }) => {
    const { message_id: messageId, organization_id: party } = file
    const detail = sentencesOf({ ...mediaErrors[code], next: 'Ask the sender to send it again.' })
    return store.transact(receivedFileFailed, { messageId, now: clock.now(), code, detail }, { party })
  }
  return {
    direction: 'inbound',
    largest: () => Math.max(...Object.values(largestFile)),
    fetch: (file, request) => fetchReceived({ ...fetches, supervisor }, file, request),
    async take({ organization_id: organizationId, ...file }, draft, said) {
      const declared = file.declared_type ?? said.declared
      const { kind, mimeType } = await recogniseMedia({ declared, head: draft.head })
      const filename = cleanFileName(file.filename ?? said.filename, mimeType)
      const kept = await keepFile(media, draft, organizationId, { filename, mime_type: mimeType })
      return { ok: true, file: { ...kept, kind: fitting(kind, draft) } }
    },
    arrived: ({ message_id: messageId, organization_id: party }, file) =>
      store.transact(receivedFileArrived, { messageId, now: clock.now(), file }, { party }),
    failed,
    async later(file, problem, at) {
      // There is no telling when there will be room, and the message need not wait for it.
      const isHopeless =
        problem.code === 'files_quota_exceeded' || at > Math.max(file.created_at, began) + givenUpAfter
      if (isHopeless) return failed(file, problem)
      const { message_id: messageId, organization_id: party } = file
      await store.transact(fetchLater, { messageId, at, ...problem }, { party })
      return true
    },
  }
}

type FileSources = ReceivedFetches & Pick<FileParts, 'supervisor'>

async function fetchReceived(
  sources: FileSources,
  file: FileToFetch,
  request: FileRequest,
): Promise<Fetched> {
  const { reference, instance_id, network } = file
  if (reference === null) return await fetchFromUrl(sources, file, request)
  if (network === null) throw new NetFailure('unreachable', true, 'the instance is gone')
  return await sources.bounded(request, async (within) => {
    const connection = sources.supervisor.runnerOf(instance_id)?.connection
    if (!connection) throw new NetFailure('unreachable', false, 'the instance is not connected')
    if (!connection.files?.open) throw malformed('the network has no files to open')
    return connection.files.open(reference, within)
  })
}

/**
 * Fetches a file from its URL, which must be public because unknown senders choose it. The one exception is the place where
 * the account's own server has files, if that server is at a private address to which the operator lets instances connect.
 */
async function fetchFromUrl(
  { fetch, supervisor }: FileSources,
  file: FileToFetch,
  within: FileRequest,
): Promise<Fetched> {
  const request = requestOf(file, within)
  try {
    return await fetch(request)
  } catch (error) {
    const url = URL.parse(request.url)
    if (!(error instanceof NetFailure && error.reason === 'refused') || url === null) throw error
    const connection = supervisor.runnerOf(file.instance_id)?.connection
    if (!connection) throw new NetFailure('refused', false, 'the instance is not connected')
    const address = (await connection.files?.ownAddress?.(url)) ?? null
    if (address === null) throw error
    return await fetch({ ...request, address })
  }
}

/** A file that is too large for an image or audio comes as a document. */
function fitting(kind: MediaKind, { size }: Draft): MediaKind {
  return size > largestFile[kind] ? 'document' : kind
}
