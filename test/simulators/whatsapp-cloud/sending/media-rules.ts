import { GraphError } from '../graph-error.ts'

const mb = 1024 * 1024
const office = 'application/vnd.openxmlformats-officedocument'

/** Types that the network takes, by the kinds of messages that they may be in. Source: Supported media types. */
const kinds: Readonly<Record<string, { readonly limit: number; readonly types: readonly string[] }>> = {
  audio: { limit: 16 * mb, types: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'] },
  image: { limit: 5 * mb, types: ['image/jpeg', 'image/png'] },
  video: { limit: 16 * mb, types: ['video/mp4', 'video/3gpp'] },
  sticker: { limit: 500 * 1024, types: ['image/webp'] },
  document: {
    limit: 100 * mb,
    types: [
      'text/plain',
      'application/pdf',
      'application/msword',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
      `${office}.wordprocessingml.document`,
      `${office}.spreadsheetml.sheet`,
      `${office}.presentationml.presentation`,
    ],
  },
}

export const largestUpload = 100 * mb

export function bareType(mimeType: string): string {
  return (mimeType.split(';')[0] ?? '').trim().toLowerCase()
}

/** Checks an upload. Throws a GraphError. */
export function checkUpload(mimeType: string, size: number): void {
  const type = bareType(mimeType)
  const kind = Object.values(kinds).find(({ types }) => types.includes(type))
  if (!kind) {
    const all = Object.values(kinds).flatMap(({ types }) => types)
    throw new GraphError(100, `Param file must be a file with one of the following types: ${all.join(', ')}.`)
  }
  if (size === 0) throw new GraphError(100, 'Param file must not be empty.')
  if (size > kind.limit)
    throw new GraphError(131053, `The file has ${size} bytes, and ${type} may have ${kind.limit}.`)
}

/**
 * Returns the reason why a message of this kind cannot have such a file; undefined if it can. The network finds out after it
 * took the message.
 */
export function mediaFault(
  kind: string,
  mimeType: string,
  bytes: Buffer,
  isVoice: boolean,
): string | undefined {
  const type = bareType(mimeType)
  const rules = kinds[kind]
  const isAnyDocument = kind === 'document' && Object.values(kinds).some(({ types }) => types.includes(type))
  if (!rules?.types.includes(type) && !isAnyDocument)
    return `A file of type ${type} cannot be sent as ${kind}.`
  if (kind === 'sticker' && bytes.length > 100 * 1024 && !isAnimated(bytes))
    return 'A static sticker may have 100 KB.'
  if (rules && bytes.length > rules.limit) return `The file has more than ${rules.limit} bytes.`
  if (type === 'audio/ogg' && !bytes.subarray(0, 512).includes('OpusHead'))
    return 'Of OGG, only the Opus codec is supported.'
  if (isVoice && type !== 'audio/ogg') return 'A voice message must be OGG with Opus.'
  return undefined
}

/** Source: WebP Container Specification, Extended file format: the flag is in the first chunk. */
function isAnimated(webp: Buffer): boolean {
  return webp.subarray(12, 16).toString() === 'VP8X' && ((webp[20] ?? 0) & 2) !== 0
}
