import type { MediaKind } from '../../contract/resources/message.ts'
import type { GuardedFetch } from '../../net/fetch/fetch.ts'
import { type FileToFetch, fetchLater, fileArrived, fileFailed } from './fetch-store.ts'
import { type FetchWork, type FileParts, requestOf } from './fetcher.ts'
import { type KeptFileOfMessage, takeFile } from './file-intake.ts'

/** The files of messages to send: a file is fetched for as long as its message waits for it. */
export function filesToSend(
  { store, media, networks, clock }: Pick<FileParts, 'store' | 'media' | 'networks' | 'clock'>,
  fetch: GuardedFetch,
): FetchWork<KeptFileOfMessage> {
  const largest = ({ network, kind }: FileToFetch) =>
    networks.get(network ?? '')?.limits.media_bytes[kind as MediaKind] ?? 0
  return {
    direction: 'outbound',
    largest,
    fetch: async (file, request) => fetch(requestOf(file, request)),
    take: (file, draft, { declared, filename }) =>
      takeFile(media, draft, {
        organizationId: file.organization_id,
        kind: file.kind as MediaKind,
        voice: file.voice === 1,
        declared,
        filename: file.filename ?? filename,
        largest: largest(file),
      }),
    arrived: ({ message_id: messageId, organization_id: party }, file) =>
      store.transact(fileArrived, { messageId, file }, { party }),
    failed: ({ message_id: messageId, organization_id: party }, problem) =>
      store.transact(fileFailed, { messageId, now: clock.now(), ...problem }, { party }),
    async later({ message_id: messageId, organization_id: party }, problem, at) {
      await store.transact(fetchLater, { messageId, at, ...problem }, { party })
      return true
    },
  }
}
