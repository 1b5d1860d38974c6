import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { Conversation } from '../../../../contract/resources/conversation.ts'
import { shownCall } from '../../core/curl.ts'
import { linkTo } from '../../core/router.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { ConversationList, listRequest } from './conversation-list.ts'
import { Thread } from './thread.ts'
import { threadRequest } from './use-thread.ts'

/** The conversations, and one of them beside the list. On a narrow screen, each has the screen for itself. */
export function screen({ me, params, query }: ScreenProps) {
  const { instance, address } = params
  const [chosen, setChosen] = useState<Conversation | null>()
  const [timesRead, setTimesRead] = useState(0)
  const [subject, setSubject] = useState<string>()
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
  // For a moment after the person chose another conversation, the list still has the one before.
  const isOther = chosen && ![chosen.conversation, ...chosen.aliases].includes(address)
  const known = isOther || chosen?.instance !== instance ? undefined : chosen
  const mayWrite = me.key?.role !== 'read'
  return h(
    Screen,
    {
      title: known?.name ?? address,
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
      h(ConversationList, { query, chosen: { instance, address }, onChosen: setChosen, timesRead, subject }),
      h(Thread, {
        key,
        ...{ instance, address, mayWrite },
        conversation: known,
        onRead: () => setTimesRead(timesRead + 1),
        onSubject: setSubject,
      }),
    ),
  )
}
