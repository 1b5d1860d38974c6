import { operations } from './contract/operations.ts'
import type { Message, SendMedia } from './contract/types.ts'
import type { SendOptions } from './options.ts'
import type { Transport } from './transport.ts'

/** The content of a file: in memory, as a stream, or by its path (in Node.js, Deno and Bun). */
export type FileContent =
  | Blob
  | Uint8Array<ArrayBuffer>
  | ArrayBuffer
  | ReadableStream<Uint8Array>
  | { readonly path: string }

/** A file that is uploaded. Everything else is as for one that the server fetches by its `url`. */
export type UploadedMedia = Omit<SendMedia, 'url'> & {
  /**
   * The content. A file by its path is read while it is sent, and again for each attempt; a stream is read into memory first, because
   * it can be read only once. Without `filename`, the name of the path or of a `File` is used.
   */
  readonly file: FileContent
}

/** Sends a file: one that the server fetches by its `url`, or one that is uploaded as `file`. */
export async function sendMedia(
  transport: Transport,
  media: SendMedia | UploadedMedia,
  options?: SendOptions,
): Promise<Message> {
  const body = 'file' in media ? await formOf(media) : media
  const operation = operations.messages.sendMedia
  return (await transport.send({ operation, path: operation[1], body, options })) as Message
}

/** A form whose file has a known length, so that the server can refuse what is too large before it arrives. */
async function formOf({ file, metadata, mentions, ...fields }: UploadedMedia): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, String(value))
  }
  for (const [name, value] of Object.entries({ metadata, mentions })) {
    if (value !== undefined) form.append(name, JSON.stringify(value))
  }
  const blob = await blobOf(file)
  form.append('file', blob, fields.filename ?? nameOf(file))
  return form
}

async function blobOf(file: FileContent): Promise<Blob> {
  if (file instanceof Blob) return file
  if (file instanceof ReadableStream) return new Response(file).blob()
  if (!('path' in file)) return new Blob([file])
  // Named by a variable, so that bundlers for browsers do not look for it.
  const module = 'node:fs'
  const { openAsBlob } = (await import(module)) as { openAsBlob(path: string): Promise<Blob> }
  return openAsBlob(file.path)
}

function nameOf(file: FileContent): string {
  if ('path' in file) return file.path.split(/[\\/]/).pop() || 'file'
  return 'name' in file && typeof file.name === 'string' ? file.name : 'file'
}
