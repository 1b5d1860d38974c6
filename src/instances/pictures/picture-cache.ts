import { createHash } from 'node:crypto'
import type { pictureTypes } from '../../contract/statuses.ts'
import type { Clock } from '../../runtime/clock.ts'

/** A picture in memory. As JSON, for another node, its bytes are base64. */
export class FoundPicture {
  readonly kind = 'found'
  readonly bytes: Buffer
  readonly mimeType: (typeof pictureTypes)[number]
  /** In hexadecimal. */
  readonly sha256: string

  constructor(bytes: Uint8Array, mimeType: FoundPicture['mimeType']) {
    this.bytes = Buffer.from(bytes)
    this.mimeType = mimeType
    this.sha256 = createHash('sha256').update(this.bytes).digest('hex')
  }

  toJSON(): CrossingPicture {
    const { kind, mimeType, sha256, bytes } = this
    return { kind, mimeType, sha256, bytes: bytes.toString('base64') }
  }
}

/** A picture on its way from another node. */
export interface CrossingPicture extends Pick<FoundPicture, 'kind' | 'mimeType' | 'sha256'> {
  readonly bytes: string
}

/** The instance whose pictures are kept. */
export interface PictureOwner {
  readonly id: string
  readonly organization: string
}

interface Kept {
  /** Null if the person shows none. */
  readonly picture: FoundPicture | null
  /** On the monotonic clock. */
  readonly until: number
  readonly bytes: number
}

interface Shelf {
  /** The oldest first. */
  readonly kept: Map<string, Kept>
  bytes: number
}

/** Bytes that are kept for one organization, and for all. */
const maxOfOrganization = 8 * 1024 * 1024
const maxOfAll = 32 * 1024 * 1024
/** Bytes of an entry besides those of its picture. */
const overhead = 400
/** Milliseconds for which a picture is kept, and that there is none. */
const keptFor = { picture: 24 * 60 * 60_000, none: 60 * 60_000 }

/**
 * Keeps pictures in memory, which pictures of people should not outlast: they are neither on disk nor in backups. If all together are too
 * large, the organization with the most gives its oldest.
 */
export class PictureCache {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #shelves = new Map<string, Shelf>()
  #bytes = 0

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Null if it is known that the person shows none; undefined if nothing is known. */
  get({ organization, id }: PictureOwner, address: string): FoundPicture | null | undefined {
    const kept = this.#shelves.get(organization)?.kept.get(`${id} ${address}`)
    return kept && kept.until > this.#clock.monotonic() ? kept.picture : undefined
  }

  put({ organization, id }: PictureOwner, address: string, picture: FoundPicture | null): void {
    const key = `${id} ${address}`
    this.#drop(organization, key)
    const shelf = this.#shelves.get(organization) ?? { kept: new Map(), bytes: 0 }
    const bytes = overhead + 2 * key.length + (picture?.bytes.length ?? 0)
    const until = this.#clock.monotonic() + (picture ? keptFor.picture : keptFor.none)
    this.#shelves.set(organization, shelf)
    shelf.kept.set(key, { picture, until, bytes })
    shelf.bytes += bytes
    this.#bytes += bytes
    while (shelf.bytes > maxOfOrganization) this.#dropOldest(organization)
    while (this.#bytes > maxOfAll) this.#dropOldest(this.#largest())
  }

  /** Forgets all pictures that an instance has found. */
  forget({ organization, id }: PictureOwner): void {
    const keys = [...(this.#shelves.get(organization)?.kept.keys() ?? [])]
    for (const key of keys) if (key.startsWith(`${id} `)) this.#drop(organization, key)
  }

  #largest(): string {
    const [first] = [...this.#shelves].sort(([, a], [, b]) => b.bytes - a.bytes)
    return first?.[0] ?? ''
  }

  #dropOldest(organization: string): void {
    const [key] = this.#shelves.get(organization)?.kept.keys() ?? []
    if (key !== undefined) this.#drop(organization, key)
  }

  #drop(organization: string, key: string): void {
    const shelf = this.#shelves.get(organization)
    const kept = shelf?.kept.get(key)
    if (!shelf || !kept) return
    shelf.kept.delete(key)
    shelf.bytes -= kept.bytes
    this.#bytes -= kept.bytes
    if (shelf.kept.size === 0) this.#shelves.delete(organization)
  }
}
