import { type ComponentChildren, h } from 'preact'
import type { Message } from '../../../../contract/resources/message.ts'
import { linkTo } from '../../core/router.ts'
import { say } from '../../words/say.ts'
import { MessageBadge } from '../badge.ts'
import { Icon } from '../icon.ts'
import { Table } from '../table.ts'
import { Age } from '../time.ts'
import { excerptOf } from './message-content.ts'

interface MessageTableProps {
  readonly caption: string
  readonly items: readonly Message[]
  /** Leaves out their instance: it is the same for all. */
  readonly isOfOneInstance?: boolean
  /** Returns the buttons for a message, shown beside its status. */
  readonly orderOf?: ((message: Message) => ComponentChildren) | undefined
}

/** Messages as rows that lead to them. */
export function MessageTable({ caption, items, isOfOneInstance = false, orderOf }: MessageTableProps) {
  return h(Table<Message>, {
    caption,
    items,
    keyOf: ({ id }) => id,
    linkOf: ({ id }) => linkTo(['messages', id]),
    columns: [
      { title: say('message.to_or_from'), cell: whom },
      {
        title: say('message.content'),
        cell: (message) => h('span', { class: 'excerpt' }, contentOf(message)),
      },
      ...(isOfOneInstance
        ? []
        : [{ title: say('everywhere.instance'), cell: ({ instance }: Message) => instance }]),
      {
        title: say('everywhere.status'),
        cell: (message) => [h(MessageBadge, { status: message.status }), orderOf?.(message)],
      },
      { title: say('everywhere.time'), isShort: true, cell: ({ created_at }) => h(Age, { at: created_at }) },
    ],
  })
}

/** The person, with an arrow that says which way the message went. */
function whom({ direction, to, from, sender, conversation }: Message) {
  const isIncoming = direction === 'inbound'
  return h(
    'span',
    { class: 'address' },
    h(Icon, { name: isIncoming ? 'in' : 'out' }),
    h('span', { class: 'unseen' }, `${say(isIncoming ? 'message.from' : 'message.to')} `),
    (isIncoming ? (sender?.name ?? from) : to) ?? conversation,
  )
}

function contentOf(message: Message) {
  const kind = say(`message.kinds.${message.kind}`)
  const words = excerptOf(message)
  return message.kind === 'text' || words === kind ? words : [h('span', { class: 'small' }, kind), ' ', words]
}
