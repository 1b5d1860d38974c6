import type { Callbacks, Occurrence } from '../callbacks.ts'
import type { StatusFault } from '../faults.ts'
import { type ErrorCode, failureOf, isErrorCode } from '../graph-error.ts'
import { contactOf, ofNumber, phoneShown, seconds } from '../parties.ts'
import type { Failure, Status, StatusName } from '../schemas/webhook.ts'
import { newGraphId, newWamid, type Person, type Receives, type TakenMessage, type World } from '../world.ts'

/** Why a message fails after it was taken. */
export interface Verdict {
  readonly code: ErrorCode
  readonly details: string
}

const upTo: Readonly<Record<Receives, readonly StatusName[]>> = {
  nothing: [],
  sent: ['sent'],
  delivered: ['sent', 'delivered'],
  read: ['sent', 'delivered', 'read'],
}

/** The fate of the messages that were taken, and the notices of it to the business. */
export class Statuses {
  readonly #world: World
  readonly #callbacks: Callbacks

  constructor(world: World, callbacks: Callbacks) {
    this.#world = world
    this.#callbacks = callbacks
  }

  /** Lets a message go its way, with what is to go wrong. */
  follow(message: TakenMessage, verdict: Verdict | undefined, fault: StatusFault | undefined): void {
    const person = this.#personOf(message)
    const way = upTo[person?.blocked ? 'sent' : (person?.receives ?? this.#world.settings.receives)]
    // Of a reaction, the network tells only that it was sent. Source: Cloud API, Reaction messages.
    const told = message.type === 'reaction' ? way.slice(0, 1) : way
    const steps = verdict ? ['failed' as const] : faulty(told, fault)
    const error = verdict ?? errorOf(fault)
    const notes = steps.map((status) => this.#note(message, status, status === 'failed' ? error : undefined))
    if (fault?.kind === 'lost') return
    const order = fault?.kind === 'reversed' ? notes.toReversed() : notes
    // Each in a callback of its own, as the network does while there is little to say.
    for (const one of order)
      for (let times = fault?.kind === 'twice' ? 2 : 1; times > 0; times -= 1) this.#callbacks.tell(one)
  }

  /** Lets a message to a group go its way: the network has it, then each of these people. */
  followInGroup(message: TakenMessage, members: readonly Person[]): void {
    this.#callbacks.tell(this.#note(message, 'sent', undefined))
    for (const member of members)
      for (const status of upTo[member.receives ?? this.#world.settings.receives].slice(1))
        this.#callbacks.tell(this.#note(message, status, undefined, member))
  }

  /** Resolves when the business has heard what it was told so far, or did not listen. */
  async areTold(): Promise<void> {
    await this.#callbacks.tried()
  }

  /** Sets a step of one message, regardless of the steps before it. */
  set(message: TakenMessage, status: StatusName, verdict?: Verdict): void {
    this.#callbacks.tell(this.#note(message, status, verdict))
  }

  /** Calls back the statuses of so many unknown messages at once. */
  flood(waba: string, phoneNumberId: string, count: number): void {
    const number = this.#world.numbers.get(phoneNumberId)
    if (!number) throw new Error(`there is no number ${phoneNumberId}`)
    const timestamp = seconds(this.#world.now())
    const statuses = Array.from({ length: count }, (): Status => {
      return { id: newWamid(), status: 'delivered', timestamp, recipient_id: '15550009999' }
    })
    this.#callbacks.tell({
      waba,
      number: phoneNumberId,
      field: 'messages',
      value: { ...ofNumber(number), statuses },
    })
  }

  #personOf({ person }: TakenMessage): Person | undefined {
    return person === null ? undefined : this.#world.person(person)
  }

  #note(
    message: TakenMessage,
    status: StatusName,
    verdict: Verdict | undefined,
    member?: Person,
  ): Occurrence {
    const number = this.#world.numbers.get(message.phone_number_id)
    if (!number) throw new Error(`there is no number ${message.phone_number_id}`)
    const at = this.#world.now()
    const person = this.#personOf(message)
    const failure = verdict && failureOf(verdict.code, verdict.details)
    message.statuses.push({ status, at, error: failure?.error_data.details ?? null })
    this.#world.changed.emit('changed')
    const contacts = person && status !== 'failed' ? { contacts: [contactOf(person)] } : {}
    const told = statusOf(message, status, at, person, failure)
    const statuses = [message.request.recipient_type === 'group' ? inGroup(told, message, member) : told]
    return {
      waba: number.waba,
      number: number.id,
      field: 'messages',
      value: { ...ofNumber(number), ...contacts, statuses },
    }
  }
}

function statusOf(
  message: TakenMessage,
  status: StatusName,
  at: number,
  person: Person | undefined,
  failure: Failure | undefined,
): Status {
  const phone = person ? phoneShown(person) : /^\d+$/.exec(message.recipient)?.[0]
  const category = message.type === 'template' ? 'utility' : 'service'
  const charged = status !== 'failed' && status !== 'played'
  return {
    id: message.id,
    status,
    timestamp: seconds(at),
    ...(phone !== undefined && { recipient_id: phone }),
    ...(person && { recipient_user_id: person.user_id }),
    ...(charged && {
      conversation: {
        id: newGraphId(),
        ...(status === 'sent' && { expiration_timestamp: seconds(at + 86_400_000) }),
        origin: { type: category },
      },
      pricing: { billable: true, pricing_model: 'PMP', category, type: 'regular' },
    }),
    ...(failure && { errors: [failure] }),
    ...(message.biz_opaque_callback_data !== null && {
      biz_opaque_callback_data: message.biz_opaque_callback_data,
    }),
  }
}

/** The recipient is the group; who of it has the message is beside that. Source: Groups API, Group messaging. */
function inGroup(status: Status, { recipient }: TakenMessage, member: Person | undefined): Status {
  const phone = member && phoneShown(member)
  return {
    ...status,
    recipient_id: recipient,
    recipient_type: 'group',
    ...(phone !== undefined && { recipient_participant_id: phone }),
  }
}

function faulty(way: readonly StatusName[], fault: StatusFault | undefined): readonly StatusName[] {
  if (fault?.kind === 'delivered-without-sent') return ['delivered']
  if (fault?.kind === 'failed-after-sent') return ['sent', 'failed']
  return way
}

function errorOf(fault: StatusFault | undefined): Verdict {
  const code = fault?.code ?? 131026
  if (!isErrorCode(code)) throw new Error(`the network has no error ${code}`)
  return { code, details: 'The message could not be delivered.' }
}
