import { h } from 'preact'
import type { InstanceStatus } from '../../../../contract/statuses.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { FilterBar } from '../../parts/lists/filter-bar.ts'
import { choiceFilter, type ListPlace } from '../../parts/lists/filters.ts'
import { Views } from '../../parts/lists/views.ts'
import { say } from '../../words/say.ts'
import { instanceStatuses } from '../../words/statuses.ts'

const path = ['instances'] as const

/** The filters of the instances, which stand in the link. */
export function InstanceFilters({ query }: Pick<ListPlace, 'query'>) {
  const { data } = useCall('listNetworks')
  const networks = data?.data ?? []
  const place = { path, query }
  return [
    h(Views, { place, fixed: fixedViews() }),
    h(FilterBar, {
      place,
      search: { name: 'search', label: say('instances.search_what') },
      filters: [
        choiceFilter(place, {
          name: 'status',
          label: say('everywhere.status'),
          values: instanceStatuses,
          nameOf: nameOfStatus,
          none: say('everywhere.all'),
        }),
        choiceFilter(place, {
          name: 'network',
          label: say('everywhere.network'),
          values: networks.map(({ network }) => network),
          nameOf: (value) => networks.find(({ network }) => network === value)?.title ?? value,
          none: say('instances.all_networks'),
        }),
      ],
    }),
  ]
}

const nameOfStatus = (status: InstanceStatus) => say(`statuses.instance.${status}`)

const fixedViews = () => [
  { name: say('instances.all'), query: {} },
  ...(['connected', 'logged_out', 'stopped'] as const).map((status) => ({
    name: nameOfStatus(status),
    query: { status },
  })),
]
