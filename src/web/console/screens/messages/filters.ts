import { h } from 'preact'
import type { Message } from '../../../../contract/resources/message.ts'
import { localField, momentOf } from '../../core/local-time.ts'
import type { Request } from '../../core/operations.ts'
import { bindToLink } from '../../core/router.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { ChoiceField, TextField, TypedField } from '../../parts/forms/fields.ts'
import { InstanceField } from '../../parts/forms/instance-field.ts'
import { say } from '../../words/say.ts'
import { messageStatuses } from '../../words/statuses.ts'

const directions: readonly Message['direction'][] = ['outbound', 'inbound']

export type ListFilters = NonNullable<Request<'listMessages'>['query']>
const names = [
  'text',
  'status',
  'instance',
  'direction',
  'created_after',
  'created_before',
  'to',
  'conversation',
  'client_ref',
] as const
type FilterName = (typeof names)[number]
type Query = Readonly<Record<string, string>>

/** The filters in a link; what else stands there is left out. */
export function filtersOf(query: Query): ListFilters {
  const given = names.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []))
  return Object.fromEntries(given) as ListFilters
}

/** Returns true if a message passes the filters, as far as the message itself tells. */
export function matches(filters: ListFilters, message: Message): boolean {
  const { text, status, instance, direction, to, conversation, client_ref } = filters
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
    (to === undefined || (message.direction === 'outbound' && to === message.to)) &&
    (conversation === undefined ||
      conversation === message.conversation ||
      message.aliases.includes(conversation)) &&
    (client_ref === undefined || client_ref === message.client_ref)
  )
}

/** The filters of the list, which stand in the link. */
export function Filters({ query }: { readonly query: Query }) {
  const filter: Filter = bindToLink(['messages'], query)
  const isFurther = names.slice(4).some((name) => query[name])
  return h(
    'div',
    { role: 'search' },
    h(
      'div',
      { class: 'filters' },
      h(TypedField, { ...filter('text'), label: say('messages.search'), type: 'search', maxLength: 200 }),
      h(ChoiceField<string, Message['status']>, {
        ...filter('status'),
        label: say('everywhere.status'),
        none: say('everywhere.all'),
        values: messageStatuses,
        nameOf: (value) => say(`statuses.message.${value}`),
      }),
      h(InstanceField, { ...filter('instance'), none: say('everywhere.all_instances') }),
      h(ChoiceField<string, Message['direction']>, {
        ...filter('direction'),
        label: say('message.direction'),
        none: say('everywhere.all'),
        values: directions,
        nameOf: (value) => say(`message.directions.${value}`),
      }),
    ),
    h(Disclosure, { title: say('messages.more_filters'), isOpen: isFurther }, h(FurtherFilters, { filter })),
  )
}

type Filter = (name: FilterName) => Omit<MomentProps, 'label'>

function FurtherFilters({ filter }: { readonly filter: Filter }) {
  return h(
    'div',
    { class: 'filters' },
    h(Moment, { ...filter('created_after'), label: say('messages.after') }),
    h(Moment, { ...filter('created_before'), label: say('messages.before') }),
    h(TypedField, { ...filter('to'), label: say('message.to') }),
    h(TypedField, { ...filter('conversation'), label: say('message.conversation') }),
    h(TypedField, { ...filter('client_ref'), label: say('message.client_ref') }),
  )
}

interface MomentProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A moment, entered in local time; the link has it in UTC, so that it means the same to everybody. */
function Moment({ label, value, onChange }: MomentProps) {
  return h(TextField, {
    label,
    value: localField(value),
    onChange: (field) => onChange(momentOf(field)),
    type: 'datetime-local',
  })
}
