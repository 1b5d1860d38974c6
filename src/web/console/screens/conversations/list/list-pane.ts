import { type ComponentChildren, h } from 'preact'
import { useTyped } from '../../../core/hooks/use-typed.ts'
import { changeQuery, linkTo } from '../../../core/router.ts'
import { InstanceField } from '../../../parts/forms/instance-field.ts'
import { Icon } from '../../../parts/icon.ts'
import { say } from '../../../words/say.ts'
import type { ChosenConversation } from './list-changes.ts'
import { type ListQuery, narrowings } from './list-query.ts'

interface PaneProps {
  readonly query: ListQuery
  readonly chosen: ChosenConversation | undefined
  readonly mayWrite: boolean
  /** Shows the calls behind the screen; beside an open conversation, its own header does. */
  readonly callsButton: ComponentChildren
  readonly children?: ComponentChildren
}

/** The list with its title, its search and its filters, which are kept in the link. */
export function ListPane({ query, chosen, mayWrite, callsButton, children }: PaneProps) {
  const open = (change: ListQuery, replace = false) => {
    const path = chosen ? ['conversations', chosen.instance, chosen.address] : ['conversations']
    changeQuery(path, { ...change, at: '' }, replace)
  }
  const title = say('conversations.title')
  return h(
    'div',
    { class: chosen ? 'conversation-pane wide-only' : 'conversation-pane' },
    h(
      'header',
      null,
      chosen
        ? h('p', { class: 'pane-title' }, h('a', { href: linkTo(['conversations'], query) }, title))
        : h('h1', { id: 'title', class: 'pane-title' }, title),
      callsButton,
      h(IconLink, {
        icon: 'people',
        words: say('groups.title'),
        href: linkTo(['groups'], query.instance ? { instance: query.instance } : {}),
      }),
      mayWrite &&
        h(IconLink, {
          icon: 'compose',
          words: say('message.send_message'),
          href: linkTo(['send'], query.instance ? { instance: query.instance } : {}),
        }),
    ),
    h(
      'div',
      { class: 'conversation-filters' },
      h(Search, { value: query.q ?? '', onChange: (q) => open({ q }, true) }),
      h(InstanceField, {
        value: query.instance ?? '',
        onChange: (instance) => open({ instance }),
        none: say('everywhere.all_instances'),
      }),
      h(
        'div',
        { class: 'narrowings', role: 'group', 'aria-label': say('conversations.show') },
        ['', ...narrowings].map((show) =>
          h(
            'button',
            {
              key: show,
              type: 'button',
              'aria-pressed': (query.show ?? '') === show,
              onClick: () => open({ show }),
            },
            say(`conversations.shows.${(show || 'all') as 'all' | (typeof narrowings)[number]}`),
          ),
        ),
      ),
    ),
    children,
  )
}

interface IconLinkProps {
  readonly icon: 'people' | 'compose'
  readonly words: string
  readonly href: string
}

function IconLink({ icon, words, href }: IconLinkProps) {
  return h('a', { class: 'button quiet', href, 'aria-label': words, title: words }, h(Icon, { name: icon }))
}

interface SearchProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Finds people, groups and texts. */
function Search({ value, onChange }: SearchProps) {
  const [typed, setTyped] = useTyped(value, onChange)
  const words = say('conversations.search')
  return h(
    'span',
    { class: 'search' },
    h(Icon, { name: 'search' }),
    h('input', {
      ...{ type: 'search', value: typed, maxLength: 200, autocomplete: 'off' },
      ...{ 'aria-label': words, placeholder: words },
      onInput: (event: Event) => setTyped((event.currentTarget as HTMLInputElement).value),
    }),
  )
}
