import type { AccountProof, Claim } from '../../networks/driver/abilities/callbacks.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import { abortOf } from '../../runtime/abort.ts'
import { SealBroken } from '../../runtime/secrets/seal.ts'
import { type BindingResult, claimAccount, type Holder } from '../callbacks/claim-store.ts'
import type { InstanceContext } from '../context.ts'
import { readConnectionSecrets } from './connection-store.ts'

type Context = Pick<InstanceContext, 'store' | 'secrets' | 'http' | 'clock' | 'alarms' | 'log'>

interface Claimant {
  readonly driver: Driver
  readonly instance: string
  readonly organization: string
  /** Aborts when the connection that claims is over. */
  readonly signal: AbortSignal
}

/** Milliseconds that the network has to verify the account of the holder. */
const longest = 60_000

/** Claims an account. A holder that is challenged must prove it again, now. Rejects if the store is unavailable. */
export async function contestAccount(
  context: Context,
  claimant: Claimant,
  claim: Claim,
): Promise<BindingResult> {
  const { store, clock } = context
  const { instance, signal } = claimant
  const claimed = await store.transact(claimAccount, { ...claim, instance, now: clock.now() })
  if (claimed.kind !== 'taken') return claimed
  const { by: refuted } = claimed
  if (isKept(refuted, await verify(context, claimant, refuted.instance, claim.account)) || signal.aborted)
    return claimed
  return await store.transact(claimAccount, { ...claim, instance, refuted, now: clock.now() })
}

/**
 * True if a holder keeps its claim. While the network does not respond, the earlier proof counts if the holder still has
 * those credentials.
 */
function isKept({ claimedAt }: Holder, proof: AccountProof): boolean {
  return proof === 'proven' || (proof === 'unknown' && claimedAt !== null)
}

/** Has the network say whether the stored credentials of a holder reach the account. */
async function verify(
  { store, secrets, http, alarms, log }: Context,
  { driver, organization, signal: over }: Claimant,
  holder: string,
  account: string,
): Promise<AccountProof> {
  // The holder may be another organization's, whose rows a turn of this one does not see.
  const row = await store.read(readConnectionSecrets, { id: holder }, { party: 'callbacks' })
  const shared = driver.callbacks?.shared
  if (row?.shared_callback !== 1 || !shared) return 'refused'
  const end = new AbortController()
  const alarm = alarms.in(longest, () => end.abort())
  const signal = AbortSignal.any([over, end.signal])
  try {
    const settings = JSON.parse(row.settings)
    const credentials = secrets.openCredentials(holder, row.credentials)
    const question = { settings, credentials, account, http: http.of(organization), signal }
    return await Promise.race([
      shared.verifyAccount(question),
      abortOf(signal).then((): AccountProof => 'unknown'),
    ])
  } catch (error) {
    if (error instanceof SealBroken) return 'refused'
    log.error(
      { err: error, instance_id: holder },
      'could not verify again that an instance can reach its account',
    )
    return 'unknown'
  } finally {
    alarm.cancel()
    // Ends the question, if the connection that claims has ended first.
    end.abort()
  }
}
