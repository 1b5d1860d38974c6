import type { Broken } from '../check/check.ts'
import type { FaultName } from '../faults.ts'

/** A change of one source: the one place that has `from` gets `to`. */
export interface Change {
  /** From the root of the repository. */
  readonly file: string
  readonly from: string
  readonly to: string
}

/** A bug that is planted in the program itself, and the faults under which the checker must find it. */
export interface PlantedBug {
  readonly name: string
  readonly changes: readonly Change[]
  readonly faults: readonly FaultName[]
  /** The lists of the verdict of which one at least must not be empty. */
  readonly found: readonly (keyof Broken)[]
  /** The length of each fault in leases. */
  readonly lasts?: number
}

const dispatch = 'src/messages/outbox/dispatch/dispatch.ts'
const nodeStore = 'src/nodes/node-store.ts'
const lease = 'src/nodes/node-lease.ts'
const peers = 'src/nodes/peers.ts'
const supervisor = 'src/instances/lifecycle/supervisor.ts'
const taker = 'src/instances/lifecycle/taker.ts'
const attempt = 'src/events/delivery/deliverer/attempt.ts'
const idempotency = 'src/organizations/idempotency.ts'

/** Without it, the watchdog ends a process that stood still before another bug can show. */
const slackWatchdog: Change = {
  file: 'src/nodes/watchdog.ts',
  from: 'const mayStandStill = 1_000',
  to: 'const mayStandStill = 1_000_000_000',
}

/** The driver takes its time, and what was true before the send is not any more. */
const slowDriver: Change = {
  file: dispatch,
  from: 'outcome = await connection.send(order, message.attempt)',
  to: 'await new Promise((resolve) => setTimeout(resolve, 300)); outcome = await connection.send(order, message.attempt)',
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'events of an instance are not delivered one by one',
    changes: [
      {
        file: 'src/events/delivery/queue/due-deliveries.ts',
        from: "webhook.ordering === 'per_instance' ? selectDueInOrder : selectDue",
        to: 'selectDue',
      },
      {
        file: 'src/events/delivery/queue/due-deliveries.ts',
        from: "const inOrder = webhook.ordering === 'per_instance'",
        to: 'const inOrder = false',
      },
    ],
    faults: ['stop'],
    found: ['overtakingEvents'],
  },
  {
    name: 'acknowledged before the commit',
    changes: [
      {
        file: 'src/store/grouped-store.ts',
        from: 'return this.writing.call<R>(asked, { party })',
        to: `if (name !== 'messages.accept') return this.writing.call<R>(asked, { party })
        setTimeout(() => void this.writing.call<R>(asked, { party }).catch(() => {}), 400)
        return Promise.resolve({ kind: 'accepted' } as R)`,
      },
    ],
    faults: ['kill', 'kill'],
    found: ['lost', 'forgotten'],
  },
  {
    name: 'commits that do not wait for the disk',
    changes: [
      {
        file: 'src/store/postgres/postgres-writer.ts',
        from: 'beginWrite(synchronousCommit)',
        to: "beginWrite('off')",
      },
    ],
    faults: ['crash'],
    lasts: 0.5,
    found: ['forgotten'],
  },
  {
    name: 'fence left out: a boot is not compared',
    changes: [
      slackWatchdog,
      { file: nodeStore, from: 'if (row?.boot !== boot)\n', to: 'if (row === undefined)\n' },
      {
        file: nodeStore,
        from: ".where('id', '=', id)\n      .where('boot', '=', boot)\n      .returning('beat')",
        to: ".where('id', '=', id)\n      .returning('beat')",
      },
    ],
    faults: ['freeze'],
    lasts: 2,
    found: ['outdated'],
  },
  {
    name: 'trust is not checked right before the send',
    changes: [slackWatchdog, slowDriver],
    faults: ['freeze', 'freeze'],
    lasts: 2,
    found: ['outdated'],
  },
  {
    name: 'leases by the wall clock',
    changes: [
      { file: peers, from: 'const now = clock.monotonic()', to: 'const now = clock.now()' },
      { file: peers, from: 'clock.monotonic() - heard.at', to: 'clock.now() - heard.at' },
    ],
    // The others must look before the next beat, which comes within five looks.
    faults: ['clock', 'clock', 'clock', 'clock'],
    found: ['ended'],
  },
  {
    name: 'nodes take over before trust ended',
    changes: [
      slackWatchdog,
      slowDriver,
      {
        file: lease,
        from: 'trusted: part(13), gone, watchEvery',
        to: 'trusted: part(13), gone: part(6), watchEvery',
      },
    ],
    faults: ['freeze', 'freeze', 'freeze'],
    lasts: 0.5,
    // A node from which others have taken sends under its old epoch, unless it hears of it first, and ends.
    found: ['outdated', 'ended'],
  },
  {
    name: 'interrupted attempts are not taken up',
    changes: [
      {
        file: 'src/instances/lifecycle/take-over.ts',
        from: 'recovered: await recoverPart(tx, about)',
        to: 'recovered: nothingRecovered',
      },
    ],
    faults: ['kill', 'kill'],
    found: ['unexplained'],
  },
  {
    name: 'repetitions that the network would recognize are not made',
    changes: [{ file: taker, from: '.filter((driver) => driver.limits.dedupes_by_id)', to: '.slice(0, 0)' }],
    faults: ['kill', 'kill'],
    found: ['unexplained'],
  },
  {
    name: 'an instance is released before its work has ended',
    changes: [
      { file: supervisor, from: 'await runner.end(signal, { isHandedOver: true })\n    this', to: 'this' },
    ],
    faults: ['drain'],
    found: ['lost', 'unexplained'],
  },
  {
    name: 'order lost: the last message of a lane leads it',
    changes: [
      {
        file: 'src/messages/outbox/queue/lane.ts',
        from: ".orderBy('seq')\n    .limit(1)\n}",
        to: ".orderBy('seq', 'desc')\n    .limit(1)\n}",
      },
    ],
    faults: ['kill'],
    lasts: 1,
    found: ['overtaking'],
  },
  {
    name: 'a new id on each attempt',
    changes: [
      {
        file: dispatch,
        from: 'outcome = await connection.send(order, message.attempt)',
        to: 'outcome = await connection.send({ ...order, id: order.id + message.attempt }, message.attempt)',
      },
    ],
    faults: ['stop'],
    found: ['doubled'],
  },
  {
    name: 'idempotency keys are not recognized',
    changes: [
      { file: idempotency, from: 'if (!known) return undefined', to: 'return undefined' },
      { file: idempotency, from: 'tx.sendForEach(insertReplies, this.#kept)', to: '' },
    ],
    faults: ['network', 'network'],
    lasts: 1,
    found: ['doubled'],
  },
  {
    name: 'events of which no attempt was made',
    changes: [
      {
        file: attempt,
        from: '  const at = clock.now()\n',
        to: "  if (Math.random() < 0.02) return { kind: 'responded', status: 204 } as AttemptResult\n  const at = clock.now()\n",
      },
    ],
    faults: ['stop'],
    found: ['lostEvents'],
  },
  {
    name: 'events are written anew for each attempt',
    changes: [
      {
        file: attempt,
        from: 'const body = Buffer.from(JSON.stringify(content))',
        to: 'const body = Buffer.from(JSON.stringify({ ...content, timestamp: new Date(at).toISOString() }))',
      },
    ],
    faults: ['stop'],
    found: ['doubledEvents'],
  },
]
