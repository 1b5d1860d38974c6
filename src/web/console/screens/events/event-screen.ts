import { h } from 'preact'
import { shownCall } from '../../core/curl.ts'
import { contract } from '../../core/operations.ts'
import { bindToLink } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { ChoiceField, TypedField } from '../../parts/forms/fields.ts'
import { InstanceField } from '../../parts/forms/instance-field.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { Replay } from './replay.ts'
import { newestRequest, Tail } from './tail.ts'

/** The events of the organization: live as they happen, or from a cursor on. */
export function screen({ query }: ScreenProps) {
  const { types = '', instances = '', after } = query
  const filter = bindToLink(['events'], query)
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
    h(
      'div',
      { class: 'filters' },
      h(ChoiceField, {
        ...filter('types'),
        label: say('events.type'),
        none: say('everywhere.all'),
        values: contract.eventTypes,
      }),
      h(InstanceField, { ...filter('instances'), none: say('everywhere.all_instances') }),
      h(TypedField, { ...filter('after'), label: say('events.cursor'), hint: say('events.cursor_hint') }),
      h(Button, { onClick: () => filter('after').onChange('oldest') }, say('events.earlier')),
    ),
    after
      ? h(Replay, { key: `${after} ${types} ${instances}`, after, types, instances })
      : h(Tail, { types, instances }),
  )
}
