import type { ComponentType } from 'preact'
import type { ScreenProps } from '../parts/screen.ts'

const conversations = () => import('../screens/conversations/conversations.ts')

interface Route {
  /** The segments of the path; one that begins with `:` stands for any, under that name. */
  readonly pattern: readonly string[]
  /** True if it is one screen with the others that begin alike: the parts that they have in common stay as they are. */
  readonly isShared?: true
  /** Loads the screen when it is shown first. */
  readonly load: () => Promise<{ readonly screen: ComponentType<ScreenProps> }>
}

/** Every screen, and where it is. */
export const routes: readonly Route[] = [
  { pattern: ['overview'], load: () => import('../screens/overview/overview.ts') },
  { pattern: ['instances'], load: () => import('../screens/instances/instance-list.ts') },
  { pattern: ['instances', '~new'], load: () => import('../screens/instances/create-instance.ts') },
  { pattern: ['instances', ':name'], load: () => import('../screens/instances/one-instance.ts') },
  { pattern: ['messages'], load: () => import('../screens/messages/message-list.ts') },
  { pattern: ['messages', ':id'], load: () => import('../screens/messages/one-message.ts') },
  { pattern: ['conversations'], load: conversations, isShared: true },
  { pattern: ['conversations', ':instance', ':address'], load: conversations, isShared: true },
  { pattern: ['groups'], load: () => import('../screens/groups/group-list.ts') },
  { pattern: ['groups', ':instance', ':group'], load: () => import('../screens/groups/one-group.ts') },
  { pattern: ['send'], load: () => import('../screens/messages/send.ts') },
  { pattern: ['webhooks'], load: () => import('../screens/webhooks/webhook-list.ts') },
  { pattern: ['webhooks', ':webhook'], load: () => import('../screens/webhooks/one-webhook.ts') },
  { pattern: ['keys'], load: () => import('../screens/keys/key-screen.ts') },
  { pattern: ['server'], load: () => import('../screens/server/server-screen.ts') },
  { pattern: ['audit'], load: () => import('../screens/server/audit-screen.ts') },
  { pattern: ['organizations'], load: () => import('../screens/keys/organization-list.ts') },
  { pattern: ['organizations', ':organization'], load: () => import('../screens/keys/one-organization.ts') },
  { pattern: ['nodes'], load: () => import('../screens/nodes/node-list.ts') },
  { pattern: ['charts'], load: () => import('../screens/charts/chart-screen.ts') },
  { pattern: ['events'], load: () => import('../screens/events/event-screen.ts') },
  { pattern: ['events', ':event'], load: () => import('../screens/events/one-event.ts') },
]

/** The route of a path, and what the path names. */
export function routeOf(path: readonly string[]) {
  for (const route of routes) {
    const { pattern } = route
    const isRight =
      pattern.length === path.length && pattern.every((part, at) => part.startsWith(':') || part === path[at])
    if (!isRight) continue
    const named = pattern.flatMap((part, at) =>
      part.startsWith(':') ? [[part.slice(1), path[at] as string] as const] : [],
    )
    return { route, params: Object.fromEntries(named) }
  }
  return undefined
}
