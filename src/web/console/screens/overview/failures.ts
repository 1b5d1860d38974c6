import { h } from 'preact'
import { useEffect } from 'preact/hooks'
import { usePages } from '../../core/hooks/use-pages.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { linkTo } from '../../core/router.ts'
import { Card } from '../../parts/card.ts'
import { Failure } from '../../parts/failure.ts'
import { excerptOf } from '../../parts/message/message-content.ts'
import { Age } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { errorText } from '../../words/server-texts.ts'

/** Messages that are shown. */
const shown = 5

export const failuresRequest = { query: { status: 'failed', limit: shown } } as const

/** The messages that failed last, each with the reason. */
export function LatestFailures({ onRead }: { readonly onRead: () => void }) {
  const { items, error, isRead, change, reload } = usePages('listMessages', failuresRequest)
  useLive((event) => {
    const message = messageIn(event)
    if (message?.status !== 'failed') return
    change((before) => [message, ...before.filter(({ id }) => id !== message.id)].slice(0, shown))
  }, reload)
  const isKnown = isRead || error !== undefined
  useEffect(() => {
    if (isKnown) onRead()
  }, [isKnown])
  if (error !== undefined) return h(Failure, { error, onRetry: reload })
  const all = h(
    'a',
    { class: 'small', href: linkTo(['messages'], { status: 'failed' }) },
    say('overview.all'),
  )
  return h(
    Card,
    { id: 'failures', title: say('overview.failures'), aside: all },
    items.length === 0 && h('p', { class: 'small' }, isRead && say('overview.no_failures')),
    h(
      'ul',
      { class: 'rows' },
      items.map((message) =>
        h(
          'li',
          { key: message.id },
          h(
            'div',
            { class: 'what' },
            h(
              'a',
              { class: 'whole', href: linkTo(['messages', message.id]) },
              message.to ?? message.conversation,
            ),
            h('span', { class: 'small cut', dir: 'auto' }, excerptOf(message)),
            message.error && h('span', { class: 'small fault cut' }, errorText(message.error)),
          ),
          h('span', { class: 'small' }, h(Age, { at: message.created_at })),
        ),
      ),
    ),
  )
}
