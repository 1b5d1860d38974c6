import type { GroupChanged } from '../../driver/abilities/groups.ts'
import { roomAt } from '../address.ts'
import type { Affiliation, RoomState } from '../session/room-state.ts'

/** Changes that are reported in a second, over all rooms of the account: of more, `get` shows the end. */
const maxChangesInSecond = 20

const ranks: Readonly<Record<Affiliation, number>> = { outcast: 0, none: 0, member: 1, admin: 2, owner: 3 }

/** The change of a member's affiliation (XEP-0045 section 5.2); null if it changes nothing for callers. */
export function changeOf(before: Affiliation, after: Affiliation): GroupChanged['change'] | null {
  const [was, is] = [ranks[before], ranks[after]]
  if (is === was) return null
  if (was === 0) return 'members_added'
  if (is === 0) return 'members_removed'
  return is > was ? 'members_promoted' : 'members_demoted'
}

/** Reports the changes of rooms. That people come and go, as clients connect, is none. */
export class RoomChanges {
  readonly #report: (changed: GroupChanged) => void
  readonly #now: () => number
  #second = 0
  #changes = 0

  constructor(report: (changed: GroupChanged) => void, now: () => number) {
    this.#report = report
    this.#now = now
  }

  /** Reports a change of a room. One of the account itself is always reported. */
  note(room: RoomState, changed: Pick<GroupChanged, 'change' | 'members' | 'by' | 'subject'>): void {
    const at = this.#now()
    const second = Math.floor(at / 1_000)
    if (second !== this.#second) this.#changes = 0
    this.#second = second
    this.#changes += 1
    const isOwn = changed.change === 'account_joined' || changed.change === 'account_left'
    if (!isOwn && this.#changes > maxChangesInSecond) return
    this.#report({ kind: 'group-changed', group: roomAt(room.address), ...changed, at })
  }
}
