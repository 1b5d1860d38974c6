import type { QuotaNotices } from '../../events/quota-notices.ts'
import { type QuotaUsage, readUsage } from '../../organizations/usage.ts'
import type { StoreForAll } from '../../store/store.ts'
import type { InstanceContext } from '../context.ts'

type Context = Pick<InstanceContext, 'alarms' | 'log'> & {
  readonly store: StoreForAll
  readonly quotas: Pick<QuotaUsage, 'incoming_messages'>
  /** Told of messages without capacity. */
  readonly notices: Pick<QuotaNotices, 'refused'>
}

/** Milliseconds between two checks for room in an organization. */
const lookEvery = 5_000

/**
 * The organizations that have no capacity for incoming messages: noticed by the first refusal, and known to all of their
 * instances, so that no flood asks the store about each message. Room counts as there again when a hundredth of the limit is
 * free, so that connections are not renewed for every message that is removed.
 */
export class IncomingCapacity {
  readonly #context: Context
  /** Those without room, with who waits for some. */
  readonly #shut = new Map<string, Set<() => void>>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Incoming messages that one organization may have; null for any number. */
  get limit(): number | null {
    return this.#context.quotas.incoming_messages
  }

  isShut(organizationId: string): boolean {
    return this.#shut.has(organizationId)
  }

  /** The store had no room for a message. */
  shut(organizationId: string): void {
    if (this.#shut.has(organizationId)) return
    this.#shut.set(organizationId, new Set())
    this.#lookLater(organizationId)
  }

  refused(organizationId: string): void {
    this.#context.notices.refused(organizationId, 'incoming_messages')
  }

  /** Resolves when there is room, or the signal aborts. */
  async whenOpen(organizationId: string, signal: AbortSignal): Promise<void> {
    const waiting = this.#shut.get(organizationId)
    if (!waiting || signal.aborted) return
    await new Promise<void>((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done)
        waiting.delete(done)
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
      waiting.add(done)
    })
  }

  #lookLater(organizationId: string): void {
    this.#context.alarms.in(lookEvery, () => void this.#look(organizationId))
  }

  async #look(organization: string): Promise<void> {
    const { limit } = this
    const { store, log } = this.#context
    const free = Math.max(1, Math.floor((limit ?? 0) / 100))
    try {
      const { incoming_messages: used } = await store.read(
        readUsage,
        { organization },
        { party: organization },
      )
      if (limit === null || used + free <= limit) {
        const waiting = this.#shut.get(organization) ?? []
        this.#shut.delete(organization)
        for (const done of [...waiting]) done()
        return
      }
    } catch (error) {
      log.error(
        { err: error, organization_id: organization },
        'could not check the quotas of incoming messages',
      )
    }
    this.#lookLater(organization)
  }
}
