import type { MessageStatus } from '../../../../contract/statuses.ts'
import { linkTo } from '../../core/router.ts'
import { endOf, isUnknown, type Statistics } from './periods.ts'
import type { Series } from './series.ts'

/** The link to the messages of an interval; undefined if nothing of it is known. An empty instance stands for all. */
export function intervalLink(
  statistics: Statistics,
  index: number,
  { instance, status }: { readonly instance: string; readonly status?: MessageStatus | undefined },
): string | undefined {
  const from = statistics.data[index]?.from
  if (from === undefined || isUnknown(statistics, index)) return undefined
  return linkTo(['messages'], {
    created_after: from,
    created_before: new Date(endOf(statistics, index)).toISOString(),
    instance,
    status,
  })
}

/** Returns the status of the part of a bar at a height; undefined above the bars, and for a part of several statuses. */
export function statusAt(
  series: readonly Series[],
  index: number,
  height: number,
): MessageStatus | undefined {
  // Each bar is drawn over the ones before it.
  return series.findLast(({ look, values }) => look === 'bars' && (values[index] ?? 0) >= height)?.status
}
