import type { Call } from '../../contract/handler.ts'
import type { Operation } from '../../contract/operation.ts'
import type {
  editMessage,
  reactToMessage,
  retractMessage,
} from '../../contract/operations/following-operations.ts'
import { type InvalidValue, lackingAbility, Problem } from '../../contract/problem.ts'
import type { EditMessage } from '../../contract/resources/sending.ts'
import { mediaKinds, type RelationType } from '../../contract/statuses.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import type { MessageOperationsContext } from './context.ts'
import { type FoundTarget, findTarget } from './find-target.ts'
import { mustNotBeRetracted } from './referable.ts'
import { type SendingContent, sendMessage, textFaults } from './send-message.ts'

/*
 * Messages that change another one, or react to it: each is a message of its own, to the same recipient.
 */

/** The change of another message. */
interface Follow {
  readonly type: RelationType
  /** Throws the problem if the target, or its network, does not allow it. */
  check(target: FoundTarget, driver: Driver): void
  faults(target: FoundTarget, driver: Driver): InvalidValue[]
  readonly content: SendingContent
}

type FollowCall = Call<typeof reactToMessage> | Call<typeof editMessage> | Call<typeof retractMessage>

/** Answers a request to change another message, or to react to it. */
export async function follow(
  context: MessageOperationsContext,
  operation: Operation,
  call: FollowCall,
  { type, check, faults, content }: Follow,
) {
  const { caller, params, turn } = call
  const { organizationId, instances } = caller
  const target = await context.store.read(findTarget, { organizationId, instances, id: params.id }, turn)
  if (!target) throw new Problem('message_not_found')
  const { client_ref, metadata, expires_at } = call.body
  const body = {
    instance: target.instance_name,
    to: target.recipient,
    ...(client_ref !== undefined && { client_ref }),
    ...(metadata !== undefined && { metadata }),
    ...(expires_at !== undefined && { expires_at }),
  }
  const { idempotency, waitMs, trace } = call
  return sendMessage(
    context,
    operation,
    // The signal is made when it is asked for.
    {
      caller,
      idempotency,
      waitMs,
      turn,
      trace,
      body,
      get signal() {
        return call.signal
      },
    },
    {
      faults: (_, driver) => {
        check(target, driver)
        return faults(target, driver)
      },
      prepare: async () => {
        await mustNotBeRetracted(context.store, { ...target, organizationId }, turn)
        return content
      },
      following: { type, target },
    },
  )
}

export function mustSend(driver: Driver, ability: 'reaction' | 'edit' | 'retract'): void {
  if (!driver.abilities.sends.includes(ability)) throw lackingAbility(ability, 'sends')
}

export function mustBeOwn({ incoming }: FoundTarget): void {
  if (incoming === 1) throw new Problem('not_your_message')
}

export function mustBeRecent({ sent_at }: FoundTarget, seconds: number | null, now: number): void {
  if (seconds === null || sent_at === null || now <= sent_at + seconds * 1000) return
  throw new Problem('edit_window_over')
}

export const isFile = ({ kind }: FoundTarget) => mediaKinds.some((each) => each === kind)

export function editFaults(
  { text, caption }: EditMessage,
  target: FoundTarget,
  driver: Driver,
): InvalidValue[] {
  const part = isFile(target) ? 'caption' : 'text'
  const given = part === 'text' ? text : caption
  const other = part === 'text' ? caption : text
  if (given === undefined || other !== undefined) {
    const detail = `Give \`${part}\` and nothing else: the message is ${part === 'text' ? 'a text' : 'a file'}.`
    return [{ pointer: `/${part}`, code: 'exactly_one', detail }]
  }
  return textFaults(part, given, driver)
}

/** As it is written in full (Unicode UTS 51); many leave out the sign that asks for colours. */
const oneEmoji = /^\p{RGI_Emoji}$/v

export function emojiFaults(emoji: string | null): InvalidValue[] {
  if (emoji === null || oneEmoji.test(emoji) || oneEmoji.test(`${emoji}\ufe0f`)) return []
  return [{ pointer: '/emoji', code: 'not_an_emoji', detail: 'Give exactly one emoji, or null.' }]
}
