import { pictureTypes } from '../../contract/statuses.ts'
import { imageType } from '../../media/content/media-type.ts'
import type { HttpClients } from '../../net/http/client.ts'
import { maxPictureBytes, type PictureAnswer } from '../../networks/driver/abilities/pictures.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import type { NetworkError } from '../../networks/driver/outcome.ts'
import { abortOf } from '../../runtime/abort.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Rate } from '../../runtime/config/setting-values.ts'
import { FairSemaphore, QueueFull } from '../../runtime/limits/fair-semaphore.ts'
import { TokenBucket } from '../../runtime/limits/token-bucket.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import { type CrossingPicture, FoundPicture, PictureCache, type PictureOwner } from './picture-cache.ts'

/** Milliseconds in which a picture is found, with its turn, or not. */
const longest = 30_000
/** People whom one instance may ask the network about: networks ban accounts that ask about many. */
const pace: Rate = { count: 60, seconds: 60 }
/** Questions that may be owed, whose callers wait that long. */
const maxOwed = 5
/** Instances whose pace is remembered; the one that was asked through longest ago is forgotten first. */
const maxPaced = 10_000
/** Questions under way at once, and those of an organization that wait. */
const atOnce = { limit: 32, limitPerParty: 4, queuePerParty: 200 }

export type PictureResult =
  | FoundPicture
  | CrossingPicture
  | { readonly kind: 'none' }
  | { readonly kind: 'rejected'; readonly error: NetworkError }
  | { readonly kind: 'unanswered'; readonly detail: string }
  /** So many were asked for that the next must wait. */
  | { readonly kind: 'paced'; readonly seconds: number }

/** The side of a runner that is asked. */
interface AskedRunner extends PictureOwner {
  readonly connection: Pick<DriverConnection, 'findPicture'> | undefined
}

interface Flight {
  readonly result: Promise<PictureResult>
  /** The person was forgotten meanwhile: the result is not kept. */
  isForgotten: boolean
}

interface Context {
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in'>
  readonly http: Pick<HttpClients, 'of'>
}

/** Finds the pictures of people: once for all who ask at a time, no faster than networks bear, and not again for a day. */
export class PictureFinder {
  readonly #context: Context
  readonly #cache: PictureCache
  readonly #turns = new FairSemaphore(atOnce)
  readonly #paces = new Map<string, TokenBucket>()
  readonly #underway = new Map<string, Flight>()

  constructor(context: Context) {
    this.#context = context
    this.#cache = new PictureCache(context.clock)
  }

  /** Returns the picture at a normalized address. */
  async ask(runner: AskedRunner, address: string): Promise<PictureResult> {
    const known = this.#cache.get(runner, address)
    if (known !== undefined) return known ?? none
    const key = `${runner.id} ${address}`
    return (this.#underway.get(key) ?? this.#begin(key, runner, address)).result
  }

  /** Forgets the pictures that an instance has found: a person is to be forgotten, or the instance leaves this node. */
  forget(owner: PictureOwner): void {
    this.#cache.forget(owner)
    for (const [key, flight] of this.#underway) {
      if (!key.startsWith(`${owner.id} `)) continue
      flight.isForgotten = true
      this.#underway.delete(key)
    }
  }

  #begin(key: string, runner: AskedRunner, address: string): Flight {
    const result = this.#find(runner, address)
      .then((found) => {
        if (!flight.isForgotten && (found.kind === 'none' || found instanceof FoundPicture))
          this.#cache.put(runner, address, found.kind === 'none' ? null : found)
        return found
      })
      .finally(() => {
        if (this.#underway.get(key) === flight) this.#underway.delete(key)
      })
    const flight: Flight = { result, isForgotten: false }
    this.#underway.set(key, flight)
    return flight
  }

  async #find(runner: AskedRunner, address: string): Promise<PictureResult> {
    const end = new AbortController()
    const { signal } = end
    const alarm = this.#context.alarms.in(longest, () => end.abort())
    const tooLate = abortOf(signal).then(() => late)
    try {
      const { seconds, ms } = this.#take(runner.id)
      if (seconds > 0) return { kind: 'paced', seconds }
      if (ms > 0) await new Promise<void>((resolve) => this.#context.alarms.in(ms, resolve))
      const find = () => Promise.race([this.#askNetwork(runner, address, signal), tooLate])
      return await this.#turns.run(runner.organization, find, signal)
    } catch (error) {
      if (!(error instanceof QueueFull || signal.aborted)) throw error
      return { kind: 'paced', seconds: maxOwed }
    } finally {
      alarm.cancel()
    }
  }

  async #askNetwork(
    { connection, organization }: AskedRunner,
    address: string,
    signal: AbortSignal,
  ): Promise<PictureResult> {
    if (!connection?.findPicture) return notOpen
    const answer = await connection.findPicture(address, signal)
    if (answer.kind === 'found') return judged(answer.bytes)
    return answer.kind === 'at-url' ? await this.#fetch(answer, organization, signal) : answer
  }

  async #fetch(
    { url }: Extract<PictureAnswer, { kind: 'at-url' }>,
    organization: string,
    signal: AbortSignal,
  ): Promise<PictureResult> {
    const http = this.#context.http.of(organization)
    const asked = { method: 'GET', url, maxBytes: maxPictureBytes, isRepeatable: true, signal } as const
    const answer = await http.request(asked)
    if (answer.kind === 'failed') return answer.reason === 'too_large' ? none : notFetched
    if (answer.status === 200) return judged(answer.body)
    return [403, 404, 410].includes(answer.status) ? none : notFetched
  }

  /** Takes a place; returns the milliseconds to wait for it, or the seconds after which there may be one. */
  #take(id: string): { readonly seconds: number; readonly ms: number } {
    const now = this.#context.clock.monotonic()
    const bucket = this.#paces.get(id) ?? new TokenBucket(pace, now)
    this.#paces.delete(id)
    this.#paces.set(id, bucket)
    if (this.#paces.size > maxPaced) this.#paces.delete(this.#paces.keys().next().value ?? '')
    if (bucket.available(now) - 1 < -maxOwed) return { seconds: Math.ceil(bucket.wait(now) / 1000), ms: 0 }
    bucket.take(1)
    return { seconds: 0, ms: bucket.wait(now) }
  }
}

const none = { kind: 'none' } as const
const notOpen = { kind: 'unanswered', detail: 'The connection is not open.' } as const
const late = { kind: 'unanswered', detail: 'The network did not respond in time.' } as const
const notFetched = { kind: 'unanswered', detail: 'The picture could not be fetched.' } as const

/** The picture of these bytes, or none if they are no picture that callers are shown. */
function judged(bytes: Uint8Array): PictureResult {
  const found = imageType(bytes)
  const mimeType = pictureTypes.find((type) => type === found)
  return mimeType && bytes.length <= maxPictureBytes ? new FoundPicture(bytes, mimeType) : none
}
