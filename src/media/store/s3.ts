import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { Draft } from '../../contract/handler.ts'
import { ConfigError } from '../../runtime/config/config.ts'
import { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { diskFault } from './disk.ts'
import { type ByteRange, type KeptFile, MediaMissing, type MediaStore } from './media-store.ts'

export interface S3Settings {
  /** The address of the service; if not set, Amazon's for the region. */
  readonly endpoint: string | undefined
  readonly region: string
  readonly bucket: string
  /** The beginning of the keys of all objects. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Milliseconds that a connection may take to open, and may be silent. */
const timing = { connectionTimeout: 5_000, socketTimeout: 30_000 }

const attempts = 3

/** Number of keys that are asked for at a time. */
const page = 250

const removedAtOnce = 8

/** The library would write to the console. */
const silence = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

/**
 * Keeps files in an object storage that speaks S3, each as one object. `owner` names the installation that the files belong
 * to: what it does not know there it removes, so that a place of another one is refused. Rejects with a sentence for the
 * operator when the bucket cannot be used.
 */
export function openS3Media(settings: S3Settings, owner: string): Promise<MediaStore> {
  return open(settings, (client) => claimPlace(client, settings, owner))
}

/**
 * Does the same for a caller who only looks: a place without an owner stays so. `owner` is null for an installation that
 * does not have a name yet.
 */
export function visitS3Media(settings: S3Settings, owner: string | null): Promise<MediaStore> {
  return open(settings, async (client) => {
    const found = await ownerOf(client, settings)
    if (found !== undefined && found !== owner) throw placeTaken()
  })
}

async function open(settings: S3Settings, enter: (client: S3Client) => Promise<void>): Promise<MediaStore> {
  const { endpoint, region, accessKeyId, secretAccessKey } = settings
  const client = new S3Client({
    region,
    credentials: { accessKeyId, secretAccessKey },
    // Only Amazon gives every bucket a name in the DNS.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    // Other services do not know the checksums that the library adds by itself.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: attempts,
    requestHandler: timing,
    logger: silence,
  })
  try {
    await enter(client)
  } catch (error) {
    client.destroy()
    throw error
  }
  return new S3Media(client, settings)
}

/** Makes sure that the bucket and prefix belong to this installation, and thereby that the bucket can be read and written. */
async function claimPlace(client: S3Client, settings: S3Settings, owner: string): Promise<void> {
  const found = await ownerOf(client, settings)
  if (found === owner) return
  if (found !== undefined) throw placeTaken()
  await client.send(new PutObjectCommand({ ...ownerObject(settings), Body: owner })).catch((error) => {
    throw refusal(error)
  })
}

/** The installation that uses the bucket and prefix; undefined if none does yet. */
async function ownerOf(client: S3Client, settings: S3Settings): Promise<string | undefined> {
  try {
    const { Body } = await client.send(new GetObjectCommand(ownerObject(settings)))
    return await Body?.transformToString()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw refusal(error)
  }
}

function ownerObject({ bucket, prefix }: S3Settings): { Bucket: string; Key: string } {
  return { Bucket: bucket, Key: `${prefix}owner` }
}

function placeTaken(): ConfigError {
  return new ConfigError(
    'POSTHORN_S3_PREFIX names a place in the bucket where another Posthorn keeps its files; choose another prefix',
  )
}

/** The error for the operator if the bucket cannot be used. */
function refusal(error: unknown): Error {
  const status = (error as S3ServiceException).$metadata?.httpStatusCode
  if ((error as Error).name === 'NoSuchBucket')
    return new ConfigError('POSTHORN_S3_BUCKET names a bucket that is not there; create it')
  if (status === 401 || status === 403)
    return new ConfigError(
      `the object storage refuses these credentials (${(error as Error).name}); they must be allowed to list, read, write and delete objects in POSTHORN_S3_BUCKET`,
    )
  return faultOf(error)
}

function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && (error.name === 'NoSuchKey' || error.name === 'NotFound')
}

const storageFull = 507

/** The library's own error is not passed on, because it contains the request with its signature. */
function faultOf(error: unknown): StoreUnavailable {
  const { name, message, code, $metadata } = error as S3ServiceException & { code?: string }
  const status = $metadata?.httpStatusCode
  return new StoreUnavailable(`the object storage: ${code ?? name}, ${message}`, {
    full: status === storageFull,
  })
}

class S3Media implements MediaStore {
  readonly #client: S3Client
  readonly #bucket: string
  readonly #files: string

  constructor(client: S3Client, { bucket, prefix }: S3Settings) {
    this.#client = client
    this.#bucket = bucket
    this.#files = `${prefix}files/`
  }

  /** Stores a file, and repeats that from the draft after a passing failure: the library cannot repeat what it streams. */
  async put(id: string, draft: Draft): Promise<void> {
    await this.#tryPut(id, draft)
    await draft.discard()
  }

  async #tryPut(id: string, draft: Draft, attempt = 1): Promise<void> {
    try {
      await this.#put(id, draft)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      const status = (error as S3ServiceException).$metadata?.httpStatusCode ?? 500
      if (attempt === attempts || status < 500) throw faultOf(error)
      await wait(200 * attempt * (1 + Math.random()))
      await this.#tryPut(id, draft, attempt + 1)
    }
  }

  /** The digest is signed with the request, and the service compares it with what it received. */
  async #put(id: string, draft: Draft): Promise<void> {
    const { size, sha256 } = draft
    const body = createReadStream(await draft.file())
    const unreadable = new AbortController()
    body.once('error', (error) => unreadable.abort(diskFault(error)))
    const command = new PutObjectCommand({ ...this.#object(id), Body: body, ContentLength: size })
    command.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as { headers: Record<string, string> }
        headers['x-amz-content-sha256'] = sha256
        return next(args)
      },
      { step: 'build', name: 'digestOfDraft' },
    )
    try {
      await this.#client.send(command, { abortSignal: unreadable.signal })
    } catch (error) {
      throw unreadable.signal.aborted ? unreadable.signal.reason : error
    } finally {
      body.destroy()
    }
  }

  async has({ id, size }: KeptFile): Promise<boolean> {
    try {
      const { ContentLength } = await this.#client.send(new HeadObjectCommand(this.#object(id)))
      return ContentLength === size
    } catch (error) {
      if (isMissing(error)) return false
      throw faultOf(error)
    }
  }

  async *read({ id, size }: KeptFile, range?: ByteRange): AsyncIterable<Uint8Array> {
    const wanted = range && size > 0 ? { Range: `bytes=${range.first}-${range.last}` } : {}
    const expected = range ? range.last + 1 - range.first : size
    try {
      const { Body, ContentLength } = await this.#client.send(
        new GetObjectCommand({ ...this.#object(id), ...wanted }),
      )
      const body = Body as Readable
      try {
        if (ContentLength !== expected) throw new MediaMissing(id)
        yield* body
      } finally {
        body.destroy()
      }
    } catch (error) {
      if (error instanceof MediaMissing) throw error
      throw isMissing(error) ? new MediaMissing(id) : faultOf(error)
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    const removing = new FairSemaphore({ limit: removedAtOnce })
    const removed = ids.map((id) =>
      removing.run('', () => this.#client.send(new DeleteObjectCommand(this.#object(id)))),
    )
    for (const outcome of await Promise.allSettled(removed))
      if (outcome.status === 'rejected') throw faultOf(outcome.reason)
  }

  async *ids(): AsyncIterable<string> {
    let more: { ContinuationToken?: string } | undefined = {}
    while (more) {
      const { Contents = [], NextContinuationToken } = await this.#list(more)
      for (const { Key } of Contents) if (Key) yield Key.slice(this.#files.length)
      more = NextContinuationToken === undefined ? undefined : { ContinuationToken: NextContinuationToken }
    }
  }

  async #list(from: { ContinuationToken?: string }) {
    try {
      return await this.#client.send(
        new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#files, MaxKeys: page, ...from }),
      )
    } catch (error) {
      throw faultOf(error)
    }
  }

  async close(): Promise<void> {
    this.#client.destroy()
  }

  #object(id: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#files}${id}` }
  }
}
