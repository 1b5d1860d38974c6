import { h } from 'preact'
import { shownCall } from '../../core/curl.ts'
import { contract } from '../../core/operations.ts'
import { goTo } from '../../core/router.ts'
import { ChoiceField, TextField } from '../../parts/fields.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { say as sayEverywhere } from '../../words/everywhere.ts'
import { Replay } from './replay.ts'
import { Tail } from './tail.ts'
import { say } from './words.ts'

/** The events of the organization: live as they happen, or from a cursor on. */
export function screen({ query }: ScreenProps) {
  const { types = '', instances = '', after } = query
  const filter = (changed: Readonly<Record<string, string>>) =>
    goTo(['events'], { ...query, ...changed }, true)
  return h(
    Screen,
    {
      title: say('title'),
      // What the types of the contract call lists goes into the URL as texts with commas.
      calls: [shownCall('listEvents', { query: query as never })],
    },
    h(
      'div',
      { class: 'filters' },
      h(ChoiceField, {
        label: say('type'),
        value: types,
        onChange: (chosen) => filter({ types: chosen }),
        options: [
          { value: '', label: sayEverywhere('all') },
          ...contract.eventTypes.map((value) => ({ value, label: value })),
        ],
      }),
      h(TextField, {
        label: sayEverywhere('instance'),
        type: 'search',
        value: instances,
        onChange: (value) => filter({ instances: value.trim() }),
      }),
      h(TextField, {
        label: say('cursor'),
        hint: say('cursor_hint'),
        value: after ?? '',
        onChange: (value) => filter({ after: value.trim() }),
      }),
      h('button', { type: 'button', onClick: () => filter({ after: 'oldest' }) }, say('earlier')),
    ),
    after
      ? h(Replay, { key: `${after} ${types} ${instances}`, after, types, instances })
      : h(Tail, { types, instances }),
  )
}
