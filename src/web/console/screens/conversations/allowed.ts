import type { Message } from '../../../../contract/resources/message.ts'
import type { SendingAbility } from '../../../../contract/statuses.ts'
import type { Network } from '../../core/operations.ts'
import type { Folded } from './folded.ts'

/** Orders about a message that are possible, by the network and by what it is. */
export interface Allowed {
  readonly reply: boolean
  readonly reaction: boolean
  readonly edit: boolean
  readonly retract: boolean
}

export const nothing: Allowed = { reply: false, reaction: false, edit: false, retract: false }

/** Statuses of messages that the recipient does not have, and will not have. */
const neverSent: readonly Message['status'][] = ['failed', 'expired', 'canceled', 'unknown']
/** Kinds that are about another message: nothing else can be about them. */
const followers: readonly Message['kind'][] = ['reaction', 'retraction', 'poll_vote']

function canSend(network: Network | undefined, ability: SendingAbility): boolean {
  return network?.abilities.sends.includes(ability) === true
}

/** Says what can be done about a message now. The server has the last word. */
export function allowedFor(
  { message, retraction }: Folded,
  network: Network | undefined,
  now: number,
): Allowed {
  const { status, kind, direction, relation } = message
  if (!network || retraction || neverSent.includes(status) || followers.includes(kind)) return nothing
  const can = (ability: SendingAbility) => canSend(network, ability)
  const isOwn = direction === 'outbound'
  const isRecent = (seconds: number | null) =>
    seconds === null || message.sent_at === null || now <= Date.parse(message.sent_at) + seconds * 1000
  const { edit_seconds, retract_seconds } = network.limits
  const hasWords = (kind === 'text' && relation?.type !== 'correction') || Boolean(message.media)
  return {
    reply: can('reply'),
    reaction: can('reaction'),
    edit: isOwn && hasWords && can('edit') && isRecent(edit_seconds),
    retract: isOwn && can('retract') && isRecent(retract_seconds),
  }
}
