import { openStore } from '../gateway/open-store.ts'
import { noteBackupMade } from '../organizations/last-backup.ts'
import type { Config } from '../runtime/config/config.ts'

/** Notes in the store that a backup is complete, for the metrics and the doctor. */
export async function noteMade(config: Config): Promise<void> {
  const store = await openStore(config)
  try {
    await store.transact(noteBackupMade, { at: Date.now() })
  } finally {
    await store.close()
  }
}
