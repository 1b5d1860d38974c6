import { h } from 'preact'
import { shownCall } from '../../core/curl.ts'
import { useTyped } from '../../core/hooks/use-typed.ts'
import { contract } from '../../core/operations.ts'
import { goTo } from '../../core/router.ts'
import { ChoiceField, TextField } from '../../parts/forms/fields.ts'
import { InstanceField } from '../../parts/forms/instance-field.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { Replay } from './replay.ts'
import { Tail } from './tail.ts'

/** The events of the organization: live as they happen, or from a cursor on. */
export function screen({ query }: ScreenProps) {
  const { types = '', instances = '', after } = query
  const filter = (changed: Readonly<Record<string, string>>) =>
    goTo(['events'], { ...query, ...changed }, true)
  const [cursor, setCursor] = useTyped(after ?? '', (value) => filter({ after: value }))
  return h(
    Screen,
    {
      title: say('events.title'),
      calls: [
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
        label: say('events.type'),
        value: types,
        onChange: (chosen) => filter({ types: chosen }),
        options: [
          { value: '', label: say('everywhere.all') },
          ...contract.eventTypes.map((value) => ({ value, label: value })),
        ],
      }),
      h(InstanceField, {
        value: instances,
        onChange: (chosen) => filter({ instances: chosen }),
        none: say('everywhere.all_instances'),
      }),
      h(TextField, {
        label: say('events.cursor'),
        hint: say('events.cursor_hint'),
        value: cursor,
        onChange: setCursor,
      }),
      h('button', { type: 'button', onClick: () => filter({ after: 'oldest' }) }, say('events.earlier')),
    ),
    after
      ? h(Replay, { key: `${after} ${types} ${instances}`, after, types, instances })
      : h(Tail, { types, instances }),
  )
}
