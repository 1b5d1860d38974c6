import { h } from 'preact'
import { shownCall } from '../../core/curl.ts'
import { instanceIn, useLive } from '../../core/live.ts'
import type { Request } from '../../core/operations.ts'
import { goTo, linkTo } from '../../core/router.ts'
import { type ItemOf, usePages } from '../../core/use-pages.ts'
import { InstanceBadge } from '../../parts/badge.ts'
import { ChoiceField } from '../../parts/fields.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Age } from '../../parts/time.ts'
import { say as sayCommon } from '../../words/everywhere.ts'
import { instanceStatuses, sayInstanceStatus } from '../../words/statuses.ts'
import { say } from './words.ts'

type Instance = ItemOf<'listInstances'>

/** Every instance of the organization, live. */
export function screen({ query }: ScreenProps) {
  const request = { query: { ...query, limit: 100 } as NonNullable<Request<'listInstances'>['query']> }
  const pages = usePages('listInstances', request)
  const { items, change, reload } = pages
  useLive((event) => {
    const instance = instanceIn(event)
    if (event.type === 'instance.created' || event.type === 'instance.deleted') reload()
    else if (instance)
      change((shown) => shown.map((each) => (each.id === instance.id ? { ...each, ...instance } : each)))
  }, reload)
  return h(
    Screen,
    { title: say('title'), calls: [shownCall('listInstances', request)] },
    h(
      'div',
      { class: 'filters' },
      h(ChoiceField, {
        label: sayCommon('status'),
        value: query.status ?? '',
        onChange: (status) => goTo(['instances'], { ...query, status }),
        options: [
          { value: '', label: sayCommon('all') },
          ...instanceStatuses.map((value) => ({ value, label: sayInstanceStatus(value) })),
        ],
      }),
    ),
    h(Table<Instance>, {
      caption: say('title'),
      items,
      keyOf: ({ id }) => id,
      linkOf: ({ name }) => linkTo(['instances', name]),
      columns: [
        { title: sayCommon('name'), cell: ({ name }) => name },
        { title: sayCommon('status'), cell: ({ status }) => h(InstanceBadge, { status }) },
        { title: sayCommon('network'), cell: ({ network }) => network },
        { title: sayCommon('account'), cell: ({ account }) => account?.address ?? '–' },
        { title: say('verified'), cell: ({ last_verified_at }) => h(Age, { at: last_verified_at }) },
        { title: say('queued'), cell: ({ queue }) => String(queue.depth) },
      ],
    }),
    h(ListEnd, { ...pages, empty: h('p', null, say('empty')) }),
  )
}
