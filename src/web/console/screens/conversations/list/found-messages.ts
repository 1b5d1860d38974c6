import { h } from 'preact'
import type { Message } from '../../../../../contract/resources/message.ts'
import { usePages } from '../../../core/hooks/use-pages.ts'
import { linkTo } from '../../../core/router.ts'
import type { NameOf } from '../../../parts/message/mentioned.ts'
import { excerptOf } from '../../../parts/message/message-content.ts'
import { ListEnd } from '../../../parts/table.ts'
import { ShortTime } from '../../../parts/time.ts'
import { say } from '../../../words/say.ts'
import { afterYou } from './conversation-row.ts'
import type { ListQuery } from './list-query.ts'

interface FoundProps {
  /** The filters of the list, which stay. */
  readonly query: ListQuery
  /** Empty for all. */
  readonly instance: string
  readonly text: string
  /** The names of people at an instance, as far as the list knows them. */
  readonly nameAt: (instance: string) => NameOf
}

/** The messages that contain a text, below the people who are called so. */
export function FoundMessages({ query: list, instance, text, nameAt }: FoundProps) {
  const query = { ...(instance ? { instance } : {}), text, limit: 20 }
  const pages = usePages('listMessages', { query })
  return [
    h('h2', { key: 'title', class: 'found' }, say('conversations.found_messages')),
    h(
      'ul',
      { key: 'found' },
      pages.items.map((message) => found(message, list, nameAt(message.instance))),
    ),
    h(ListEnd, { key: 'end', ...pages, empty: h('p', null, say('conversations.none_found')) }),
  ]
}

function found(message: Message, query: ListQuery, nameOf: NameOf) {
  const { id, instance, conversation, sender, direction, created_at } = message
  const text = excerptOf(message, nameOf)
  return h(
    'li',
    { key: id },
    h(
      'a',
      { href: linkTo(['conversations', instance, conversation], { ...query, at: id }) },
      h(
        'span',
        { class: 'conversation-words' },
        h(
          'span',
          { class: 'line' },
          h('strong', { dir: 'auto' }, sender?.name ?? conversation),
          h(ShortTime, { at: created_at }),
        ),
        h(
          'span',
          { class: 'line' },
          direction === 'outbound'
            ? h('span', { class: 'newest' }, afterYou(text))
            : h('span', { class: 'newest', dir: 'auto' }, text),
        ),
      ),
    ),
  )
}
