import { h } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import { language } from '../../../browser/words.ts'
import { Known } from '../../core/reach/use-reach.ts'
import { linkTo } from '../../core/router.ts'
import { say } from '../../words/say.ts'
import { Avatar } from '../avatar.ts'
import { MessageBadge } from '../badge.ts'
import { Icon } from '../icon.ts'
import { useChunks } from '../lists/chunks.ts'
import { type Selection, selectByKey } from '../lists/selection.ts'
import { walkRows } from '../table.ts'
import { Age } from '../time.ts'
import { excerptOf } from './message-content.ts'
import { waitsFor } from './waits.ts'

interface MessageTableProps {
  readonly caption: string
  readonly items: readonly Message[]
  /** Leaves out their instance: it is the same for all. */
  readonly isOfOneInstance?: boolean
  /** Lets rows be selected. */
  readonly selection?: Selection | undefined
}

/**
 * Messages as rows that lead to them: the person and the words first. On a phone, a row has two lines. Thousands of rows are drawn in
 * parts, and those out of sight only once they come into it.
 */
export function MessageTable({ caption, items, isOfOneInstance = false, selection }: MessageTableProps) {
  const chunks = useChunks(items)
  const press = (event: KeyboardEvent) => {
    if (selection) selectByKey(event, selection)
    if (event.defaultPrevented) return
    const row = walkRows(event)
    if (row && event.shiftKey && row.dataset.key) selection?.toggle(row.dataset.key, true)
  }
  const titles = [
    say('message.to_or_from'),
    say('message.content'),
    ...(isOfOneInstance ? [] : [say('everywhere.instance')]),
    say('everywhere.status'),
    say('everywhere.time'),
  ]
  const look = `message-table${isOfOneInstance ? ' of-one' : ''}${selection?.keys.length ? ' picking' : ''}`
  return h(
    'table',
    { class: look, onKeyDown: press },
    h('caption', { class: 'unseen' }, caption),
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        h('td', null),
        titles.map((title) => h('th', { key: title, scope: 'col' }, title)),
      ),
    ),
    chunks.map((chunk) =>
      h(Rows, {
        key: chunk[0]?.id,
        items: chunk,
        isOfOneInstance,
        selected: selection && chunk.map(({ id }) => (selection.has(id) ? '1' : '0')).join(''),
        onSelect: selection?.toggle,
      }),
    ),
  )
}

interface RowsProps {
  readonly items: readonly Message[]
  readonly isOfOneInstance: boolean
  /** A digit for each row: 1 if it is selected. Undefined if none can be. */
  readonly selected: string | undefined
  readonly onSelect: Selection['toggle'] | undefined
}

/** A part of the rows, which is drawn again only if one of its messages changes. */
function Rows({ items, isOfOneInstance, selected, onSelect }: RowsProps) {
  const isKnown = useContext(Known)
  const latest = useMemo(() => ({ onSelect }), [])
  latest.onSelect = onSelect
  return useMemo(
    () =>
      h(
        'tbody',
        null,
        items.map((message, at) =>
          h(Row, {
            key: message.id,
            message,
            isOfOneInstance,
            isSelected: selected?.[at] === '1',
            onSelect: selected === undefined ? undefined : (...given) => latest.onSelect?.(...given),
          }),
        ),
      ),
    [items, isOfOneInstance, selected, isKnown, language()],
  )
}

interface RowProps extends Pick<RowsProps, 'isOfOneInstance' | 'onSelect'> {
  readonly message: Message
  readonly isSelected: boolean
}

function Row({ message, isOfOneInstance, isSelected, onSelect }: RowProps) {
  const { id, direction, instance, status, created_at } = message
  const isIncoming = direction === 'inbound'
  const name = nameOf(message)
  return h(
    'tr',
    { 'data-key': id, class: isSelected ? 'selected' : undefined },
    h('td', { class: 'pick' }, h(Face, { message, name, isSelected, onSelect })),
    h('th', { scope: 'row', class: 'who', dir: 'auto' }, h('a', { href: linkTo(['messages', id]) }, name)),
    h(
      'td',
      { class: 'text' },
      h(Icon, { name: isIncoming ? 'in' : 'out' }),
      h('span', { class: 'unseen' }, `${say(`message.directions.${direction}`)} `),
      contentOf(message),
    ),
    !isOfOneInstance && h('td', { class: 'of' }, instance),
    h(
      'td',
      { class: 'standing' },
      h(MessageBadge, { status }),
      h('span', { class: 'waits' }, waitsFor(message)),
    ),
    h('td', { class: 'when' }, h(Age, { at: created_at })),
  )
}

interface FaceProps extends Pick<RowProps, 'message' | 'isSelected' | 'onSelect'> {
  readonly name: string
}

/** The initials of the person, with a box over them that selects the row. Tab passes over it: Space on the row does the same. */
function Face({ message, name, isSelected, onSelect }: FaceProps) {
  const { id, instance, conversation, sender } = message
  return [
    h(Avatar, {
      instance,
      address: conversation,
      name: sender?.name ?? (/\p{L}/u.test(name) ? name : null),
      isGroup: false,
      hasPicture: false,
    }),
    onSelect && [
      h('input', {
        type: 'checkbox',
        tabIndex: -1,
        checked: isSelected,
        'aria-label': say('everywhere.select', { name }),
        onClick: (event: MouseEvent) => onSelect(id, event.shiftKey),
      }),
      h('span', { class: 'box', 'aria-hidden': true }, h(Icon, { name: 'check' })),
    ],
  ]
}

/** The person whom a message is from or to: by name, if they gave one. */
export function nameOf({ direction, to, from, sender, conversation }: Message): string {
  return (direction === 'inbound' ? (sender?.name ?? from) : to) ?? conversation
}

function contentOf(message: Message) {
  const kind = say(`message.kinds.${message.kind}`)
  const words = excerptOf(message)
  const excerpt = h('span', { key: 'excerpt', class: 'excerpt', dir: 'auto' }, words)
  if (message.kind === 'text' || words === kind) return excerpt
  return [h('span', { key: 'kind', class: 'small' }, kind), ' ', excerpt]
}
