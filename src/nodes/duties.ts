import { createHash } from 'node:crypto'
import type { Log } from '../runtime/log.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'
import type { StoreForAll, Turn } from '../store/store.ts'
import { lookAtDuties, releaseDuty, takeDuties } from './duty-store.ts'
import type { NodeLease } from './node-lease.ts'

/** The work on what all organizations share, such as removing what is over. */
export const housekeeping = 'housekeeping'

/** Parts of all organizations, whose events one node delivers and counts. */
const shards = 64

const shardNames = Array.from({ length: shards }, (_, shard) => `organizations/${shard}`)

/** The duty of delivering and counting the events of an organization. */
export function dutyOf(organization: string): string {
  return `organizations/${createHash('sha256').update(organization).digest().readUInt16BE(0) % shards}`
}

interface Context {
  readonly store: StoreForAll
  readonly node: NodeLease
  readonly alarms: Pick<Alarms, 'in'>
  readonly log: Log
}

/** The work of duties, as its doer offers it. */
export interface DutyWork {
  /** There are more duties now. */
  gained(): void
  /** Ends all work for a duty; resolves when nothing of it is under way. */
  lost(duty: string): Promise<void>
}

const turn: Turn = { party: 'nodes' }

/** Milliseconds between two looks for duties that no node has, or that another should have. */
const lookEvery = 1_000

/** The duties of this node. Each is one node's at a time; a node that has more than its share gives some away. */
export class Duties {
  readonly #context: Context
  #held: ReadonlySet<string> = new Set()
  readonly #leaving = new Set<string>()
  #worker: DutyWork | undefined
  #ended = false

  constructor(context: Context) {
    this.#context = context
  }

  /** The number of those that this node has. */
  get count(): number {
    return this.#held.size
  }

  /** True if this node does the work of a duty. */
  has(duty: string): boolean {
    return this.#held.has(duty) && !this.#leaving.has(duty) && this.#context.node.trusted
  }

  /** True if this node delivers and counts the events of an organization. */
  hasOrganization(organization: string): boolean {
    return this.has(dutyOf(organization))
  }

  /** Takes the duties that are free; to be awaited before anything asks for them. */
  async take(): Promise<void> {
    const { store, node } = this.#context
    const names = [housekeeping, ...shardNames]
    const args = { node: node.id, names }
    const left = new Set(this.#leaving)
    const looked = await store.read(lookAtDuties, args, turn)
    const { held, over } = looked.free.length > 0 ? await store.transact(takeDuties, args, turn) : looked
    // A duty that was given away during this look may still be named by it.
    const isKnown = (duty: string) => !left.has(duty) || this.#leaving.has(duty)
    const known = held.filter(isKnown)
    const isMore = known.some((duty) => !this.#held.has(duty))
    this.#held = new Set(known)
    for (const duty of over.filter(isKnown)) void this.#giveAway(duty)
    if (isMore) this.#worker?.gained()
  }

  begin(worker: DutyWork): void {
    this.#worker = worker
    if (!this.#context.node.isAlone) this.#lookLater()
  }

  end(): void {
    this.#ended = true
  }

  #lookLater(): void {
    if (!this.#ended) this.#context.alarms.in(lookEvery, () => void this.#look())
  }

  async #look(): Promise<void> {
    try {
      if (this.#context.node.trusted) await this.take()
    } catch (error) {
      this.#context.log.error({ err: error }, 'could not look for duties')
    }
    this.#lookLater()
  }

  async #giveAway(duty: string): Promise<void> {
    if (this.#leaving.has(duty)) return
    this.#leaving.add(duty)
    const { store, node, log } = this.#context
    try {
      await this.#worker?.lost(duty)
      await store.transact(releaseDuty, { node: node.id, duty }, turn)
    } catch (error) {
      log.error({ err: error, duty }, 'could not give a duty to another node')
    } finally {
      // Even if that failed, another node may have it by now: the next look says who has it.
      this.#held = new Set([...this.#held].filter((held) => held !== duty))
      this.#leaving.delete(duty)
    }
  }
}
