import type { Organization } from '../../contract/operations/organization-operations.ts'
import type { CountName, InstanceStatus } from '../../contract/statuses.ts'
import { type Reader, read, type StoreFunctions } from '../../store/store.ts'

/** The activity of an organization, as the operator sees it. */
export type Activity = Pick<Organization, 'instances' | 'last_24_hours'>

const hour = 3_600_000

/** Hours that are counted: that which runs, and those before it. */
const countedHours = 24

interface ActivityArgs {
  readonly organizations: readonly string[]
  readonly now: number
}

/** Reads the activity of organizations, however many they are, in two statements; in the order of their ids in the arguments. */
export const readActivity = read(
  'organizations.activity',
  async (reader, { organizations, now }: ActivityArgs): Promise<Activity[]> => {
    if (organizations.length === 0) return []
    const instances = await instancesOf(reader, organizations)
    const counts = await countsOf(reader, organizations, now)
    return organizations.map((id) => ({
      instances: instances.get(id) ?? noActivity.instances,
      last_24_hours: counts.get(id) ?? noActivity.last_24_hours,
    }))
  },
)

/** That of an organization in the moment in which it is created. */
export const noActivity: Activity = {
  instances: { total: 0, connected: 0, need_person: 0 },
  last_24_hours: { accepted: 0, sent: 0, failed: 0, received: 0, failed_share: null },
}

const waitForPerson: ReadonlySet<InstanceStatus> = new Set(['logged_out', 'failed'])

async function instancesOf(reader: Reader, organizations: readonly string[]) {
  const rows = await reader.all(
    reader.sql
      .selectFrom('instances')
      .select(({ fn }) => ['organization_id', 'status', fn.countAll<number | string>().as('count')])
      .where('organization_id', 'in', organizations)
      .groupBy(['organization_id', 'status']),
  )
  const found = new Map<string, Activity['instances']>()
  for (const { organization_id: id, status, count } of rows) {
    const { total, connected, need_person } = found.get(id) ?? noActivity.instances
    found.set(id, {
      total: total + Number(count),
      connected: connected + (status === 'connected' ? Number(count) : 0),
      need_person: need_person + (waitForPerson.has(status) ? Number(count) : 0),
    })
  }
  return found
}

async function countsOf(reader: Reader, organizations: readonly string[], now: number) {
  const rows = await reader.all(
    reader.sql
      .selectFrom('statistics')
      .select(['organization_id', 'counts'])
      .where('organization_id', 'in', organizations)
      .where('span', '=', 'hour')
      // The row for all instances together.
      .where('instance_name', '=', '')
      .where('starts_at', '>', now - countedHours * hour),
  )
  const byOrganization = Map.groupBy(rows, ({ organization_id: id }) => id)
  return new Map([...byOrganization].map(([id, own]) => [id, trafficOf(own.map(({ counts }) => counts))]))
}

/** Adds up the counts of some hours, each of JSON text. */
function trafficOf(hours: readonly string[]): Activity['last_24_hours'] {
  const parsed: Partial<Record<CountName, number>>[] = hours.map((counts) => JSON.parse(counts))
  const sum = (name: CountName) => parsed.reduce((total, { [name]: count = 0 }) => total + count, 0)
  const [sent, failed] = [sum('sent'), sum('failed') + sum('expired')]
  return {
    accepted: sum('accepted'),
    sent,
    failed,
    received: sum('received'),
    failed_share: sent + failed === 0 ? null : failed / (sent + failed),
  }
}

export const activityFunctions: StoreFunctions = { reads: [readActivity], transactions: [] }
