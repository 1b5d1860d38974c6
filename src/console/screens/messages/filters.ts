import { h } from 'preact'
import type { Message } from '../../../contract/resources/message.ts'
import type { Request } from '../../core/operations.ts'
import { goTo } from '../../core/router.ts'
import { useTyped } from '../../core/use-typed.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { ChoiceField, TextField } from '../../parts/fields.ts'
import { InstanceField } from '../../parts/instance-field.ts'
import { say as sayCommon } from '../../words/everywhere.ts'
import { messageDirections, sayDirection, sayMessage } from '../../words/messages.ts'
import { messageStatuses, sayMessageStatus } from '../../words/statuses.ts'
import { say } from './words.ts'

type ListFilters = NonNullable<Request<'listMessages'>['query']>
const names = ['status', 'instance', 'direction', 'to', 'conversation', 'client_ref'] as const
type FilterName = (typeof names)[number]
type Query = Readonly<Record<string, string>>

/** The filters in a link; what else stands there is left out. */
export function filtersOf(query: Query): ListFilters {
  const given = names.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []))
  return Object.fromEntries(given) as ListFilters
}

/** Whether a message is one of those that the filters ask for, as far as the message itself tells. */
export function matches(filters: ListFilters, message: Message): boolean {
  const { status, instance, direction, to, conversation, client_ref } = filters
  return (
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
  const isFurther = Boolean(query.to || query.conversation || query.client_ref)
  return h(
    'div',
    { role: 'search' },
    h(
      'div',
      { class: 'filters' },
      h(Choice, {
        label: sayCommon('status'),
        value: query.status,
        onChange: set('status'),
        options: messageStatuses.map((value) => ({ value, label: sayMessageStatus(value) })),
      }),
      h(InstanceField, { value: query.instance ?? '', onChange: set('instance'), none: say('any_instance') }),
      h(Choice, {
        label: sayMessage('direction'),
        value: query.direction,
        onChange: set('direction'),
        options: messageDirections.map((value) => ({ value, label: sayDirection(value) })),
      }),
    ),
    h(
      Disclosure,
      { title: say('more_filters'), isOpen: isFurther },
      h(
        'div',
        { class: 'filters' },
        h(Typed, { label: sayMessage('to'), value: query.to, onChange: set('to') }),
        h(Typed, {
          label: sayMessage('conversation'),
          value: query.conversation,
          onChange: set('conversation'),
        }),
        h(Typed, { label: sayMessage('client_ref'), value: query.client_ref, onChange: set('client_ref') }),
      ),
    ),
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
  return h(ChoiceField, { ...rest, value, options: [{ value: '', label: sayCommon('all') }, ...options] })
}

function Typed({ label, value = '', onChange }: FilterProps) {
  const [typed, setTyped] = useTyped(value, onChange)
  return h(TextField, { label, value: typed, onChange: setTyped })
}
