import { forgetContacts } from '../../messages/contacts/forget-contacts.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import { readConnectionSecrets } from '../connection/connection-store.ts'
import type { InstanceContext } from '../context.ts'
import { eraseInstance } from '../instance-store.ts'
import { cancelQueue } from './cancel-queue.ts'

type Context = Pick<
  InstanceContext,
  'store' | 'secrets' | 'clock' | 'alarms' | 'messageChanges' | 'forgetFiles'
>

/** Parts of the instance's runner that a removal needs. */
interface Leaving {
  readonly id: string
  readonly driver: Driver
  /** Resolves when no attempt is under way. */
  readonly settled: Promise<void> | undefined
  /** The connection through which to undo; undefined if there is none. */
  readonly connection: () => Promise<DriverConnection | undefined>
}

/** Milliseconds that a removal waits for attempts under way. */
const settleTimeout = 2_000

/** Rows that one transaction of a removal forgets: some milliseconds of work, for which others wait. */
const forgottenAtOnce = 200

/**
 * Cancels what an instance has queued, forgets its contacts, and undoes at its network what creating it did there. True when nothing is left to
 * be done, false when the network has not confirmed: then it is to be asked again. May be repeated at any point.
 */
export async function undo(context: Context, { id, driver, settled, connection }: Leaving): Promise<boolean> {
  const { store, secrets, alarms } = context
  await Promise.race([settled, new Promise<void>((resolve) => void alarms.in(settleTimeout, resolve))])
  await cancelQueue(context, id)
  while (
    (await store.transact(forgetContacts, { instanceId: id, limit: forgottenAtOnce })) === forgottenAtOnce
  );
  const row = await store.read(readConnectionSecrets, { id })
  if (!row) return true
  const credentials = { read: () => secrets.openCredentials(id, row.credentials) }
  if (!driver.removal?.isNeeded(JSON.parse(row.settings), credentials)) return true
  return (await (await connection())?.remove?.()) ?? false
}

/**
 * Erases an instance for which nothing is left to be undone, with everything that is kept for it, in parts. May be repeated at any
 * point: its row goes last, so that the next start goes on.
 */
export async function erase({ store, clock }: Pick<Context, 'store' | 'clock'>, id: string): Promise<void> {
  const part = { id, limit: forgottenAtOnce }
  while (!(await store.transact(eraseInstance, { ...part, now: clock.now(), limit: 100 })));
}
