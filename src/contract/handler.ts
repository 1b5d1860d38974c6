import type { Readable } from 'node:stream'
import type { BodyOf, Operation, ParamsOf, QueryOf, ResponseOf, Role } from './operation.ts'
import type { InvalidValue } from './problem.ts'
import type { AuditNote } from './resources/audit.ts'

/** The caller: always an organization, known by its key. */
export interface Caller {
  readonly organizationId: string
  readonly keyId: string
  /** The first characters of the key, by which people recognize keys. */
  readonly keyHint: string
  readonly role: Role
  /** The names of the instances that the key sees and uses; null for all. To the key, no other instance exists. */
  readonly instances: readonly string[] | null
  /** The link page that calls, in the name of the key that made it; absent if it is the key itself. */
  readonly linkPage?: LinkPageCaller
}

/** A link page that calls, and what it may know. */
export interface LinkPageCaller {
  readonly id: string
  readonly instanceId: string
  readonly instanceName: string
  /** In milliseconds since the epoch. */
  readonly expiresAt: number
  /** True if the account is linked: then the page opens nothing more. */
  readonly isLinked: boolean
  readonly title: string | null
  readonly hasPicture: boolean
  readonly language: string | null
}

/** Key by which two requests are the same one: scoped by the store to the organization and the operation. */
export interface Idempotency {
  readonly key: string
  /** Recognises the validated request without keeping it: it may hold credentials. */
  readonly fingerprint: string
}

/** A file that came in completely and belongs to no message yet: it is stored, or discarded. */
export interface Draft {
  /** All bytes of a small one, null for a larger one, whose bytes are on disk. */
  readonly bytes: Uint8Array | null
  /** The path of its bytes as a file, until it is stored or discarded; those of a small one are written there first. */
  file(): Promise<string>
  /** In bytes. */
  readonly size: number
  /** The SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string
  /** The first bytes, from which its type is detected. */
  readonly head: Uint8Array
  /** Removes the bytes, unless they were stored. Call it when the draft is no longer needed, with any outcome. */
  discard(): Promise<void>
  /** True for a file for which its organization has no room: its bytes are gone, and only its digest is known. */
  readonly isTurnedAway?: boolean
}

/** The file part of a multipart body, with what the caller said about it, which is not to be trusted. */
export interface Upload {
  readonly filename: string | undefined
  readonly mimeType: string
  readonly file: Draft
}

/** The caller of an operation: undefined for the operator, and if no key is needed. */
type CallerOf<O extends Operation> = [O['access']] extends ['any']
  ? Caller | undefined
  : [O['access']] extends ['open' | 'metrics' | 'operator']
    ? undefined
    : Caller

/** The party that a call belongs to wherever organizations share something. */
export interface CallTurn {
  /** The id of the organization, or the name that stands for anonymous callers or for the operator. */
  readonly party: string
  /** Aborted when the caller has gone. */
  readonly signal: { readonly aborted: boolean }
}

/** The room for a response among those that the caller's organization has requested and not taken yet. */
export interface ResponseRoom {
  /**
   * Waits until there is room for a page. Throws the problem if there is none for long. The server does it before it calls a handler,
   * unless the response waits: then the handler does it, before each read.
   */
  enter(): Promise<void>
  /** Gives the room back, because there is nothing to respond with yet. */
  leave(): void
}

/** A request that was authenticated and validated against its operation. */
export interface Call<O extends Operation> {
  readonly caller: CallerOf<O>
  /** The audit log entry of the call, for the transaction that carries it out; undefined if it is not audited. */
  readonly audit: () => AuditNote | undefined
  readonly params: ParamsOf<O>
  readonly query: QueryOf<O>
  readonly body: BodyOf<O>
  /** The file, if the body was multipart. */
  readonly upload: Upload | undefined
  readonly idempotency: Idempotency | undefined
  /** Milliseconds that the caller lets the response wait (`Prefer: wait=N`); 0 without. */
  readonly waitMs: number
  /** The trace context of the request, if the operation keeps one; null for none. */
  readonly trace: string | null
  /** The header `Last-Event-ID`, as it came, if the operation uses it. */
  readonly lastEventId: string | undefined
  /** Aborts when the caller goes away or the server stops. */
  readonly signal: AbortSignal
  /** The party in whose turn the store is asked for the call. */
  readonly turn: CallTurn
  readonly room: ResponseRoom
  /** The caller's preferred one of the operation's media types; `application/json` if it has no others. */
  readonly mediaType: string
  /** True when the caller asked for `text/event-stream` and the operation has it. */
  readonly wantsStream: boolean
}

/** One event of an event stream (server-sent events). */
export interface StreamEvent {
  readonly event: string
  readonly data: unknown
  /** The id from which the stream can be resumed after this event; of characters that are allowed in a header. */
  readonly id?: string
}

/** Position of a stream without an event: the id from which the listener resumes. */
export interface StreamPosition {
  readonly id: string
}

/** A response that stays open. The server writes each event as it comes, and a comment in between to keep the connection alive. */
export interface StreamResponse {
  readonly status: 200
  readonly stream: AsyncIterable<StreamEvent | StreamPosition>
  /**
   * True if each event is requested only once the listener has read enough of those before, so that any number of
   * them may follow; false if they come as they happen, and a listener that falls far behind is disconnected.
   */
  readonly paced?: boolean
}

/** A response in another media type than JSON. */
export interface TextResponse {
  readonly status: number
  readonly mediaType: string
  readonly text: string
}

/** A response in another media type than JSON, of bytes that are in memory. */
export interface BytesResponse {
  readonly status: number
  readonly mediaType: string
  readonly bytes: Uint8Array
  /** The same bytes compressed, for callers who accept gzip. */
  readonly gzipped?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** A response that is a file. The server sends all of it, a part or nothing, as the request says. */
export interface DownloadResponse {
  readonly file: ServedFile
  readonly headers?: Readonly<Record<string, string>>
}

/** A file that is there to be read. */
export interface ServedFile {
  /** Cleaned: no path, no control characters. */
  readonly filename: string
  /** Found from the bytes. */
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
  /** Opens the bytes, or those from `first` to `last`, both read; they come as fast as they are taken. */
  open(range?: { readonly first: number; readonly last: number }): Readable
}

export type AnyResponse<O extends Operation> =
  | ResponseOf<O>
  | StreamResponse
  | TextResponse
  | BytesResponse
  | DownloadResponse

/** A request whose body does not fit its operation: who calls, and the fields that do fit. */
export interface UnfitCall<O extends Operation> {
  readonly caller: Caller
  readonly body: Partial<BodyOf<O>>
}

/** Reports further faults of fields that are valid on their own, so that a caller gets all faults at once. */
export type Examine<O extends Operation> = (call: UnfitCall<O>) => Promise<readonly InvalidValue[]>

/** An operation with the function that handles it. */
export interface Handler {
  readonly operation: Operation
  readonly handle: (call: Call<Operation>) => Promise<AnyResponse<Operation>>
  readonly examine: Examine<Operation> | undefined
}

/** Binds the functions that handle an operation to it; the types of both sides come from the operation. */
export function handler<const O extends Operation>(
  operation: O,
  handle: (call: Call<O>) => Promise<AnyResponse<O>>,
  examine?: Examine<O>,
): Handler {
  return {
    operation,
    handle: handle as unknown as Handler['handle'],
    examine: examine as unknown as Handler['examine'],
  }
}
