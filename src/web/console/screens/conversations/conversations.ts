import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Conversation } from '../../../../contract/resources/conversation.ts'
import { shownCall } from '../../core/curl.ts'
import { goTo, linkTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { Icon } from '../../parts/icon.ts'
import { Calls, type ScreenProps } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { ConversationList } from './list/conversation-list.ts'
import { ListPane } from './list/list-pane.ts'
import { listRequest } from './list/list-query.ts'
import { Thread } from './thread.ts'
import { threadRequest } from './use-thread.ts'

/** The conversations, and one of them beside the list. On a narrow screen, each has the screen for itself. */
export function screen({ me, params, query: { at: sought, ...query } }: ScreenProps) {
  const { instance, address } = params
  const chosen = instance !== undefined && address !== undefined ? { instance, address } : undefined
  const [found, setFound] = useState<Conversation | null>()
  const [timesRead, setTimesRead] = useState(0)
  const [subject, setSubject] = useState<string>()
  const [hasCalls, setCalls] = useState(false)
  // For a moment after the person chose another conversation, the list still has the one before.
  const isOther = found && ![found.conversation, ...found.aliases].includes(address ?? '')
  const known = isOther || found?.instance !== instance ? undefined : found
  const mayWrite = me.key?.role !== 'read'
  const title = chosen ? (known?.name ?? known?.username ?? chosen.address) : say('conversations.title')
  useEffect(() => {
    document.title = `${title} – Posthorn`
  }, [title])
  const calls = [
    ...(chosen ? [shownCall('listMessages', threadRequest(chosen.instance, chosen.address))] : []),
    shownCall('listConversations', listRequest(query)),
    ...(chosen && mayWrite ? [shownCall('sendTextMessage', { body: sample(chosen) })] : []),
  ]
  const callsButton = h(
    Button,
    { look: 'quiet', onClick: () => setCalls(true), label: say('everywhere.call_behind') },
    h(Icon, { name: 'code' }),
  )
  return h(
    'main',
    {
      ...{ id: 'main', tabIndex: -1, 'aria-labelledby': 'title' },
      class: chosen ? 'conversations open' : 'conversations',
    },
    h(
      ListPane,
      { query, chosen, mayWrite, callsButton: chosen ? null : callsButton },
      h(ConversationList, { query, chosen, onChosen: setFound, timesRead, subject }),
    ),
    chosen
      ? h(Thread, {
          key: JSON.stringify([chosen.instance, chosen.address]),
          ...chosen,
          ...{ mayWrite, callsButton, sought },
          mayForget: me.key?.role === 'admin',
          back: linkTo(['conversations'], query),
          conversation: known,
          onRead: () => setTimesRead(timesRead + 1),
          onSubject: setSubject,
          onLeave: () => leave(query),
        })
      : h('p', { class: 'choose wide-only' }, h(Icon, { name: 'talk' }), say('conversations.choose')),
    hasCalls && h(Calls, { calls, onClose: () => setCalls(false) }),
  )
}

const sample = ({ instance, address }: { readonly instance: string; readonly address: string }) => ({
  instance,
  to: address,
  text: '…',
})

/** Back to the list, at the row of the conversation if it is in view. */
function leave(query: ScreenProps['query']): void {
  document.querySelector<HTMLElement>('.conversation-list a[aria-current]')?.focus()
  goTo(['conversations'], query)
}
