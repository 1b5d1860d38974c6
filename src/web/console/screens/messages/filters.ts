import { h } from 'preact'
import type { Message } from '../../../../contract/resources/message.ts'
import type { Request } from '../../core/operations.ts'
import { FilterBar } from '../../parts/lists/filter-bar.ts'
import { choiceFilter, type Filter, type ListPlace, textFilter } from '../../parts/lists/filters.ts'
import { instanceFilter } from '../../parts/lists/instance-filter.ts'
import { timeFilter, useBetween } from '../../parts/lists/time-filter.ts'
import { Views } from '../../parts/lists/views.ts'
import { say } from '../../words/say.ts'
import { messageStatuses } from '../../words/statuses.ts'

/** Every kind, the frequent ones first. */
const kinds = [
  ...(['text', 'image', 'document', 'audio', 'video', 'sticker', 'template', 'interactive', 'poll'] as const),
  ...(['location', 'contacts', 'reaction', 'button_reply', 'list_reply', 'flow_reply', 'poll_vote'] as const),
  ...(['order', 'retraction', 'unsupported'] as const),
] satisfies Message['kind'][]
const directions: readonly Message['direction'][] = ['outbound', 'inbound']

export type ListFilters = NonNullable<Request<'listMessages'>['query']>
const names = ['text', 'status', 'instance', 'direction', 'kind', 'to', 'conversation', 'client_ref'] as const
type Query = Readonly<Record<string, string>>

/** The filters in a link; what else stands there is left out. */
export function useFilters(query: Query): ListFilters {
  const between = useBetween(query)
  const given = names.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []))
  return { ...Object.fromEntries(given), ...between } as ListFilters
}

/** Returns true if a message passes the filters, as far as the message itself tells. */
export function matches(filters: ListFilters, message: Message): boolean {
  const { text, status, instance, direction, kind, to, conversation, client_ref } = filters
  const { created_after, created_before } = filters
  const createdAt = Date.parse(message.created_at)
  const words = `${message.text ?? ''}\n${message.caption ?? ''}`.toLowerCase()
  return (
    (text === undefined || words.includes(text.toLowerCase())) &&
    (created_after === undefined || createdAt >= Date.parse(created_after)) &&
    (created_before === undefined || createdAt < Date.parse(created_before)) &&
    (status === undefined || status === message.status) &&
    (instance === undefined || instance === message.instance) &&
    (direction === undefined || direction === message.direction) &&
    (kind === undefined || kind === message.kind) &&
    (to === undefined || (message.direction === 'outbound' && to === message.to)) &&
    (conversation === undefined ||
      conversation === message.conversation ||
      message.aliases.includes(conversation)) &&
    (client_ref === undefined || client_ref === message.client_ref)
  )
}

const path = ['messages'] as const

/** The filters of the list, which stand in the link. */
export function Filters({ query }: { readonly query: Query }) {
  const place: ListPlace = { path, query }
  return [
    h(Views, { place, fixed: fixedViews() }),
    h(FilterBar, {
      place,
      search: { name: 'text', label: say('messages.search') },
      filters: filtersAt(place),
    }),
  ]
}

const fixedViews = () => [
  { name: say('messages.all'), query: {} },
  { name: say('messages.failed_ones'), query: { status: 'failed' } },
  { name: say('messages.waiting'), query: { status: 'queued' } },
]

function filtersAt(place: ListPlace): readonly Filter[] {
  return [
    choiceFilter(place, {
      name: 'status',
      label: say('everywhere.status'),
      values: messageStatuses,
      nameOf: (value) => say(`statuses.message.${value}`),
      none: say('everywhere.all'),
    }),
    instanceFilter(place),
    choiceFilter(place, {
      name: 'direction',
      label: say('message.direction'),
      values: directions,
      nameOf: (value) => say(`message.directions.${value}`),
      none: say('everywhere.all'),
    }),
    choiceFilter(place, {
      name: 'kind',
      label: say('message.kind'),
      values: kinds,
      nameOf: (value) => say(`message.kinds.${value}`),
      none: say('everywhere.all'),
    }),
    timeFilter(place),
    textFilter(place, {
      name: 'conversation',
      label: say('messages.person'),
      hint: say('messages.person_hint'),
    }),
    // It is in links from other screens; of those who look for a person, few mean only one direction.
    ...(place.query.to ? [textFilter(place, { name: 'to', label: say('message.to') })] : []),
    textFilter(place, { name: 'client_ref', label: say('message.client_ref') }),
  ]
}
