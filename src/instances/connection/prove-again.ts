import type { HttpClients } from '../../net/http/client.ts'
import type { Claim } from '../../networks/driver/abilities/callbacks.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import type { Observation } from '../../networks/driver/observation.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Share } from '../../runtime/limits/share.ts'
import type { Log } from '../../runtime/log.ts'
import { SealBroken } from '../../runtime/secrets/seal.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import type { Store } from '../../store/store.ts'
import type { CallbackUrls } from '../callbacks/callback-urls.ts'
import type { InstanceSecrets } from '../credentials.ts'
import { noKeys } from '../keys/connection-keys.ts'
import { readConnectionSecrets } from './connection-store.ts'

interface Context {
  readonly store: Pick<Store, 'read'>
  readonly secrets: InstanceSecrets
  readonly http: HttpClients
  readonly callbackUrls: Pick<CallbackUrls, 'of'>
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in'>
  readonly random: () => number
  readonly log: Log
}

/** `refused` if the network refuses the credentials or the account; `unknown` if it gives no such answer. */
export type Proof = 'proven' | 'refused' | 'unknown'

interface Question {
  readonly driver: Driver
  /** The id of the instance that has claimed the account. */
  readonly holder: string
  readonly account: string
  /** Of the instance that wants the account. */
  readonly share: Share
  /** Aborts when the answer is of no interest any longer. */
  readonly signal: AbortSignal
}

/** Milliseconds that the network has for the proof. */
const longest = 60_000

/**
 * Has an instance prove now that it reaches an account, whether it is connected or not: a second connection is begun with its stored
 * credentials, which ends where it would claim the account. Never rejects, unless the store is unavailable.
 */
export async function proveAgain(context: Context, question: Question): Promise<Proof> {
  const { store, secrets, http, callbackUrls, clock, alarms, random, log } = context
  const { driver, holder: id, account, share, signal } = question
  const row = await store.read(readConnectionSecrets, { id })
  if (row?.shared_callback !== 1) return 'refused'
  const { promise: answered, resolve: answer } = Promise.withResolvers<Proof>()
  const over = new AbortController()
  const alarm = alarms.in(longest, () => answer('unknown'))
  const abandon = () => answer('unknown')
  signal.addEventListener('abort', abandon, { once: true })
  if (signal.aborted) abandon()
  try {
    secrets.openCredentials(id, row.credentials)
    const connection = driver.connect({
      instance: id,
      settings: JSON.parse(row.settings),
      // Only the connection of the instance itself may replace them.
      credentials: secrets.access(id, row.credentials, async () => false),
      keys: noKeys,
      callbackUrl: callbackUrls.of(driver, id),
      isAbandoned: async () => false,
      report: async (observation) => {
        answerIn(observation, answer)
        return false
      },
      caughtUp: async () => null,
      isStored: async () => false,
      claim: async (claim: Claim) => {
        answer(claim.account === account ? 'proven' : 'refused')
        return false
      },
      signal: over.signal,
      share,
      http: http.of(share.party),
      clock,
      random,
      log,
    })
    const proof = await answered
    await connection.close()
    return proof
  } catch (error) {
    if (error instanceof SealBroken) return 'refused'
    log.error({ err: error, instance_id: id }, 'could not have the claim of an account proven again')
    return 'unknown'
  } finally {
    over.abort()
    alarm.cancel()
    signal.removeEventListener('abort', abandon)
  }
}

function answerIn({ kind }: Observation, answer: (proof: Proof) => void): void {
  if (kind === 'credentials-refused' || kind === 'connection-refused') answer('refused')
  else if (kind === 'connection-lost') answer('unknown')
}
