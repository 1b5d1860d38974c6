import type { PendingCall } from '../group.ts'
import type { Executor } from '../session.ts'
import { isOrganization, type Touched } from '../store.ts'

/** The advisory lock on all organizations: an arbitrary number that must be the same in all versions. */
const everything = 7_067_450_902

/** Returns what a group of calls changes: what each of them says, or else the organization whose turn it takes, or else everything. */
export function touchedBy(calls: readonly Pick<PendingCall, 'touched' | 'party'>[]): Touched {
  const organizations = new Set<string>()
  for (const { party, touched } of calls) {
    const own = touched ?? ofParty(party)
    if (own === 'all') return 'all'
    for (const organization of own) organizations.add(organization)
  }
  return [...organizations].sort()
}

const ofParty = (party: string): Touched => (isOrganization(party) ? [party] : 'all')

/**
 * Keeps every other group, of this process or another, from changing what a group touches before that one's commit. Each statement
 * after this sees what they have committed. The order is the same in all groups, so none waits for another in a circle.
 */
export async function lockTouched(executor: Executor, touched: Touched): Promise<void> {
  if (touched === 'all') {
    await executor.all('select pg_advisory_xact_lock($1)', [everything], 'lock_everything')
  } else if (touched.length > 0) {
    await Promise.all([
      executor.all('select pg_advisory_xact_lock_shared($1)', [everything], 'lock_some'),
      executor.all(
        'select id from organizations where id = any($1) order by id for no key update',
        [touched],
        'lock_organizations',
      ),
    ])
  }
}
