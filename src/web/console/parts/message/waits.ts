import { h } from 'preact'
import type { Message } from '../../../../contract/resources/message.ts'
import { mediaKinds } from '../../core/draft.ts'
import { linkTo } from '../../core/router.ts'
import { say } from '../../words/say.ts'
import { InstanceBadge } from '../badge.ts'
import { Age, localTime } from '../time.ts'

/**
 * Returns the cause for which a message waits, as far as the message itself says it: its time, another attempt, or its file. Undefined if it
 * waits for something else, such as earlier messages or its instance, or does not wait.
 */
export function waitsFor(message: Message): string | undefined {
  const { status, send_at, kind, media, error } = message
  if (status !== 'queued') return undefined
  if (send_at !== null && Date.parse(send_at) > Date.now())
    return say('message.waits_until', { time: localTime(send_at) })
  const isMedia = (mediaKinds as readonly string[]).includes(kind)
  if (isMedia && media?.mime_type === null) return say('message.waits_for_file')
  return error === null ? undefined : say('message.waits_for_attempt')
}

/** The reasons that a person is told in words; a newer server may know others. */
const reasons = [
  'answer',
  'operator',
  'send_at',
  'file',
  'target',
  'retry',
  'recipient_pace',
  'earlier_message',
  'instance',
  'restriction',
  'turn',
] as const

const reasonOf = ({ waits_for }: Message) => reasons.find((known) => known === waits_for?.reason)

/** True if the message was read with what it waits for, and there are words for that. */
export const isKnownWait = (message: Message): boolean => reasonOf(message) !== undefined

/** The cause for which a message waits, with a link to what it waits for. */
export function Waits({ message }: { readonly message: Message }) {
  const reason = reasonOf(message)
  if (!(message.waits_for && reason)) return null
  const { message_id, instance_status, until } = message.waits_for
  return [
    // The attempt above says when the next one follows.
    h('p', null, say(`message.waits.${reason}`), until && reason !== 'retry' && [' ', h(Age, { at: until })]),
    message_id &&
      h('p', null, h('a', { href: linkTo(['messages', message_id]) }, say('message.waits_for_message'))),
    instance_status &&
      h(
        'p',
        null,
        h('a', { href: linkTo(['instances', message.instance]) }, message.instance),
        ' ',
        h(InstanceBadge, { status: instance_status }),
      ),
  ]
}
