import type { English } from '../../../locales/index.ts'
import { isUnlimitedAdmin, type Me } from '../core/me.ts'
import type { IconName } from '../parts/icon.ts'

export interface Area {
  readonly path: string
  readonly name: keyof English['console']['frame']['areas']
  readonly icon: IconName
  /** The key that leads there, after `g`. */
  readonly key: string
  /** Keys or operator that have it; `both` is for the operator and for admins. */
  readonly for: 'key' | 'admin' | 'operator' | 'both'
}

const areas: readonly Area[] = [
  { path: 'overview', name: 'overview', icon: 'areas', key: 'o', for: 'key' },
  { path: 'instances', name: 'instances', icon: 'plug', key: 'i', for: 'key' },
  { path: 'messages', name: 'messages', icon: 'mail', key: 'm', for: 'key' },
  { path: 'conversations', name: 'conversations', icon: 'talk', key: 'c', for: 'key' },
  { path: 'webhooks', name: 'webhooks', icon: 'webhook', key: 'w', for: 'admin' },
  { path: 'events', name: 'events', icon: 'activity', key: 'e', for: 'key' },
  { path: 'charts', name: 'charts', icon: 'chart', key: 's', for: 'key' },
  { path: 'keys', name: 'keys', icon: 'key', key: 'k', for: 'admin' },
  { path: 'server', name: 'server', icon: 'gauge', key: 'h', for: 'operator' },
  { path: 'organizations', name: 'organizations', icon: 'building', key: 'z', for: 'operator' },
  { path: 'audit', name: 'audit', icon: 'scroll', key: 'a', for: 'both' },
  { path: 'nodes', name: 'nodes', icon: 'server', key: 'n', for: 'operator' },
]

/** The areas that a session may see, in the order of the menu. */
export function areasOf(me: Me): readonly Area[] {
  const isAdmin = isUnlimitedAdmin(me)
  return areas.filter((area) =>
    me.kind === 'operator'
      ? area.for === 'operator' || area.for === 'both'
      : area.for === 'key' || (isAdmin && area.for !== 'operator'),
  )
}

/** The area whose entry of the menu leads to a place: one sends what the messages then list, and writes to groups. */
export function areaOf([name]: readonly string[]): string | undefined {
  if (name === 'groups') return 'conversations'
  return name === 'send' ? 'messages' : name
}

/** Returns true if a session may see the screens of the area that a path is in. Screens in no area belong to keys. */
export function maySee(me: Me, [name]: readonly string[]): boolean {
  if (areasOf(me).some(({ path }) => path === name)) return true
  return me.kind === 'key' && !areas.some(({ path }) => path === name)
}

/** Returns the path at which a session begins. */
export function homeOf(me: Me): readonly string[] {
  return [areasOf(me)[0]?.path ?? '']
}
