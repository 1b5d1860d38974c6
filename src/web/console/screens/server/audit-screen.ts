import { h } from 'preact'
import { shownCall } from '../../core/curl.ts'
import { type ItemOf, usePages } from '../../core/hooks/use-pages.ts'
import type { Request } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { Badge } from '../../parts/badge.ts'
import { FilterBar } from '../../parts/lists/filter-bar.ts'
import { type Filter, type ListPlace, textFilter } from '../../parts/lists/filters.ts'
import { timeFilter, useBetween } from '../../parts/lists/time-filter.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Age } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { actionName, problemText } from '../../words/server-texts.ts'

/** An entry; only the operator, who sees those of all, is told the organization. */
type Entry = ItemOf<'listAudit'> & Partial<Pick<ItemOf<'listServerAudit'>, 'organization'>>

const path = ['audit'] as const

/** The audit log of the organization, for its admins, or of all, for the operator. */
export function screen({ me, query }: ScreenProps) {
  const isOperator = me.kind === 'operator'
  const id = isOperator ? 'listServerAudit' : 'listAudit'
  const request = useRequest(query, isOperator)
  const pages = usePages<'listAudit'>(id as 'listAudit', request)
  const place: ListPlace = { path, query }
  const isFiltered = Object.keys(query).length > 0
  return h(
    Screen,
    { title: say('audit.title'), calls: [shownCall(id, request)] },
    h('p', { class: 'hint' }, say('audit.hint')),
    h(FilterBar, { place, filters: filtersAt(place, isOperator) }),
    pages.items.length > 0 &&
      h(Table<Entry>, {
        caption: say('audit.title'),
        items: pages.items,
        keyOf: (entry) => entry.id,
        columns: columnsFor(isOperator),
      }),
    h(ListEnd, {
      ...pages,
      empty: h('p', null, say(isFiltered ? 'everywhere.nothing_found' : 'audit.empty')),
    }),
  )
}

/** The request for what the link asks for; what else stands in the link is left out. */
function useRequest(query: ScreenProps['query'], isOperator: boolean): Request<'listAudit'> {
  const { created_after: since, created_before: until } = useBetween(query)
  const names = ['actor', 'action', 'instance', ...(isOperator ? ['organization'] : [])]
  const given = names.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []))
  return { query: { ...Object.fromEntries(given), ...(since && { since }), ...(until && { until }) } }
}

function filtersAt(place: ListPlace, isOperator: boolean): readonly Filter[] {
  return [
    ...(isOperator ? [textFilter(place, { name: 'organization', label: say('audit.organization') })] : []),
    textFilter(place, { name: 'action', label: say('audit.action'), hint: say('audit.action_hint') }),
    textFilter(place, { name: 'actor', label: say('audit.actor'), hint: say('audit.actor_hint') }),
    textFilter(place, { name: 'instance', label: say('everywhere.instance') }),
    timeFilter(place),
  ]
}

function columnsFor(isOperator: boolean) {
  const organization = {
    title: say('audit.organization'),
    cell: ({ organization: name }: Entry) =>
      name ? h('a', { href: linkTo(['organizations', name]) }, name) : null,
  }
  return [
    {
      title: say('audit.action'),
      // The code is what the filter above takes.
      cell: ({ action }: Entry) => [
        actionName(action),
        h('div', { class: 'small' }, h('code', { class: 'code-beside whole' }, action)),
      ],
    },
    {
      title: say('audit.object'),
      isShort: true,
      onPhone: 'below' as const,
      cell: (entry: Entry) => (entry.instance ?? entry.target) && h(Target, { entry, isOperator }),
    },
    ...(isOperator ? [organization] : []),
    { title: say('audit.actor'), isShort: true, cell: (entry: Entry) => h(Actor, { entry, isOperator }) },
    {
      title: say('audit.result'),
      isShort: true,
      onPhone: 'beside' as const,
      cell: ({ result }: Entry) =>
        result === 'done'
          ? h(Badge, { tone: 'good', text: say('audit.done') })
          : h(
              'span',
              { title: result },
              h(Badge, { tone: 'attention', text: problemText(result)?.title ?? result }),
            ),
    },
    { title: say('audit.address'), onPhone: 'nowhere' as const, cell: ({ address }: Entry) => address },
    {
      title: say('everywhere.time'),
      isShort: true,
      onPhone: 'end' as const,
      cell: ({ timestamp }: Entry) => h(Age, { at: timestamp }),
    },
  ]
}

interface CellProps {
  readonly entry: Entry
  readonly isOperator: boolean
}

/** The object of an action. Only those who see instances are led to one. */
function Target({ entry: { target, instance }, isOperator }: CellProps) {
  const shown = instance ?? target
  if (shown === null) return '–'
  const name =
    instance === null || isOperator
      ? h('span', null, shown)
      : h('a', { href: linkTo(['instances', instance]) }, instance)
  return target === null || target === shown ? name : [name, h('div', { class: 'small' }, target)]
}

function Actor({ entry: { actor }, isOperator }: CellProps) {
  const { kind, key, hint } = actor
  if (kind === 'operator') return say('frame.operator')
  const shown = h('code', { class: 'whole' }, `${hint}…`)
  return isOperator || key === null ? shown : h('a', { href: linkTo(path, { actor: key }) }, shown)
}
