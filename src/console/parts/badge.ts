import { h } from 'preact'
import type { InstanceStatus, MessageStatus } from '../../contract/statuses.ts'
import {
  instanceTones,
  messageTones,
  sayInstanceStatus,
  sayMessageStatus,
  type Tone,
} from '../words/statuses.ts'

/** A status in words, with a colour that says how good it is. */
export function Badge({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return h('span', { class: `badge ${tone}` }, text)
}

export function InstanceBadge({ status }: { readonly status: InstanceStatus }) {
  return h(Badge, { tone: instanceTones[status] ?? 'idle', text: sayInstanceStatus(status) })
}

export function MessageBadge({ status }: { readonly status: MessageStatus }) {
  return h(Badge, { tone: messageTones[status] ?? 'idle', text: sayMessageStatus(status) })
}
