import { h } from 'preact'
import { useContext } from 'preact/hooks'
import type { InstanceStatus, MessageStatus } from '../../../contract/statuses.ts'
import { Known } from '../core/reach/use-reach.ts'
import { say } from '../words/say.ts'
import { instanceTones, messageTones, type Tone } from '../words/statuses.ts'

/** A status in words, with a colour that says how good it is; without one if it is not known whether it still is. */
export function Badge({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  const isKnown = useContext(Known)
  if (isKnown) return h('span', { class: `badge ${tone}` }, text)
  const words = say('everywhere.as_last_known')
  return h(
    'span',
    { class: 'badge not-known', title: words },
    text,
    h('span', { class: 'unseen' }, ` (${words})`),
  )
}

export function InstanceBadge({ status }: { readonly status: InstanceStatus }) {
  return h(Badge, { tone: instanceTones[status] ?? 'idle', text: say(`statuses.instance.${status}`) })
}

export function MessageBadge({ status }: { readonly status: MessageStatus }) {
  return h(Badge, { tone: messageTones[status] ?? 'idle', text: say(`statuses.message.${status}`) })
}
