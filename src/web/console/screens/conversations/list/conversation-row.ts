import { h } from 'preact'
import type { Conversation } from '../../../../../contract/resources/conversation.ts'
import { number } from '../../../../browser/numbers.ts'
import { linkTo } from '../../../core/router.ts'
import { useWriters } from '../../../core/typing.ts'
import { Avatar } from '../../../parts/avatar.ts'
import type { NameOf } from '../../../parts/message/mentioned.ts'
import { excerptOf } from '../../../parts/message/message-content.ts'
import { Tick } from '../../../parts/message/tick.ts'
import { ShortTime } from '../../../parts/time.ts'
import { say } from '../../../words/say.ts'
import { wordsOf } from '../writing.ts'
import { isGroupConversation } from './list-changes.ts'
import type { ListQuery } from './list-query.ts'

interface RowProps {
  readonly item: Conversation
  readonly query: ListQuery
  readonly isChosen: boolean
  readonly nameOf: NameOf
}

/** A conversation: the person and when, and below it the beginning of what was written last. */
export function ConversationRow({ item, query, isChosen, nameOf }: RowProps) {
  const { instance, conversation, unread = 0, last_message } = item
  const name = item.name ?? item.username ?? null
  return h(
    'li',
    null,
    h(
      'a',
      {
        href: linkTo(['conversations', instance, conversation], query),
        'aria-current': isChosen ? 'page' : undefined,
        title: `${conversation} · ${instance}`,
      },
      h(Avatar, {
        instance,
        address: conversation,
        name,
        isGroup: isGroupConversation(item),
        hasPicture: Boolean(item.picture_url),
      }),
      h(
        'span',
        { class: 'conversation-words' },
        h(
          'span',
          { class: 'line' },
          h('strong', { dir: 'auto' }, name ?? conversation),
          name !== null && h('span', { class: 'unseen' }, ` ${conversation} `),
          h(ShortTime, { at: last_message.created_at }),
        ),
        h(
          'span',
          { class: 'line' },
          h(Newest, { item, nameOf }),
          unread > 0
            ? h(
                'span',
                { class: 'unread' },
                h('span', { 'aria-hidden': true }, number(unread)),
                h('span', { class: 'unseen' }, say('conversations.unread', { count: unread })),
              )
            : !query.instance && h('span', { class: 'small' }, instance),
        ),
      ),
    ),
  )
}

/** The beginning of the newest message, or who is writing the next one. */
function Newest({ item, nameOf }: Pick<RowProps, 'item' | 'nameOf'>) {
  const { instance, conversation, aliases, last_message } = item
  const isGroup = isGroupConversation(item)
  const [writer, ...others] = useWriters(instance, conversation, aliases)
  if (writer)
    return h(
      'span',
      { class: 'newest writing' },
      wordsOf(isGroup ? writer.from : null, writer.state, others.length),
    )
  const text = excerptOf(last_message, nameOf)
  const { direction, sender, status } = last_message
  if (direction === 'outbound') return h('span', { class: 'newest' }, h(Tick, { status }), afterYou(text))
  if (!isGroup || !sender?.name) return h('span', { class: 'newest', dir: 'auto' }, text)
  return h('span', { class: 'newest' }, after(`${sender.name}: `, text))
}

/** The beginning of what the business wrote, after the word that says so. */
export const afterYou = (text: string) => after(say('conversations.you', { text: '' }), text)

/** Each in its own direction: else words that are read from right to left are cut at their beginning. */
const after = (lead: string, text: string) => [
  h('span', { key: 'lead', class: 'leading', dir: 'auto' }, lead),
  h('span', { key: 'said', class: 'said-after', dir: 'auto' }, text),
]
