import { findMark, type Mark, receiveMessages } from '../../messages/inbox/inbox.ts'
import { type IncomingMessage, incomingMessage } from '../../messages/inbox/incoming-message.ts'
import type { CaughtUp } from '../../networks/driver/abilities/catching-up.ts'
import type { Holding } from '../../runtime/limits/byte-budget.ts'
import type { RateMember } from '../../runtime/limits/fair-rate.ts'
import type { Share } from '../../runtime/limits/share.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { WakeUp } from '../../store/wake-up.ts'
import type { InstanceContext } from '../context.ts'
import type { IncomingCapacity } from './incoming-capacity.ts'
import type { IncomingObservation } from './observation-kinds.ts'

/** A message that waits to be stored, or the mark that is reached without one. */
interface Waiting {
  readonly message: IncomingMessage | null
  /** Returns the message to its sender, if its network does not keep it. */
  readonly decline?: (() => void) | undefined
  readonly mark: Mark | null
}

interface Entry extends Waiting {
  /** Tells the driver whether it is stored. */
  readonly settle: (isStored: boolean) => void
}

/** The instance that messages come to, and whose it is. */
export interface Receiver {
  readonly id: string
  readonly organization_id: string
  /** Milliseconds for which the instance may answer a person after their message; null for any time. */
  readonly replyWindow: number | null
  /** As `Driver.isGroup`. */
  readonly isGroup?: ((address: string) => boolean) | undefined
}

/** The reason why a connection has to end: more came than can be held, or the organization has no room. */
export type Overflow = 'held' | 'quota'

type Context = Pick<InstanceContext, 'store' | 'clock' | 'alarms' | 'log' | 'filesToFetch'> & {
  /** The room that the organizations of instances have. */
  readonly incomingCapacity: IncomingCapacity
}

/** Messages that share a transaction. */
const batch = 100
/** The same while the instances of an organization take turns, so that each has its turn soon. */
const batchInTurn = 10
/** Messages of one instance that are held at most, if its share of the memory does not end before. */
const heldAtMost = 1_000
/** The memory of a message in addition to its text, in bytes. */
const overhead = 1_200

/**
 * Stores the incoming messages of one instance, strictly in order, and with them the mark up to which none is missing
 * (docs/decisions/0020). While the store is away they are held in memory, up to a bound. What is beyond is not taken, and the
 * connection must end, so that the network keeps it or gives it again. It is the same with what the organization has no room
 * for, if the network keeps it: the next connection waits for room before it reads on. If not, it is given back to its sender.
 */
export class IncomingBuffer {
  readonly #context: Context
  readonly #receiver: Receiver
  readonly #overflowed: (why: Overflow) => void
  readonly #share: Share
  readonly #holding: Holding
  #waiting: Entry[] = []
  #working: Promise<void> | undefined
  /** The present connection has reported everything that was missed, so that messages stored now leave no gap. */
  #caughtUp = false
  /** The mark that is reached with the last message of the present connection. */
  #last: string | null = null
  /** The present connection brought more than can be held: nothing more of it counts. */
  #full = false
  #over = false
  /** Readers that wait for room before they read on from the mark: messages that come meanwhile are read then. */
  #waitingForRoom = 0
  readonly #wakeUp: WakeUp
  readonly #rate: RateMember<'messages'>
  readonly #ending = new AbortController()

  /** `overflowed` is called if a message was not accepted. */
  constructor(context: Context, receiver: Receiver, share: Share, overflowed: (why: Overflow) => void) {
    this.#share = share
    this.#holding = share.holding('incoming')
    this.#rate = share.joinIncoming()
    this.#context = context
    this.#receiver = receiver
    this.#overflowed = overflowed
    this.#wakeUp = new WakeUp(context, () => this.#begin())
  }

  /** A connection begins: until it has caught up, what it reports may come after a gap. */
  begin(): void {
    this.#caughtUp = false
    this.#full = false
    this.#last = null
  }

  /** Resolves as `ConnectContext.report`. */
  take(observation: IncomingObservation): Promise<boolean> {
    if (this.#full) return notStored
    const now = this.#context.clock.now()
    if (observation.kind === 'caught-up') {
      const { through } = observation
      if (through === null) this.#caughtUp = true
      const mark = { mark: through ?? this.#last, at: through === null ? now : null }
      return this.#add({ message: null, mark })
    }
    const message = incomingMessage(observation, now, this.#receiver.isGroup)
    // It says nothing that could be stored.
    if (message === null) return Promise.resolve(true)
    const decline = observation.kind === 'message-received' ? observation.decline : undefined
    if (this.#context.incomingCapacity.isShut(this.#receiver.organization_id)) {
      this.#turnAway(decline)
      return notStored
    }
    if (this.#waiting.length >= heldAtMost || this.#share.full) {
      this.#overflow('held')
      return notStored
    }
    this.#last = observation.mark ?? message.network_message_id
    const mark = this.#caughtUp ? { mark: this.#last, at: now } : null
    return this.#add({ message, decline, mark })
  }

  /** True if everything that came to the account until now is stored. */
  get nothingMissing(): boolean {
    return this.#caughtUp && this.#waiting.length === 0
  }

  /** Lets messages without room come again from now until the returned function is called: the connection can stay. */
  repeatable(): () => void {
    this.#waitingForRoom++
    return () => {
      this.#waitingForRoom--
    }
  }

  /** As `StoredMessages.upTo`; `signal` aborts when the connection that asks is over. */
  async caughtUp(signal: AbortSignal): Promise<CaughtUp | null> {
    const { store, log } = this.#context
    for (;;) {
      // After everything that came before.
      await this.#add({ message: null, mark: null })
      if (signal.aborted || this.#over) return null
      try {
        const mark = await store.read(findMark, { instanceId: this.#receiver.id })
        // Without a mark, there is nothing after it that could be read later.
        if (mark !== null) await this.#capacity(signal)
        return signal.aborted ? null : mark
      } catch (error) {
        const isAway = error instanceof StoreUnavailable
        if (!isAway)
          log.error(
            { err: error, instance_id: this.#receiver.id },
            'could not read the archive position of an instance',
          )
        if (!this.#over) this.#wakeUp.afterFailure()
      }
    }
  }

  /** Tries a last time to store what is held; resolves when that is over and nothing waits. */
  async end(): Promise<void> {
    this.#over = true
    this.#ending.abort()
    this.#wakeUp.cancel()
    this.#begin()
    await this.#working
  }

  async #capacity(signal: AbortSignal): Promise<void> {
    const end = this.repeatable()
    await this.#context.incomingCapacity.whenOpen(this.#receiver.organization_id, signal)
    end()
  }

  /** Turns away a message that there is no capacity for: it is returned to its sender, or stays with the network. */
  #turnAway(decline: (() => void) | undefined): void {
    this.#context.incomingCapacity.refused(this.#receiver.organization_id)
    if (decline) decline()
    else if (this.#waitingForRoom === 0) this.#overflow('quota')
  }

  #overflow(why: Overflow): void {
    if (this.#full) return
    this.#full = true
    this.#caughtUp = false
    const sentences = {
      held: 'more messages arrive than can be held until the store has them; closing the connection',
      quota: 'an organization reached its quota of incoming messages; closing the connection',
    }
    this.#context.log.error({ instance_id: this.#receiver.id }, sentences[why])
    this.#overflowed(why)
  }

  #add(waiting: Waiting): Promise<boolean> {
    const { promise, resolve: settle } = Promise.withResolvers<boolean>()
    this.#waiting.push({ ...waiting, settle })
    this.#holding.add(sizeOf(waiting))
    this.#begin()
    return promise
  }

  /** Nothing overtakes what waits for the store to be back. */
  #begin(): void {
    if (this.#waiting.length > 0 && !this.#wakeUp.isSet) this.#working ??= this.#work()
  }

  /** One transaction at a time, so that messages are stored in the order in which they came. */
  async #work(): Promise<void> {
    for (let most = batch; this.#waiting.length > 0; ) {
      // Meanwhile more is held, until reading from the network pauses, or what was taken is confirmed to it later.
      const hasMessages = this.#waiting.some(({ message }) => message)
      const takesTurns = hasMessages && !this.#rate.mayGoOn()
      if (takesTurns) await this.#rate.turn(this.#ending.signal)
      const entries = this.#waiting.slice(0, takesTurns ? Math.min(most, batchInTurn) : most)
      const error = await this.#keep(entries).catch((caught: Error) => caught)
      if (typeof error === 'number') this.#lackRoom(error)
      else if (error instanceof StoreUnavailable) {
        // No later message may be stored without these.
        if (this.#over) this.#giveUp(this.#waiting.length, error)
        else {
          this.#wakeUp.afterFailure()
          break
        }
      } else if (!error) this.#settle(entries.length, true)
      // A mistake that one message brings out must not cost the others.
      else if (entries.length > 1) most = 1
      else this.#giveUp(1, error)
    }
    this.#working = undefined
  }

  /** Returns how many messages were stored if there was no capacity for all of them. */
  async #keep(entries: readonly Entry[]): Promise<number | undefined> {
    const { store, clock, filesToFetch, incomingCapacity } = this.#context
    const messages = entries.flatMap(({ message }) => message ?? [])
    const mark = entries.findLast((entry) => entry.mark !== null)?.mark ?? null
    if (messages.length === 0 && mark === null) return
    const { limit } = incomingCapacity
    const { id: instanceId, replyWindow } = this.#receiver
    const args = { instanceId, messages, mark, limit, replyWindow, now: clock.now() }
    // Counted before it is known whether they are stored: others whose turn comes meanwhile would not wait.
    this.#rate.take('messages', messages.length)
    const { taken, hasFiles } = await store.transact(receiveMessages, args).catch((error) => {
      this.#rate.take('messages', -messages.length)
      throw error
    })
    if (hasFiles) filesToFetch.notify('inbound')
    return taken < messages.length ? taken : undefined
  }

  /** The first `taken` messages were stored. There is no capacity for those after them either, and they move no mark. */
  #lackRoom(taken: number): void {
    this.#context.incomingCapacity.shut(this.#receiver.organization_id)
    let kept = 0
    for (const { message, decline, settle } of this.#take(this.#waiting.length)) {
      const isStored = message !== null && kept++ < taken
      if (message && !isStored) this.#turnAway(decline)
      settle(isStored)
    }
  }

  #giveUp(count: number, error: unknown): void {
    const { log } = this.#context
    log.error({ err: error, instance_id: this.#receiver.id, count }, 'could not store incoming messages')
    this.#settle(count, false)
  }

  #settle(count: number, isStored: boolean): void {
    for (const { settle } of this.#take(count)) settle(isStored)
  }

  #take(count: number): Entry[] {
    const entries = this.#waiting.splice(0, count)
    for (const entry of entries) this.#holding.add(-sizeOf(entry))
    return entries
  }
}

const notStored = Promise.resolve(false)

/** In bytes, as far as senders can make it large. */
function sizeOf({ message }: Waiting): number {
  if (!message) return 0
  const { text, subject, sender, addresses, file } = message
  const words = (text?.length ?? 0) + (subject?.length ?? 0)
  const place = (file?.url ?? file?.reference)?.length ?? 0
  return overhead + 2 * (words + 2 * (sender?.length ?? 0) + addresses.join('').length + place)
}
