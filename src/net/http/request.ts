import type { Readable } from 'node:stream'
import type { FailureReason } from '../failure.ts'
import type { OutboundGuard } from '../guard/guard.ts'
import type { ProxySettings } from '../tunnel/proxy.ts'

/** Time limits of one request, in milliseconds; `Infinity` for none. */
export interface HttpLimits {
  /** For a new connection with its encryption. Looking up the name takes at most three seconds more. */
  readonly connect: number
  /** From the end of the request until the headers of the response are there. A long poll needs more than its own wait. */
  readonly headers: number
  /** For the next bytes, whether the server is to take or to send them. */
  readonly idle: number
  /** For everything; by default, `open` has the time for a large file, because the body that it returns counts. */
  readonly total: number
}

export const usualHttpLimits: HttpLimits = { connect: 5_000, headers: 20_000, idle: 10_000, total: 60_000 }

/** A file in the body of a request. */
export interface FileBody {
  readonly type: string
  /** In bytes. The request fails if the stream has fewer or more. */
  readonly size: number
  /** Opens the bytes for one request. The client destroys the stream, and frees the memory of what it has sent. */
  open(): Readable
}

/** A file in a form. */
export interface FormFile extends FileBody {
  /** The name of its field. */
  readonly name: string
  readonly filename: string
}

/** A form as browsers send it (multipart/form-data), except that line breaks in values stay as they are. The file comes last. */
export interface Form {
  readonly fields: Readonly<Record<string, string>>
  readonly file?: FormFile
}

export type HttpBody =
  | { readonly json: unknown }
  | { readonly form: Form }
  | { readonly bytes: Uint8Array; readonly type: string }
  | { readonly file: FileBody }

interface Asking {
  /** An http or https URL. Its path and its query may be secret. */
  readonly url: string
  /** May be secret. The client adds the type and the length of the body. */
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Those that are missing are taken from `usualHttpLimits`. */
  readonly limits?: Partial<HttpLimits>
  /** Bytes that the body of the response may have. */
  readonly maxBytes: number
  /** The headers of the response that the caller needs, in lower case. Others are not shown, because they may repeat a secret. */
  readonly wantedHeaders?: readonly string[]
  /** Certificate authorities to trust instead of those that the client trusts, in PEM. */
  readonly ca?: string
  /** A proxy through which to go: it resolves the name of the server, and the guard decides about its own address alone. */
  readonly proxy?: ProxySettings
  /** Decides about addresses in place of the client's guard, which also wants https and port 443. The connection is used once. */
  readonly guard?: Pick<OutboundGuard, 'allows'>
  /** Ends the request at any moment and closes its connection at once. */
  readonly signal: AbortSignal
}

export interface HttpRequest extends Asking {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: HttpBody
  /**
   * True if the status says it all: of the body, only the first `maxBytes` are read, as many of them as come within two seconds, and
   * nothing is wrong with it.
   */
  readonly onlyBeginning?: boolean
  /** Connections are shared only by requests with the same value. */
  readonly keptFor?: string
  /** True if it is sent again, once, if the server closed the kept connection on which it was sent first. It has no file. */
  readonly isRepeatable?: boolean
}

export type HttpDownload = Asking

interface ResponseHead {
  readonly kind: 'responded'
  /** Any status. A redirect is not followed. */
  readonly status: number
  /** Those of the wanted headers that came. */
  readonly headers: Readonly<Record<string, string>>
}

export interface HttpResponse extends ResponseHead {
  /** All of it. */
  readonly body: Buffer
}

export interface HttpOpened extends ResponseHead {
  /** In bytes, if the server says it. */
  readonly size: number | undefined
  /**
   * The bytes as they come; it must be read or destroyed. It fails with a NetFailure if the server sends too much, too slowly
   * or not everything, or with the reason of the caller's signal.
   */
  readonly body: Readable
}

/**
 * Why there is no response. Besides the reasons of every fetch: the caller's signal ended the request (`aborted`), or the file of
 * the request could not be read or does not have its size (`file`).
 */
export type HttpFailureReason = Exclude<FailureReason, 'status'> | 'aborted' | 'file'

export interface HttpFailure {
  readonly kind: 'failed'
  /**
   * `before-sending` only if certainly no byte of the request was written to the server: it may be repeated without harm.
   * After that, it is unknown if the server acted on it.
   */
  readonly phase: 'before-sending' | 'after-sending'
  readonly reason: HttpFailureReason
  /**
   * A NetFailure; the reason of the caller's signal, if that ended the request; or what the stream of the file failed with. Like the
   * whole result, a NetFailure contains nothing of the URL or of any header.
   */
  readonly error: unknown
  /** The status, if the response began but did not end. */
  readonly status?: number
}
