import { h } from 'preact'
import type { Message } from '../../../../contract/resources/message.ts'
import { useTyped } from '../../core/hooks/use-typed.ts'
import { localField, momentOf } from '../../core/local-time.ts'
import type { Request } from '../../core/operations.ts'
import { goTo } from '../../core/router.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { ChoiceField, TextField } from '../../parts/forms/fields.ts'
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
  const set = (name: FilterName) => (value: string) => goTo(['messages'], { ...query, [name]: value }, true)
  const isFurther = names.slice(4).some((name) => query[name])
  return h(
    'div',
    { role: 'search' },
    h(
      'div',
      { class: 'filters' },
      h(Typed, {
        label: say('messages.search'),
        value: query.text,
        onChange: set('text'),
        type: 'search',
        maxLength: 200,
      }),
      h(Choice, {
        label: say('everywhere.status'),
        value: query.status,
        onChange: set('status'),
        options: messageStatuses.map((value) => ({ value, label: say(`statuses.message.${value}`) })),
      }),
      h(InstanceField, {
        value: query.instance ?? '',
        onChange: set('instance'),
        none: say('everywhere.all_instances'),
      }),
      h(Choice, {
        label: say('message.direction'),
        value: query.direction,
        onChange: set('direction'),
        options: directions.map((value) => ({ value, label: say(`message.directions.${value}`) })),
      }),
    ),
    h(
      Disclosure,
      { title: say('messages.more_filters'), isOpen: isFurther },
      h(FurtherFilters, { query, set }),
    ),
  )
}

interface FurtherProps {
  readonly query: Query
  readonly set: (name: FilterName) => (value: string) => void
}

function FurtherFilters({ query, set }: FurtherProps) {
  return h(
    'div',
    { class: 'filters' },
    h(Moment, {
      label: say('messages.after'),
      value: query.created_after,
      onChange: set('created_after'),
    }),
    h(Moment, {
      label: say('messages.before'),
      value: query.created_before,
      onChange: set('created_before'),
    }),
    h(Typed, { label: say('message.to'), value: query.to, onChange: set('to') }),
    h(Typed, {
      label: say('message.conversation'),
      value: query.conversation,
      onChange: set('conversation'),
    }),
    h(Typed, { label: say('message.client_ref'), value: query.client_ref, onChange: set('client_ref') }),
  )
}

interface FilterProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string) => void
}

function Choice({
  options,
  value = '',
  ...rest
}: FilterProps & { readonly options: readonly { readonly value: string; readonly label: string }[] }) {
  return h(ChoiceField, {
    ...rest,
    value,
    options: [{ value: '', label: say('everywhere.all') }, ...options],
  })
}

interface TypedProps extends FilterProps {
  readonly type?: 'search'
  readonly maxLength?: number
}

function Typed({ value = '', onChange, ...rest }: TypedProps) {
  const [typed, setTyped] = useTyped(value, onChange)
  return h(TextField, { ...rest, value: typed, onChange: setTyped })
}

/** A moment, entered in local time; the link has it in UTC, so that it means the same to everybody. */
function Moment({ label, value, onChange }: FilterProps) {
  return h(TextField, {
    label,
    value: localField(value),
    onChange: (field) => onChange(momentOf(field)),
    type: 'datetime-local',
  })
}
