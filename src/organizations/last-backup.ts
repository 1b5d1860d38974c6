import { writeFact } from '../store/position.ts'
import { type Store, type StoreFunctions, touchesNothing, transaction } from '../store/store.ts'
import { readServiceValue } from './organization-store.ts'

/** Its name among the facts about the service. */
export const lastBackupName = 'last_backup_at'
const name = lastBackupName

/** Notes when a backup was complete, in milliseconds since the epoch. */
export const noteBackupMade = transaction(
  'service.backed-up',
  (tx, { at }: { at: number }) => tx.run(writeFact, { name, value: String(at) }),
  { touches: touchesNothing },
)

/** Returns when the last backup was complete, in milliseconds since the epoch; null if none was. */
export async function readLastBackup(store: Pick<Store, 'read'>): Promise<number | null> {
  const value = await store.read(readServiceValue, { name })
  return value === null ? null : Number(value)
}

export const lastBackupFunctions: StoreFunctions = { reads: [], transactions: [noteBackupMade] }
