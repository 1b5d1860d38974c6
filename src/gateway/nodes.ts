import { emptied } from '../events/event-tails.ts'
import { Balance } from '../instances/lifecycle/balance.ts'
import type { Supervisor } from '../instances/lifecycle/supervisor.ts'
import { listWaiting } from '../instances/lifecycle/take-over.ts'
import { listStillWaiting } from '../messages/outbox/queue/still-waiting.ts'
import { dutyOf } from '../nodes/duties.ts'
import { drainNode } from '../nodes/node-overview.ts'
import type { Listener } from '../nodes/other-nodes.ts'
import { SharedRates } from '../nodes/rates/shared-rates.ts'
import type { Changes } from '../runtime/changes.ts'
import { SingleFlight } from '../runtime/single-flight.ts'
import type { RateLimit } from '../server/access/rate-limit.ts'
import { TurnsOf } from '../store/turns-of.ts'
import type { AppContext, BackgroundWorkers } from './app-context.ts'

interface Composition extends AppContext, BackgroundWorkers {
  readonly balance: Balance
  /** The limit of the requests of each key; undefined for none. */
  readonly rateLimit: RateLimit | undefined
  readonly wakeOrganization: (organizationId: string) => void
}

/** Of a lease: for how long a node keeps an instance that it has taken over, and between two that it gives away. */
const leasesKept = 33
const leasesBetween = 2 / 3

/** Makes what gives instances to other nodes. */
export function makeBalance(app: AppContext, supervisor: Supervisor): Balance {
  const lease = app.config.POSTHORN_NODE_LEASE_MS
  return new Balance({ ...app, supervisor, keptFor: lease * leasesKept, pause: lease * leasesBetween })
}

/** Lets the parts of this server hear what other nodes tell, and do the work of the duties that it takes from them. */
export function beginNodes(composition: Composition): void {
  const { node, otherNodes, duties, balance, deliverer, eventCounter, rateLimit } = composition
  balance.begin()
  const rates = rateLimit && !node.isAlone ? new SharedRates(rateLimit, composition) : undefined
  rates?.begin()
  otherNodes.begin(listenerOf(composition, rates))
  duties.begin({
    gained() {
      deliverer.begin()
      eventCounter.begin()
    },
    async lost(duty) {
      await Promise.all([
        deliverer.leave((organization) => dutyOf(organization) === duty),
        eventCounter.leave(),
      ])
    },
  })
}

/** Another node has revoked a key: connections that use it, by a session too, end. */
function forgetKey({ sessions, keyRing }: AppContext, id: string): void {
  sessions.forget(id)
  keyRing.forget(id)
}

/**
 * Another node has given an instance away. Only the one that it named takes it at once; if that one does not, the others find it when
 * they look, a moment later. A node of an older version names none.
 */
function takeFree({ supervisor, node }: Composition, told: string): void {
  const [id = '', organization_id, successor] = told.split(':')
  if (organization_id === undefined || successor === undefined) supervisor.takeFree()
  else if (successor === node.id) supervisor.takeGiven({ id, organization_id })
}

function listenerOf(composition: Composition, rates: SharedRates | undefined): Listener {
  const { supervisor, deliverer, fileFetchers, instanceChanges, filesToFetch, wakeOrganization } = composition
  const { store, messageChanges, eventChanges, deliveryChanges, typingNotices } = composition
  const reading = new TurnsOf(store, 'nodes')
  const looks = new SingleFlight<void>()
  const lookForSettled = async () => {
    await wakeSettled(messageChanges, reading)
    await new Promise<void>((resolve) => void composition.alarms.in(settledEvery, resolve))
  }
  return {
    hear(topic, id) {
      if (topic === 'due') supervisor.runnerOf(id)?.wake()
      else if (topic === 'callbacks') supervisor.runnerOf(id)?.callbacks?.wake()
      else if (topic === 'instance') instanceChanges.hear(id)
      else if (topic === 'free') takeFree(composition, id)
      else if (topic === 'coming') composition.networks.get(id)?.prepare?.(composition.log)
      else if (topic === 'organization') {
        wakeOrganization(id)
        if (messageChanges.awaited.length > 0) void looks.read('settled', lookForSettled).catch(() => {})
      } else if (topic === 'emptied') eventChanges.hear(emptied(id))
      else if (topic === 'listening') typingNotices.hearListening(id)
      else if (topic === 'typing') typingNotices.hear(id)
      else if (topic === 'file') filesToFetch.hear(id)
      else if (topic === 'key') forgetKey(composition, id)
      else if (topic === 'rate') rates?.hear(id)
      else if (topic === 'webhooks' && composition.duties.hasOrganization(id)) deliverer.deliver(id)
    },
    perform: (instance, task, argument) => supervisor.perform(instance, task, argument),
    async look() {
      await wakeWaitingInstances(composition, reading)
      for (const fetcher of Object.values(fileFetchers)) fetcher.wake()
      instanceChanges.wakeAll()
      eventChanges.wakeAll()
      deliverer.begin()
    },
    async wakeWaiting() {
      deliveryChanges.wakeAll()
      await wakeSettled(messageChanges, reading)
    },
  }
}

/** Milliseconds at least between two looks for messages of which other nodes may have told; the next regular look makes up for one that fails. */
const settledEvery = 25

/** Instances, and messages, that one read looks for. */
const wokenAtOnce = 500

/** Wakes those who wait for messages that have left the queue: one read for all of them, however many wait. */
async function wakeSettled(changes: Changes, store: TurnsOf): Promise<void> {
  const awaited = changes.awaited
  for (let begin = 0; begin < awaited.length; begin += wokenAtOnce) {
    const ids = awaited.slice(begin, begin + wokenAtOnce)
    const waiting = new Set(await store.read(listStillWaiting, { ids }))
    for (const id of ids) if (!waiting.has(id)) changes.hear(id)
  }
}

/** Wakes the instances of this node for which other nodes may have accepted something. */
async function wakeWaitingInstances({ supervisor, node }: Composition, store: TurnsOf): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const args = { node: node.id, after, limit: wokenAtOnce }
    const waiting: Awaited<ReturnType<typeof listWaiting.run>> = await store.read(listWaiting, args)
    for (const { id, queue_depth, waiting_callbacks } of waiting) {
      const runner = supervisor.runnerOf(id)
      if (queue_depth > 0) runner?.wake()
      if (waiting_callbacks > 0) runner?.callbacks?.wake()
    }
    after = waiting.length === wokenAtOnce ? waiting.at(-1)?.id : undefined
  }
}

/** Lets other nodes, if there are any, take over everything that this one runs: it takes nothing more. */
export async function leaveToOthers(
  { node, store, otherNodes }: Pick<AppContext, 'node' | 'store' | 'otherNodes'>,
  { networks }: Pick<Supervisor, 'networks'>,
): Promise<boolean> {
  if (node.isAlone || !node.trusted) return false
  // It ends in any case, so a node that was silent for a moment is as good as any.
  const leaving = { id: node.id, trustedFor: Number.POSITIVE_INFINITY }
  const [drained] = await Promise.allSettled([
    store.transact(drainNode, leaving, { party: 'nodes' }),
    otherNodes.prepareHandOver(networks),
  ])
  return drained.status === 'fulfilled' && drained.value === 'done'
}

export async function endNodes({ otherNodes, duties, peers }: AppContext): Promise<void> {
  duties.end()
  peers.end()
  await otherNodes.end()
}
