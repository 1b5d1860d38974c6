import type { GroupEventData } from '../../contract/resources/event.ts'
import type { GroupChange } from '../../contract/statuses.ts'
import { appendEvents } from '../../events/journal.ts'
import { peopleAt } from '../../messages/contacts/people.ts'
import { timestamp } from '../../runtime/clock.ts'
import { type OfTurn, type StoreFunctions, transaction } from '../../store/store.ts'
import { instanceOfGroups, nameGroups } from './group-names.ts'

/** A change of a group, within the bounds of the contract. */
export interface ToldGroupChange {
  readonly group: string
  readonly change: GroupChange
  /** The new subject; null if the change is none of the subject. */
  readonly subject: string | null
  readonly members: readonly string[]
  readonly members_left_out: number
  readonly by: string | null
  readonly at: number
}

interface RecordNews extends OfTurn {
  readonly instanceId: string
  readonly news: readonly ToldGroupChange[]
  /** Addresses that the organization may have; null for any number. */
  readonly limit: number | null
  readonly now: number
}

/** Appends the events of changes of groups, and keeps their new subjects. An instance that is being removed has none. */
export const recordGroupNews = transaction(
  'groups.news',
  async (tx, args: RecordNews): Promise<void> => {
    const { news, now } = args
    const found = await instanceOfGroups(tx, args)
    if (!found) return
    const renamed = news.flatMap(({ group: address, subject }) =>
      subject === null ? [] : [{ address, subject }],
    )
    const groupAt = await peopleAt(
      tx,
      news.map(({ group: address }) => ({ instance: found.id, address })),
    )
    await nameGroups(tx, found, renamed, args)
    const instance = { id: found.id, name: found.name, metadata: JSON.parse(found.metadata) }
    const subjects = new Map<string, string>()
    const events = news.map(({ group: address, subject: told, at, members, ...change }) => {
      if (told !== null) subjects.set(address, told)
      const subject = subjects.get(address) ?? groupAt({ instance: found.id, address }).name
      const data: GroupEventData = {
        ...{ instance, group: { address, subject }, ...change },
        ...{ members: [...members], at: timestamp(at) },
      }
      return { type: 'group.changed', instance: found.name, data } as const
    })
    await appendEvents(tx, [{ organization: found.organization_id, now, events }])
  },
  { isToldTurn: true },
)

export const groupNewsFunctions: StoreFunctions = { reads: [], transactions: [recordGroupNews] }
