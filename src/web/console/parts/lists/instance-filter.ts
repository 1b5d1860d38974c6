import { h } from 'preact'
import { useCall } from '../../core/hooks/use-call.ts'
import { say } from '../../words/say.ts'
import { InstanceField, maxChoices } from '../forms/instance-field.ts'
import { Skeleton } from '../skeleton.ts'
import { type Filter, type ListPlace, setFilters } from './filters.ts'
import { OptionMenu } from './option-menu.ts'

/**
 * A filter by an instance: one of a menu, or, if there are many, by typing a part of its name. `name` is that of its value in the
 * link.
 */
export function instanceFilter(place: ListPlace, name = 'instance'): Filter {
  const value = place.query[name] ?? ''
  const choose = (instance: string) => setFilters(place, { [name]: instance })
  const none = say('everywhere.all_instances')
  return {
    names: [name],
    label: say('everywhere.instance'),
    said: value || undefined,
    menu: (done) =>
      h(InstanceMenu, {
        value,
        onChoose: (instance) => {
          choose(instance)
          done()
        },
      }),
    fields: () => h(InstanceField, { value, onChange: choose, none }),
  }
}

interface InstanceMenuProps {
  readonly value: string
  readonly onChoose: (instance: string) => void
}

function InstanceMenu({ value, onChoose }: InstanceMenuProps) {
  const { data, isLoading } = useCall('listInstances', { query: { limit: maxChoices } })
  if (!data && isLoading) return h(Skeleton, { rows: 3, look: 'lines' })
  const none = say('everywhere.all_instances')
  if (!data || data.next_cursor) return h(InstanceField, { value, onChange: onChoose, none })
  return h(OptionMenu, {
    label: say('everywhere.instance'),
    value,
    options: [{ value: '', text: none }, ...data.data.map(({ name }) => ({ value: name, text: name }))],
    onChoose,
  })
}
