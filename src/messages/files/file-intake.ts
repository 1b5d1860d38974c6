import type { Draft } from '../../contract/handler.ts'
import type { MediaKind } from '../../contract/resources/message.ts'
import { cleanFileName, convertedFileName } from '../../media/content/file-name.ts'
import type { MediaRefusal } from '../../media/content/media-refusal.ts'
import { judgeMediaType, oggOpus } from '../../media/content/media-type.ts'
import type { Media } from '../../media/media.ts'
import type { MediaToTake } from '../../media/media-record.ts'

/** The file of a message, which is to take it, and what is known about it. */
export interface KeptFileOfMessage extends FileKnown {
  readonly media: MediaToTake
}

/** The facts about the file of a message once its bytes are there. */
export interface FileKnown {
  readonly filename: string
  readonly mime_type: string
  readonly size: number
  readonly sha256: string
}

/** The file to make, and what its sender or server says about it. */
export interface FileWanted {
  readonly organizationId: string
  readonly kind: MediaKind
  readonly voice: boolean
  /** The media type that came with it; it is not trusted. */
  readonly declared: string | undefined
  /** The name that the caller or the server gave it; cleaned here. */
  readonly filename: string | undefined
  /** Bytes that the network takes at most. */
  readonly largest: number
}

export type FileTaken = { readonly ok: true; readonly file: KeptFileOfMessage } | MediaRefusal

/**
 * Makes a draft the file of a message: detects its type from its bytes, converts it if a voice note is wanted, and stores it.
 * The caller still has to discard the draft. Rejects with `StoreUnavailable` if it cannot be stored now, and with `QueueFull`
 * if too many voice notes wait.
 */
export async function takeFile(media: Media, draft: Draft, wanted: FileWanted): Promise<FileTaken> {
  const { organizationId, kind, declared, largest, filename } = wanted
  const type = await judgeMediaType({ kind, declared, head: draft.head })
  if (!type.ok) return type
  const keep = async (kept: Draft, known: FileNamed): Promise<FileTaken> => {
    return { ok: true, file: await keepFile(media, kept, organizationId, known) }
  }
  const asItIs = { mime_type: type.mimeType, filename: cleanFileName(filename, type.mimeType) }
  if (!wanted.voice) return keep(draft, asItIs)
  const note = await media.voiceNotes.of(draft, {
    organizationId,
    mimeType: type.mimeType,
    limit: largest,
  })
  if (!note.ok) return note
  if (note.draft === draft) return keep(draft, asItIs)
  try {
    return await keep(note.draft, { mime_type: oggOpus, filename: convertedFileName(filename, oggOpus) })
  } finally {
    await note.draft.discard()
  }
}

type FileNamed = Pick<FileKnown, 'filename' | 'mime_type'>

/** Stores a draft with its detected type. Rejects with `StoreUnavailable` if it cannot be stored now. */
export async function keepFile(
  media: Media,
  draft: Draft,
  organizationId: string,
  known: FileNamed,
): Promise<KeptFileOfMessage> {
  const { size, sha256 } = draft
  return { media: await media.library.keep(organizationId, draft), size, sha256, ...known }
}
