import { h } from 'preact'
import { shownCall } from '../../core/curl.ts'
import { contract } from '../../core/operations.ts'
import { Button } from '../../parts/button.ts'
import { FilterBar } from '../../parts/lists/filter-bar.ts'
import { choiceFilter, type ListPlace, setFilters, textFilter } from '../../parts/lists/filters.ts'
import { instanceFilter } from '../../parts/lists/instance-filter.ts'
import { Views } from '../../parts/lists/views.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { Replay } from './replay.ts'
import { newestRequest, Tail } from './tail.ts'

/** The events of the organization: live as they happen, or from a cursor on. */
export function screen({ query }: ScreenProps) {
  const { types = '', instances = '', after } = query
  return h(
    Screen,
    {
      title: say('events.title'),
      calls: [
        ...(after ? [] : [shownCall('listEvents', newestRequest(50, { types, instances }))]),
        shownCall('listEvents', {
          // The types of the contract call for lists, which go into the URL as texts with commas.
          query: { types, instances, after } as never,
          ...(after ? {} : { headers: { accept: 'text/event-stream' } }),
        }),
      ],
    },
    h(EventFilters, { query }),
    after
      ? h(Replay, { key: `${after} ${types} ${instances}`, after, types, instances })
      : h(Tail, { types, instances }),
  )
}

const path = ['events'] as const

/** The filters of the events, which stand in the link; a cursor to begin with is one of them. */
function EventFilters({ query }: Pick<ListPlace, 'query'>) {
  const place = { path, query }
  return [
    h(Views, { place, fixed: fixedViews() }),
    h(
      FilterBar,
      {
        place,
        filters: [
          choiceFilter(place, {
            name: 'types',
            label: say('events.type'),
            values: contract.eventTypes,
            nameOf: (type) => type,
            none: say('everywhere.all'),
          }),
          instanceFilter(place, 'instances'),
          textFilter(place, { name: 'after', label: say('events.cursor'), hint: say('events.cursor_hint') }),
        ],
      },
      h(
        Button,
        { onClick: () => setFilters(place, { after: 'oldest' }), look: 'quiet' },
        say('events.earlier'),
      ),
    ),
  ]
}

const fixedViews = () => [
  { name: say('everywhere.all'), query: {} },
  { name: say('charts.received'), query: { types: 'message.received' } },
  { name: say('messages.failed_ones'), query: { types: 'message.failed' } },
]
