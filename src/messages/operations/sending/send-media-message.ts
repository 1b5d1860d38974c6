import { encodedFileFaults, isEncodedFile } from '../../../contract/encoded-file.ts'
import { type Call, handler, type Upload } from '../../../contract/handler.ts'
import {
  sendMediaMessage as operation,
  uploadMediaMessage as uploading,
} from '../../../contract/operations/message-operations.ts'
import { type InvalidValue, invalid, Problem } from '../../../contract/problem.ts'
import type { MediaKind } from '../../../contract/resources/message.ts'
import type { SendMedia, UploadFields } from '../../../contract/resources/sending.ts'
import { isTooLongName, longestFilename } from '../../../media/content/file-name.ts'
import { mediaRefusal } from '../../../media/content/media-refusal.ts'
import { NetFailure, placeRefused } from '../../../net/failure.ts'
import { readDestination } from '../../../net/guard/destination.ts'
import { mayLeadThere, type OutboundGuard } from '../../../net/guard/guard.ts'
import type { Driver } from '../../../networks/driver/driver.ts'
import { QueueFull } from '../../../runtime/limits/fair-semaphore.ts'
import { sizeInWords } from '../../../runtime/text/size.ts'
import { takeFile } from '../../files/file-intake.ts'
import type { NewMessageFile } from '../../message-file.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import {
  findSendingFaults,
  type SendingContent,
  type SendingOperation,
  sendMessage,
  textFaults,
} from '../../sending/send-message.ts'

type MediaCall = Call<typeof operation>

export const sendMediaMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => sendMedia(context, operation, call),
    (call) => findSendingFaults(context, call, mediaFaultsWith(context)),
  )

export const uploadMediaMessage = (context: MessageOperationsContext) =>
  handler(
    uploading,
    (call) => sendMedia(context, uploading, call),
    (call) => findSendingFaults(context, call, mediaFaultsWith(context)),
  )

function sendMedia(
  context: MessageOperationsContext,
  asked: typeof operation | typeof uploading,
  call: MediaCall,
) {
  return sendMessage(context, asked, call, mediaSending(context, call))
}

/** A file to send, by its URL or as an upload. */
type GivenFile = Pick<MediaCall, 'body' | 'upload' | 'caller'>

export function mediaSending(
  context: MessageOperationsContext,
  given: GivenFile,
): SendingOperation<MediaCall['body']> {
  return {
    faults: (body, driver) => [...mediaFaultsWith(context)(body, driver), ...uploadFaults(given, driver)],
    prepare: ({ driver }, now) => prepare(context, given, { driver, now }),
  }
}

export const mediaFaultsWith =
  ({ fetchGuard }: MessageOperationsContext) =>
  (body: Partial<UploadFields & SendMedia>, driver: Driver) =>
    faults(body, driver, fetchGuard)

/** Finds the faults that the network would reject a file for, as far as the caller describes it. */
function faults(
  { kind, caption = '', voice, url, filename }: Partial<UploadFields & SendMedia>,
  driver: Driver,
  guard: OutboundGuard,
): InvalidValue[] {
  const { limits } = driver
  const found = textFaults('caption', caption, driver)
  if (kind && limits.media_bytes[kind] === undefined)
    found.push({
      pointer: '/kind',
      code: 'not_supported',
      detail: `The network does not support ${plural[kind]}.`,
    })
  if (voice && kind && kind !== 'audio')
    found.push({ pointer: '/voice', code: 'not_allowed', detail: 'Only audio can be a voice note.' })
  if (kind === 'sticker' && caption !== '')
    found.push({ pointer: '/caption', code: 'not_allowed', detail: 'A sticker has no caption. Send a text.' })
  if (url !== undefined) found.push(...urlFaults(url, guard))
  if (filename !== undefined) found.push(...nameFaults('/filename', filename))
  return found
}

function nameFaults(pointer: string, name: string): InvalidValue[] {
  if (!isTooLongName(name)) return []
  const detail =
    `The name of the file may have at most ${longestFilename} bytes of UTF-8, because networks and file systems cut longer ones. ` +
    'Give a shorter one in `filename`.'
  return [{ pointer, code: 'too_long', detail }]
}

/** The fault of a URL from which nothing is fetched, wherever its name leads. */
function urlFaults(url: string, guard: OutboundGuard): InvalidValue[] {
  if (isEncodedFile(url)) return [encodedFileFaults.url]
  try {
    if (!mayLeadThere(guard, readDestination(url))) throw placeRefused()
    return []
  } catch (error) {
    if (!(error instanceof NetFailure)) throw error
    return [
      { pointer: '/url', code: 'not_allowed', detail: mediaRefusal('media_refused', error.message).detail },
    ]
  }
}

const plural: Readonly<Record<MediaKind, string>> = {
  document: 'documents',
  audio: 'audio',
  image: 'images',
  video: 'videos',
  sticker: 'stickers',
}

function uploadFaults({ body, upload }: GivenFile, { limits }: Driver): InvalidValue[] {
  if (!upload) return []
  const largest = limits.media_bytes[body.kind] ?? Number.POSITIVE_INFINITY
  if (upload.file.size > largest) {
    const detail = `The network takes at most ${sizeInWords(largest)}.`
    return [{ pointer: '/file', code: 'too_large', detail }]
  }
  if (isEncoded(body.kind, upload)) return [encodedFileFaults.part]
  return body.filename === undefined ? nameFaults('/file', upload.filename ?? '') : []
}

/** Only a document may be text, and who gives a document a name means it to be what it is. */
function isEncoded(kind: MediaKind, { filename, file }: Upload): boolean {
  if (kind === 'document' && filename) return false
  return isEncodedFile(Buffer.from(file.head).toString('latin1'))
}

async function prepare(
  context: MessageOperationsContext,
  asked: GivenFile,
  { driver, now }: { readonly driver: Driver; readonly now: number },
): Promise<SendingContent> {
  const { body, upload, caller } = asked
  const { kind, caption = null, filename = null, voice = false } = body
  const unknown = { media: null, mime_type: null, size: null, sha256: null, url: null, reference: null }
  const given = {
    ...unknown,
    fetch_at: null,
    organization_id: caller.organizationId,
    direction: 'outbound' as const,
    filename,
    declared_type: null,
    voice: voice ? 1 : 0,
  }
  // A caller that is refused at once can do something else; one that waits for a fetch learns of it much later.
  if (!upload) (await context.intake.reserve(caller.organizationId, 1)).release()
  const file: NewMessageFile = upload
    ? { ...given, ...(await keep(context, asked, upload, driver.limits.media_bytes[kind] ?? 0)) }
    : { ...given, url: (body as SendMedia).url, fetch_at: now }
  return { kind, text: caption, file }
}

async function keep(
  { media }: MessageOperationsContext,
  { body, caller }: GivenFile,
  upload: Upload,
  largest: number,
) {
  if (upload.file.isTurnedAway) throw new Problem('files_quota_exceeded')
  const wanted = {
    organizationId: caller.organizationId,
    kind: body.kind,
    voice: body.voice ?? false,
    declared: upload.mimeType,
    filename: body.filename ?? upload.filename,
    largest,
  }
  const taken = await takeFile(media, upload.file, wanted).catch((error: unknown) => {
    if (!(error instanceof QueueFull)) throw error
    throw new Problem('voice_queue_full', { headers: { 'retry-after': '30' } })
  })
  if (!taken.ok) throw invalid({ pointer: '/file', code: taken.code, detail: taken.detail })
  return taken.file
}
