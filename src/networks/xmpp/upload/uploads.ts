import { connectionLost, NetFailure } from '../../../net/failure.ts'
import { guardBeside } from '../../../net/guard/guard.ts'
import { isPublic } from '../../../net/guard/public-address.ts'
import type { HttpClient } from '../../../net/http/client.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { FairSemaphore } from '../../../runtime/limits/fair-semaphore.ts'
import type { Log } from '../../../runtime/log.ts'
import { slowestTransfer } from '../../driver/limits.ts'
import type { OutgoingFile, OutgoingMedia } from '../../driver/message.ts'
import { type Outcome, rejected } from '../../driver/outcome.ts'
import { CheckedFile, UploadFault } from '../../kit/transfer.ts'
import { xmppErrorFrom } from '../errors.ts'
import type { Account } from '../settings.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import type { XmppDialOptions } from '../stream/dial.ts'
import { refusedByStatus, tooLargeForUpload, UploadRefused, uploadRefused } from './upload-refusal.ts'
import { findUploadService, type UploadService } from './upload-service.ts'
import { type FileForSlot, requestSlot, type Slot } from './upload-slot.ts'

/** Files of one connection that are uploaded at a time; the others wait, so that none takes forever. */
const atOnce = 4

/** Milliseconds that the service may take to reveal where it keeps files. */
const originTimeout = 10_000

export interface UploadsOptions extends XmppDialOptions {
  readonly http: HttpClient
  /** The address at which the server is, once there is a connection. */
  readonly peer: () => string | undefined
  readonly account: Account
  readonly clock: Clock
  readonly log: Log
  readonly iqRequests: IqRequests
  /** Milliseconds that an upload may take in addition to the time for its bytes, and for which nothing may move. */
  readonly timeouts: { readonly upload: number }
}

/**
 * The uploads of one connection to the server's upload service (XEP-0363). They run beside the XMPP stream, which goes on
 * meanwhile; only then is a message written that names their URL. So every failure here is certain.
 */
export class Uploads {
  readonly #options: UploadsOptions
  readonly #over = new AbortController()
  readonly #underWay = new Map<string, Promise<Outcome>>()
  /** Cached only once found: a server that has none now may have one later. */
  #service: UploadService | null = null
  /** The origin at which the service keeps files, once it gave a slot. */
  #origin: string | null = null
  #learning: Promise<void> | undefined
  readonly #turns = new FairSemaphore({ limit: atOnce })

  constructor(options: UploadsOptions) {
    this.#options = options
  }

  /** Returns the outcome to come of a message that is under way already; null if it is not. */
  underWay(id: string): Promise<Outcome> | null {
    return this.#underWay.get(id) ?? null
  }

  /** Uploads the file of a message and passes on its URL, to be sent; if that fails, returns the outcome. */
  send({ id, file }: OutgoingMedia, handOn: (url: string) => Promise<Outcome>): Promise<Outcome> {
    const outcome = this.#send(file, handOn).finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, outcome)
    return outcome
  }

  /** As in `FileAccess`. */
  async ownAddress(url: URL): Promise<string | null> {
    const peer = this.#options.peer()
    if (peer === undefined || isPublic(peer)) return null
    return (await this.origin()) === url.origin ? peer : null
  }

  /**
   * The origin of the URLs of the service; null if there is no service, or it does not say. A service says it
   * with each slot, so if none was needed before, one is requested and not used.
   */
  async origin(): Promise<string | null> {
    if (this.#origin === null) {
      this.#learning ??= this.#learnOrigin().finally(() => {
        this.#learning = undefined
      })
      await this.#learning
    }
    return this.#origin
  }

  async #learnOrigin(): Promise<void> {
    const file = { filename: 'origin.txt', size: 1, mime_type: 'text/plain' }
    try {
      await this.#slotFor(file, AbortSignal.any([this.#over.signal, AbortSignal.timeout(originTimeout)]))
    } catch (error) {
      this.#options.log.info({ err: error }, 'the upload service did not say where it stores files')
    }
  }

  /** The connection ends: no file gets any further. Idempotent. */
  abandon(): void {
    this.#over.abort()
  }

  async #send(file: OutgoingFile, handOn: (url: string) => Promise<Outcome>): Promise<Outcome> {
    // Less than the attempt has: there must be time for the message after the file.
    const longest = this.#options.timeouts.upload + Math.ceil(file.size / slowestTransfer)
    const deadline = AbortSignal.timeout(longest)
    const signal = AbortSignal.any([this.#over.signal, deadline])
    let url: string
    try {
      url = await this.#turns.run('uploads', () => this.#upload(file, signal), signal)
      signal.throwIfAborted()
    } catch (caught) {
      if (caught instanceof UploadRefused) return caught.outcome
      if (this.#over.signal.aborted) return notNow('upload_interrupted')
      return deadline.aborted ? notNow('upload_timeout') : this.#outcomeOf(caught)
    }
    return await handOn(url)
  }

  /**
   * Writes a file to a slot by HTTP PUT and returns its URL once the service has accepted it. The host is checked like the XMPP server,
   * its certificate must lead to the same authorities, and of the response only the status is read.
   */
  async #upload(file: OutgoingFile, signal: AbortSignal): Promise<string> {
    const { ca, guard, http, peer, timeouts } = this.#options
    const { put, headers, get } = await this.#slotFor(file, signal)
    const checked = new CheckedFile(file)
    const { upload: idle } = timeouts
    const result = await http.request({
      method: 'PUT',
      url: put.href,
      headers,
      body: { file: { type: file.mime_type, size: file.size, open: () => checked.open() } },
      // The signal ends the whole.
      limits: { connect: idle, headers: idle, idle, total: Number.POSITIVE_INFINITY },
      maxBytes: 0,
      onlyBeginning: true,
      guard: guardBeside(guard, peer()),
      ...(ca !== undefined && { ca: [ca].flat().join('\n') }),
      signal,
    })
    if (result.kind === 'failed') throw result.error
    if (result.status < 200 || result.status >= 300) throw refusedByStatus(result.status)
    // The service cannot have the file yet.
    if (!checked.wasRead) throw connectionLost('ECONNRESET')
    return get.href
  }

  async #slotFor(file: FileForSlot, signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted()
    const { account, iqRequests, clock } = this.#options
    this.#service ??= await findUploadService(account.domain, iqRequests, signal)
    const service = this.#service
    if (!service) throw uploadRefused('upload_unavailable', { permanent: true })
    if (service.largest !== null && file.size > service.largest) throw tooLargeForUpload(service.largest)
    const choices = { plaintext: account.plaintext, now: () => clock.now(), signal }
    const slot = await requestSlot(file, service, iqRequests, choices).catch((caught: unknown) => {
      // A service that gives no slot may have moved, or changed its limit: look for it again.
      this.#service = null
      throw caught
    })
    this.#origin = slot.get.origin
    return slot
  }

  #outcomeOf(caught: unknown): Outcome {
    const { log } = this.#options
    // Only a look-up that takes too long has a code.
    const isSlow = caught instanceof NetFailure && caught.reason === 'timeout' && caught.code === undefined
    if (isSlow) return notNow('upload_timeout')
    if (caught instanceof UploadFault) {
      log.warn({ err: caught }, 'a file could not be sent')
      return rejected(caught.error)
    }
    const ours = caught instanceof TypeError || caught instanceof RangeError
    const expected = !ours && caught instanceof Error && 'code' in caught
    if (expected) log.info({ err: caught }, 'an XMPP upload failed')
    else log.error({ err: caught }, 'an XMPP upload failed internally')
    const { reason } = xmppErrorFrom(caught)
    if (reason.code === 'address_not_allowed')
      return uploadRefused('upload_address_not_allowed', { permanent: true }).outcome
    return notNow('upload_failed', reason.code.replaceAll('_', ' '))
  }
}

function notNow(code: 'upload_failed' | 'upload_interrupted' | 'upload_timeout', word?: string): Outcome {
  return uploadRefused(code, { permanent: false, word }).outcome
}
