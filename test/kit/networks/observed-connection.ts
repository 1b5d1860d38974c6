import assert from 'node:assert/strict'
import type { HttpClient } from '../../../src/net/http/client.ts'
import type { CaughtUp } from '../../../src/networks/driver/abilities/catching-up.ts'
import type { Resumption } from '../../../src/networks/driver/abilities/resumption.ts'
import type { SealedCredentials, Settings } from '../../../src/networks/driver/account.ts'
import type { DriverConnection } from '../../../src/networks/driver/connection.ts'
import type { Driver } from '../../../src/networks/driver/driver.ts'
import type { KeyStore } from '../../../src/networks/driver/keys.ts'
import type { OutgoingMessage } from '../../../src/networks/driver/message.ts'
import type { Observation, ObservationKind, Restriction } from '../../../src/networks/driver/observation.ts'
import type { Outcome } from '../../../src/networks/driver/outcome.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import type { Share } from '../../../src/runtime/limits/share.ts'
import { type Log, silentLog } from '../../../src/runtime/log.ts'
import type { Media } from '../../conformance/networks/session.ts'
import { sharesForTests } from '../shares.ts'
import { httpForTests } from './http.ts'
import { memoryKeys } from './memory-keys.ts'
import { newMessageId } from './new-message-id.ts'

export interface ObservedOptions {
  readonly settings: Settings
  readonly credentials?: SealedCredentials
  readonly resumption?: Resumption | undefined
  readonly restriction?: Restriction | undefined
  /** Mark up to which the incoming messages are stored; by default, the instance was never connected before. */
  readonly caughtUp?: () => Promise<CaughtUp | null>
  /** When a report is stored, and whether it is; at once by default. */
  readonly isStored?: (observation: Observation) => Promise<boolean>
  readonly log?: Log
  /** Keys of an earlier connection; none by default. */
  readonly keys?: KeyStore
  /** As `InstanceCallbacks.url`; none by default. */
  readonly callbackUrl?: string
  /** The share of the connection; the default share by default. */
  readonly share?: Share
  /** The client for HTTP; by default, it resolves names as the system does. */
  readonly http?: HttpClient
  /** Called instead of a store; the credentials are kept in memory in any case. */
  readonly onSave?: (credentials: SealedCredentials) => void
}

/** A message that has no id yet. */
type Unsent = OutgoingMessage extends infer One ? (One extends unknown ? Omit<One, 'id'> : never) : never

type Seen<K extends ObservationKind> = Extract<Observation, { kind: K }>

/** A driver's connection as Posthorn's runner holds it: with everything that it reported, in order. */
export class ObservedConnection {
  readonly observations: Observation[] = []
  readonly saved: SealedCredentials[] = []
  readonly connection: DriverConnection
  readonly abort = new AbortController()
  readonly #watchers = new Set<() => void>()

  constructor(driver: Driver, options: ObservedOptions) {
    let credentials = options.credentials ?? {}
    this.connection = driver.connect({
      epoch: 1,
      settings: options.settings,
      credentials: {
        read: () => credentials,
        save: async (fresh) => {
          options.onSave?.(fresh)
          credentials = fresh
          this.saved.push(fresh)
        },
      },
      keys: options.keys ?? memoryKeys(),
      wantsTyping: () => true,
      instance: 'inst_1',
      callbacks: { url: options.callbackUrl ?? null, isAbandoned: async () => false },
      ...(options.resumption && { resumption: options.resumption }),
      ...(options.restriction && { restriction: options.restriction }),
      report: (observation) => {
        this.observations.push(observation)
        for (const wake of this.#watchers) wake()
        this.#watchers.clear()
        return options.isStored?.(observation) ?? Promise.resolve(true)
      },
      stored: { upTo: options.caughtUp ?? (async () => null), has: async () => false },
      signal: this.abort.signal,
      share: options.share ?? sharesForTests().of('org_1'),
      http: options.http ?? httpForTests,
      clock: systemClock,
      random: Math.random,
      log: options.log ?? silentLog,
    })
  }

  /** Opens a connection and waits until it is open. */
  static async open(driver: Driver, options: ObservedOptions): Promise<ObservedConnection> {
    const observed = new ObservedConnection(driver, options)
    await observed.sees('connection-opened')
    return observed
  }

  /** Resolves with the first observation of this kind that fits, present or future. An unexpected end is an error. */
  async sees<K extends ObservationKind>(
    kind: K,
    fits: (seen: Seen<K>) => boolean = () => true,
  ): Promise<Seen<K>> {
    const isIt = (seen: Observation): seen is Seen<K> => seen.kind === kind && fits(seen as Seen<K>)
    for (let looked = 0; ; ) {
      const fresh = this.observations.slice(looked)
      looked += fresh.length
      const found = fresh.find(isIt)
      if (found) return found
      const end = fresh.find((seen) => ends.has(seen.kind))
      if (end) throw new Error(`waited for ${kind}, but the connection ended: ${JSON.stringify(end)}`)
      await new Promise<void>((resolve) => this.#watchers.add(resolve))
    }
  }

  kinds(): ObservationKind[] {
    return this.observations.map(({ kind }) => kind)
  }

  /** Sends a text under a fresh id; the outcome comes later. */
  send(to: string, text: string): Sending {
    return new Sending(this.connection, { id: newMessageId(), to, kind: 'text', text })
  }

  /** Sends a message of any kind under a fresh id, like `send`. */
  sendMessage(message: Unsent): Sending {
    return new Sending(this.connection, { id: newMessageId(), ...message })
  }

  /** Sends a file under a fresh id, like `send`. */
  sendFile(to: string, media: Media): Sending {
    const id = newMessageId()
    return new Sending(this.connection, { id, to, caption: null, voice: false, ...media })
  }

  async close(): Promise<void> {
    await this.connection.close()
  }
}

const ends = new Set<ObservationKind>(['connection-lost', 'credentials-refused', 'connection-refused'])

/** Checks that a callback about one message counts as stored when the message is, and not before. */
export async function countsAsStoredWithItsMessage(
  open: (options: Pick<ObservedOptions, 'isStored'>) => Promise<ObservedConnection>,
  body: object,
): Promise<void> {
  for (const isStored of [true, false]) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const session = await open({ isStored: async ({ kind }) => kind !== 'message-received' || promise })
    const callback = { id: 'cb_1', received_at: Date.now(), body: Buffer.from(JSON.stringify(body)) }
    const reported = await session.connection.receive?.(callback)
    await session.sees('message-received')
    const soon = new Promise((settled) => setImmediate(settled, 'not yet'))
    assert.equal(await Promise.race([reported?.stored, soon]), 'not yet')
    resolve(isStored)
    assert.equal(await reported?.stored, isStored)
    await session.close()
  }
}

/** One attempt under way. */
export class Sending {
  readonly message: OutgoingMessage
  readonly outcome: Promise<Outcome>
  /** Null while the outcome is not known. */
  settled: Outcome | null = null

  constructor(connection: DriverConnection, message: OutgoingMessage, attempt = 1) {
    this.message = message
    this.outcome = connection.send(message, attempt).then((outcome) => {
      this.settled = outcome
      return outcome
    })
  }

  get id(): string {
    return this.message.id
  }
}
