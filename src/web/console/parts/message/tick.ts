import { h } from 'preact'
import { useContext } from 'preact/hooks'
import type { MessageStatus } from '../../../../contract/statuses.ts'
import { Known } from '../../core/reach/use-reach.ts'
import { say } from '../../words/say.ts'
import { messageTones } from '../../words/statuses.ts'
import { MessageBadge } from '../badge.ts'
import { Icon, type IconName } from '../icon.ts'

/** The signs that people know from messengers. A message that went wrong says it in words instead. */
const signs: Readonly<Partial<Record<MessageStatus, IconName>>> = {
  queued: 'clock',
  sending: 'clock',
  sent: 'check',
  delivered: 'checks',
  read: 'checks',
}

/** The status of a sent message, as a sign beside its word. */
export function Tick({ status }: { readonly status: MessageStatus }) {
  const isKnown = useContext(Known)
  const name = signs[status]
  if (name === undefined || !isKnown) return h(MessageBadge, { status })
  const words = say(`statuses.message.${status}`)
  return h(
    'span',
    { class: `sign ${status === 'read' ? 'read' : (messageTones[status] ?? '')}`, title: words },
    h(Icon, { name }),
    h('span', { class: 'unseen' }, words),
  )
}
