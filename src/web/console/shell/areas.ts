import type { English } from '../../../locales/index.ts'
import { isUnlimitedAdmin, type Me } from '../core/me.ts'

interface Area {
  readonly path: string
  readonly name: keyof English['console']['frame']['areas']
  /** The key that leads there, after `g`. */
  readonly key: string
  /** Keys or operator that have it. */
  readonly for: 'key' | 'admin' | 'operator'
}

const areas: readonly Area[] = [
  { path: 'overview', name: 'overview', key: 'o', for: 'key' },
  { path: 'instances', name: 'instances', key: 'i', for: 'key' },
  { path: 'messages', name: 'messages', key: 'm', for: 'key' },
  { path: 'conversations', name: 'conversations', key: 'c', for: 'key' },
  { path: 'webhooks', name: 'webhooks', key: 'w', for: 'admin' },
  { path: 'events', name: 'events', key: 'e', for: 'key' },
  { path: 'charts', name: 'charts', key: 's', for: 'key' },
  { path: 'keys', name: 'keys', key: 'k', for: 'admin' },
  { path: 'organizations', name: 'organizations', key: 'z', for: 'operator' },
  { path: 'nodes', name: 'nodes', key: 'n', for: 'operator' },
]

/** The areas that a session may see, in the order of the menu. */
export function areasOf(me: Me): readonly Area[] {
  const isAdmin = isUnlimitedAdmin(me)
  return areas.filter((area) =>
    me.kind === 'operator'
      ? area.for === 'operator'
      : area.for === 'key' || (area.for === 'admin' && isAdmin),
  )
}

/** The area whose entry of the menu leads to a place: one sends what the messages then list. */
export function areaOf([name]: readonly string[]): string | undefined {
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
