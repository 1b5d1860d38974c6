import type { Static } from 'typebox'
import { id, moment, oneOf, orNull, record } from '../scalars.ts'
import { InstanceStatus } from './instance.ts'

/** The reasons for which a message waits. The first that applies is told. */
export const waitReasons = [
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
  'unknown',
] as const

export type WaitReason = (typeof waitReasons)[number]

/** The meaning of each reason for the caller. */
export const waitReasonMeanings: Readonly<Record<WaitReason, string>> = {
  answer: 'An attempt is in progress: it waits for the response of the network.',
  operator:
    'The server was restored from a backup, and the operator decides whether to send it (`held_after_restore`).',
  send_at: 'It waits for its `send_at`.',
  file: 'It waits for its file to be fetched; if a fetch failed, `until` is the time of the next one.',
  target: 'It refers to the message `message_id`, which was not sent yet, or whose outcome is unknown.',
  retry: 'The last attempt failed, and the next one follows at `until`.',
  recipient_pace:
    'The network accepts only a limited number of messages to one recipient in a period: the next attempt is at `until`.',
  earlier_message:
    'The message `message_id` to the same recipient goes first. Read that message to see what it waits for.',
  instance: 'Its instance is not connected: `instance_status` gives the status.',
  restriction:
    'The network does not let the account of the instance send anything, until `until` if that is known.',
  turn: 'Nothing else holds it up: it leaves when its turn comes, at the pace of its instance.',
  unknown: 'Posthorn cannot tell.',
}

export const WaitsFor = record(
  'WaitsFor',
  {
    reason: oneOf(waitReasons, {
      title: 'WaitReason',
      description: [
        'The first of these that applies.',
        ...waitReasons.map((reason) => `- \`${reason}\`: ${waitReasonMeanings[reason]}`),
      ].join('\n'),
    }),
    message_id: orNull(id('msg', 'The other message that it waits for; null if it waits for none.')),
    instance_status: orNull(InstanceStatus),
    until: orNull(moment('The time that it waits for; null if it waits for none, or that is not known.')),
  },
  'The cause for which a message that is `queued` or `sending` waits, at the moment of the response; null once it waits no longer. Absent ' +
    'in lists and events, which do not look for it: read the message (`GET /v1/messages/{id}`).',
)
export type WaitsFor = Static<typeof WaitsFor>
