import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { needsPerson, noteWaiting } from '../../core/attention.ts'
import { shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { useNews } from '../../core/hooks/use-news.ts'
import { type ItemOf, type Pages, usePages } from '../../core/hooks/use-pages.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { instanceIn, type LiveEvent, messageIn, useLive } from '../../core/live.ts'
import { isUnlimitedAdmin } from '../../core/me.ts'
import { idOf } from '../../core/newest-first.ts'
import type { Request } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { Badge, InstanceBadge } from '../../parts/badge.ts'
import { DayLine } from '../../parts/day-line.ts'
import { NewsButton, Screen, type ScreenProps } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Age } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { networkName } from '../../words/server-texts.ts'
import { InstanceFilters } from './instance-filters.ts'

type Instance = ItemOf<'listInstances'>

/** Every instance of the organization, live. */
export function screen({ me, query }: ScreenProps) {
  const { status, network, search } = query
  const given = { status, network, search } as NonNullable<Request<'listInstances'>['query']>
  const request = { query: { ...given, limit: 100 } }
  const pages = usePages('listInstances', request)
  const { items } = pages
  const { removed, news, show } = useChanges(pages, query)
  const mayCreate = isUnlimitedAdmin(me)
  const create =
    mayCreate &&
    h('a', { class: 'button primary', href: linkTo(['instances', '~new']) }, say('instances.create'))
  const calls = [
    shownCall('listInstances', request),
    ...(items.length > 0 ? [shownCall('getStatistics', linesRequest(items))] : []),
  ]
  const isFiltered = Boolean(status || network || search)
  const { isRead, hasMore } = pages
  useEffect(() => {
    if (isRead && !isFiltered)
      noteWaiting(
        'instances',
        items.filter((each) => !removed.has(each.id) && needsPerson(each)).map(idOf),
        hasMore,
      )
  }, [items, isRead, isFiltered])
  return h(
    Screen,
    { title: say('instances.title'), calls, actions: create },
    h(InstanceFilters, { query }),
    h(NewsButton, { news, text: say('instances.new_ones', { count: news.count }), onShow: show }),
    items.length > 0 && h(List, { items, removed }),
    h(ListEnd, {
      ...pages,
      empty: isFiltered
        ? h('p', null, say('everywhere.nothing_found'))
        : [h('p', null, say('instances.empty')), h('p', null, create)],
    }),
  )
}

/**
 * Keeps the list current. Rows stay in their places: those of removed instances say so, and new ones are counted until the
 * person wants to see them.
 */
function useChanges(pages: Pages<Instance>, query: ScreenProps['query']) {
  const { items, hasMore, change, reload } = pages
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set())
  const ids = items.map(idOf)
  const news = useNews(JSON.stringify(query), pages, idOf)
  const isWanted = (instance: Pick<Instance, 'name' | 'status' | 'network' | 'account' | 'metadata'>) =>
    (!query.status || query.status === instance.status) &&
    (!query.network || query.network === instance.network) &&
    contains(instance, query.search ?? '') &&
    (!hasMore || instance.name < (items.at(-1)?.name ?? ''))
  useLive((event: LiveEvent) => {
    const instance = instanceIn(event)
    if (!instance) return
    const { id } = instance
    if (ids.includes(id)) {
      change((shown) => shown.map((each) => (each.id === id ? { ...each, ...instance } : each)))
      if (event.type === 'instance.deleted')
        setRemoved((before) => before.intersection(new Set(ids)).union(new Set([id])))
    } else if (event.type === 'instance.deleted') news.remove(id)
    else if (isWanted(instance)) {
      if (items.length === 0) reload()
      else news.add(id)
    }
  }, reload)
  const show = () => {
    news.show()
    setRemoved(new Set())
  }
  return { removed, news, show }
}

/** Returns true if an instance contains a text, as the server would find it. */
function contains(
  { name, account, metadata }: Pick<Instance, 'name' | 'account' | 'metadata'>,
  text: string,
): boolean {
  const words = [name, account?.address, account?.display_name, ...Object.values(metadata)]
  return words.some((each) => each?.toLowerCase().includes(text.toLowerCase()))
}

/** Milliseconds by which the lines may be behind the messages. */
const lineDelay = 60_000
/** Instances whose line is shown: as many as one response tells of. */
const maxLines = 100

function linesRequest(items: readonly Instance[]): Request<'getStatistics'> {
  const names = items.slice(0, maxLines).map(({ name }) => name)
  // The types of the contract call for a list, which goes into the URL as a text.
  return { query: { by_instance: names.join(',') } as never }
}

/** The last 24 hours of the first instances of the list, by their names. */
function useDayLines(items: readonly Instance[]) {
  const { data, reload } = useCall('getStatistics', items.length === 0 ? null : linesRequest(items))
  const readSoon = useSoon(reload, lineDelay)
  useLive((event) => {
    if (messageIn(event)) readSoon()
  }, readSoon)
  return new Map(data?.by_instance.map((each) => [each.instance, each]))
}

interface ListProps {
  readonly items: readonly Instance[]
  /** The ids of those that are gone. */
  readonly removed: ReadonlySet<string>
}

function List({ items, removed }: ListProps) {
  const lines = useDayLines(items)
  return h(Table<Instance>, {
    caption: say('instances.title'),
    items,
    keyOf: idOf,
    linkOf: ({ name }) => linkTo(['instances', name]),
    columns: [
      { title: say('everywhere.name'), cell: ({ name }) => name },
      {
        title: say('everywhere.status'),
        onPhone: 'beside',
        cell: ({ id, status }) =>
          removed.has(id)
            ? h(Badge, { tone: 'idle', text: say('instances.gone') })
            : h(InstanceBadge, { status }),
      },
      { title: say('everywhere.network'), onPhone: 'below', cell: ({ network }) => networkName(network) },
      {
        title: say('everywhere.account'),
        onPhone: 'below',
        cell: ({ account }) => account?.address ?? null,
      },
      {
        title: say('instances.verified'),
        onPhone: 'end',
        cell: ({ last_verified_at: at }) => at && h(Age, { at }),
      },
      {
        title: say('overview.last_day'),
        isExtra: true,
        onPhone: 'nowhere',
        cell: ({ name }) => h(DayLine, { hours: lines.get(name) }),
      },
      { title: say('instances.queued'), isNumber: true, cell: ({ queue }) => number(queue.depth) },
    ],
  })
}
