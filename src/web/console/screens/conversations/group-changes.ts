import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { GroupEventData } from '../../../../contract/resources/event.ts'
import { useLive } from '../../core/live.ts'
import { TimeOfDay } from '../../parts/time.ts'
import { say } from '../../words/say.ts'

/** A change of a group that was told while its conversation was open. */
export interface ToldChange extends GroupEventData {
  readonly id: string
}

/** The most changes that are shown, and the most people whom one of them names. */
const maxChanges = 50
const maxNamed = 5

/** Hears of the changes of a group, the oldest first. */
export function useGroupChanges(instance: string, address: string): readonly ToldChange[] {
  const [changes, setChanges] = useState<readonly ToldChange[]>([])
  useLive(({ id, type, data }) => {
    if (type !== 'group.changed') return
    const told = data as GroupEventData
    if (told.instance.name !== instance || told.group.address !== address) return
    setChanges((before) => [...before.filter((each) => each.id !== id), { ...told, id }].slice(-maxChanges))
  })
  return changes
}

interface LineProps {
  readonly told: ToldChange
  readonly nameOf: (address: string) => string
}

/** A change of a group as a line among its messages. */
export function GroupLine({ told, nameOf }: LineProps) {
  const { change, group, members, members_left_out, by, at } = told
  const named = members.slice(0, maxNamed).map(nameOf).join(', ')
  const others = members.length - maxNamed + members_left_out
  const people = others > 0 ? `${named}, ${say('groups.left_out', { count: others })}` : named
  const words = say(`groups.changes.${change}`, { people, subject: group.subject ?? group.address })
  return h(
    'li',
    { class: 'group-line small' },
    words,
    by !== null && ` · ${say('groups.by', { name: nameOf(by) })}`,
    ' · ',
    h(TimeOfDay, { at }),
  )
}
