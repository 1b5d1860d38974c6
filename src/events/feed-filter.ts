import type { EventType } from '../contract/resources/event.ts'
import type { FeedPlace } from './feed.ts'

/** The columns of an event that decide if it fits a filter. */
interface Filtered {
  readonly type: EventType
  readonly instance_name: string | null
}

/**
 * Returns a predicate: true if an event fits the filter of a place, exactly as the statement of `lookAtFeed` has it.
 * `instances` lets through events about no instance, and `seen` does not.
 */
export function fitsFilter({
  types,
  instances,
  seen,
}: Pick<FeedPlace, 'types' | 'instances' | 'seen'>): (event: Filtered) => boolean {
  const wanted = types && new Set<string>(types)
  const named = instances && new Set(instances)
  const visible = seen && new Set(seen)
  return ({ type, instance_name: name }) => {
    if (wanted && !wanted.has(type)) return false
    if (visible && (name === null || !visible.has(name))) return false
    return !named || name === null || named.has(name)
  }
}
