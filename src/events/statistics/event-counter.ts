import type { Store } from '../../store/store.ts'
import { WakeUp } from '../../store/wake-up.ts'
import type { EventContext } from '../context.ts'
import type { NetworkSteps } from './network-steps.ts'
import { countSomeEvents, organizationsToCount } from './statistics-store.ts'

type Context = Pick<EventContext, 'clock' | 'alarms' | 'log'> & {
  readonly store: Store
  /** True if this node counts the events of an organization; only one does at a time. */
  readonly isOurs: (organization: string) => boolean
  readonly metrics: {
    /** Counts steps of messages after their commit. */
    stepped(steps: readonly NetworkSteps[]): void
  }
}

/** Milliseconds for which events are gathered before they are counted: many at once cost little more than one. */
const gatheredFor = 2_000
/** Number of organizations counted under one commit, and of the events of each: other transactions wait behind it. */
const organizationsAtOnce = 4
const eventsAtOnce = 200
/**
 * Milliseconds between searches of the store for events that no call announced; and the number of organizations per search.
 */
const lookEvery = 60_000
const lookedAtOnce = 500

/** Counts events a little after they happened. How far it came is in the store; this class only knows who has new events. */
export class EventCounter {
  readonly #context: Context
  readonly #waiting = new Set<string>()
  readonly #next: WakeUp
  readonly #nextLook: WakeUp
  #counting: Promise<void> | undefined
  #looking: Promise<void> | undefined
  #ending = false

  constructor(context: Context) {
    this.#context = context
    this.#next = new WakeUp(context, () => this.#begin())
    this.#nextLook = new WakeUp(context, () => this.begin())
  }

  /** Searches the store for events that are not counted, now and from then on regularly. */
  begin(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
  }

  /** Call this when events of an organization were appended. It is cheap, and may be called at any time. */
  wake(organization: string): void {
    if (!this.#context.isOurs(organization)) return
    this.#waiting.add(organization)
    if (!this.#counting && !this.#next.isSet && !this.#ending) this.#next.in(gatheredFor)
  }

  /** Resolves when nothing is being counted for organizations that another node is to serve. */
  async leave(): Promise<void> {
    await this.#counting
  }

  /** Begins nothing more. What is not counted yet is counted by the next server. */
  async end(): Promise<void> {
    this.#ending = true
    this.#next.cancel()
    this.#nextLook.cancel()
    await Promise.all([this.#counting, this.#looking])
    this.#next.cancel()
    this.#nextLook.cancel()
  }

  #begin(): void {
    this.#counting ??= this.#count().finally(() => {
      this.#counting = undefined
      if (this.#waiting.size > 0 && !this.#ending && !this.#next.isSet) this.#next.in(gatheredFor)
    })
  }

  /** Counts everything that waited at the beginning; organizations with much of it take turns. */
  async #count(): Promise<void> {
    const round = [...this.#waiting]
    this.#waiting.clear()
    while (round.length > 0 && !this.#ending) {
      const now = round.splice(0, organizationsAtOnce)
      const more = await Promise.all(now.map((organization) => this.#countSome(organization)))
      round.push(...now.filter((_, index) => more[index]))
    }
  }

  /** True if more of this organization is to be counted at once. */
  async #countSome(organization: string): Promise<boolean> {
    if (!this.#context.isOurs(organization)) return false
    try {
      const { more, steps } = await this.#context.store.transact(countSomeEvents, {
        organization,
        limit: eventsAtOnce,
      })
      this.#context.metrics.stepped(steps)
      return more
    } catch (error) {
      this.#context.log.error(
        { err: error, organization_id: organization },
        'could not count events; retrying',
      )
      this.#waiting.add(organization)
      return false
    }
  }

  async #look(): Promise<void> {
    try {
      for (let after: string | undefined = ''; after !== undefined && !this.#ending; )
        after = await this.#lookAt(after)
      if (this.#waiting.size > 0 && !this.#ending) this.#begin()
      this.#nextLook.in(lookEvery)
    } catch (error) {
      this.#context.log.error({ err: error }, 'could not read the events to count')
      this.#nextLook.afterFailure()
    }
  }

  /** Looks at some organizations; returns the one to continue after, or undefined after the last. */
  async #lookAt(after: string): Promise<string | undefined> {
    const found = await this.#context.store.read(organizationsToCount, { after, limit: lookedAtOnce })
    for (const { id, waits } of found) if (waits && this.#context.isOurs(id)) this.#waiting.add(id)
    return found.length === lookedAtOnce ? found.at(-1)?.id : undefined
  }
}
