import { h } from 'preact'
import { useState } from 'preact/hooks'
import { shownCall } from '../../core/curl.ts'
import { linkTo } from '../../core/router.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { ConversationList, listRequest } from './conversation-list.ts'
import { Thread } from './thread.ts'
import type { Unread } from './use-reading.ts'
import { threadRequest } from './use-thread.ts'

/** The conversations, and one of them beside the list. On a narrow screen, each has the screen for itself. */
export function screen({ me, params, query }: ScreenProps) {
  const { instance, address } = params
  const [unread, setUnread] = useState<Unread>()
  const [timesRead, setTimesRead] = useState(0)
  const list = shownCall('listConversations', listRequest(query.instance))
  if (instance === undefined || address === undefined)
    return h(
      Screen,
      { title: say('conversations.title'), calls: [list] },
      h(
        'div',
        { class: 'conversations' },
        h(ConversationList, { query, chosen: undefined }),
        h('p', { class: 'hint wide-only' }, say('conversations.choose')),
      ),
    )
  const key = JSON.stringify([instance, address])
  const mayWrite = me.key?.role !== 'read'
  return h(
    Screen,
    {
      title: address,
      parent: { title: say('conversations.title'), link: linkTo(['conversations'], query) },
      calls: [
        shownCall('listMessages', threadRequest(instance, address)),
        list,
        ...(mayWrite ? [shownCall('sendTextMessage', { body: { instance, to: address, text: '…' } })] : []),
      ],
    },
    h(
      'div',
      { class: 'conversations' },
      h(ConversationList, { query, chosen: { instance, address }, onUnread: setUnread, timesRead }),
      h(Thread, { key, instance, address, mayWrite, unread, onRead: () => setTimesRead(timesRead + 1) }),
    ),
  )
}
