import { type ContactNews, recordContacts } from '../../messages/contacts/record-contacts.ts'
import { fitAddresses } from '../../messages/inbox/incoming-message.ts'
import { markConversationRead } from '../../messages/list/conversations/unread.ts'
import {
  type MessageNamed,
  type ReportedMessage,
  recordAcknowledged,
  recordReceipt,
  recordReturn,
} from '../../messages/outbox/receipts/receipts.ts'
import { recordReceiptUpTo } from '../../messages/outbox/receipts/receipts-before.ts'
import type { ContactKnown } from '../../networks/driver/observation.ts'
import type { Holding } from '../../runtime/limits/byte-budget.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import { WakeUp } from '../../store/wake-up.ts'
import type { InstanceContext } from '../context.ts'
import type { MessageObservation } from './observation-kinds.ts'

/** An observation of a message or a contact, and its time, in milliseconds since the epoch. */
interface Observed {
  readonly observation: MessageObservation
  readonly at: number
  /** Tells the driver whether it is stored. */
  readonly settle: (isStored: boolean) => void
}

type Context = Pick<InstanceContext, 'store' | 'clock' | 'alarms' | 'log' | 'messageChanges'> & {
  /** Addresses of people that an organization may have: as many as incoming messages. */
  readonly incomingCapacity: { readonly limit: number | null }
}

/** Observations of one instance that are held at most: a network may report as many as it likes. */
const heldAtMost = 1_000
/** Contacts that share a transaction, in which others wait for their turn. */
const contactsTogether = 10
/** The memory of one observation at most, in bytes: ids and addresses are bounded elsewhere. */
const observedBytes = 1_024

/**
 * Keeps what the network showed about the messages and the contacts of one instance, in this order. The network says it once, so it is held in memory for
 * as long as the store is away, up to a bound; what is beyond that, or still held when the process ends, is lost, and its
 * message stays what it was.
 */
export class MessageObservations {
  readonly #context: Context
  readonly #instanceId: string
  readonly #onChange: () => void
  readonly #holding: Holding
  #held: Observed[] = []
  /** Contacts that were told in a row, until they are stored together. */
  #contacts: Observed[] = []
  readonly #wakeUp: WakeUp
  /** Something was lost, and logged, since the store was last available. */
  #losing = false
  #over = false

  /** `onChange` is called if an observation may have freed a lane. */
  constructor(context: Context, instanceId: string, holding: Holding, onChange: () => void) {
    this.#holding = holding
    this.#context = context
    this.#instanceId = instanceId
    this.#onChange = onChange
    this.#wakeUp = new WakeUp(context, () => this.#keepAgain())
  }

  /** Resolves as `ConnectContext.report`. */
  take(observation: MessageObservation): Promise<boolean> {
    const { promise, resolve: settle } = Promise.withResolvers<boolean>()
    this.#holding.add(observedBytes)
    // After those that are held, so that everything is stored in the order in which it came.
    this.#next({ observation, at: this.#context.clock.now(), settle }, false)
    return promise
  }

  /** Tries a last time to keep what is held. */
  end(): void {
    this.#over = true
    this.#wakeUp.cancel()
    this.#keepAgain()
    this.#keepContacts()
  }

  #next(observed: Observed, again: boolean): void {
    if (observed.observation.kind === 'contact-known' && this.#held.length === 0) {
      this.#contacts.push(observed)
      if (this.#contacts.length === 1) queueMicrotask(() => this.#keepContacts())
      if (this.#contacts.length >= contactsTogether) this.#keepContacts()
      return
    }
    this.#keepContacts()
    if (this.#held.length > 0) this.#hold(observed)
    else this.#keep([observed], again)
  }

  #keepContacts(): void {
    const contacts = this.#contacts.splice(0)
    if (this.#held.length > 0) for (const contact of contacts) this.#hold(contact)
    else if (contacts.length > 0) this.#keep(contacts, false)
  }

  /** Keeps one observation, or contacts that were told in a row. */
  #keep(together: readonly Observed[], again: boolean): void {
    const { log, messageChanges } = this.#context
    keep(this.#context, this.#instanceId, together).then(
      (changed) => {
        this.#losing = false
        for (const observed of together) this.#settle(observed, true)
        for (const { id } of changed) messageChanges.notify(id)
        // If only the result was lost the first time, the observation was stored, and freed a lane that was not woken.
        if (again || changed.some(({ wasUnsettled }) => wasUnsettled)) this.#onChange()
      },
      (error) => {
        if (error instanceof StoreUnavailable) {
          for (const observed of together) this.#hold(observed)
          return
        }
        // A mistake that one contact brings out must not cost the others.
        if (together.length > 1) {
          for (const observed of together) this.#keep([observed], again)
          return
        }
        this.#settle(together[0], false)
        const text = 'could not store an observation about a message or a contact'
        log.error({ err: error, instance_id: this.#instanceId }, text)
      },
    )
  }

  #hold(observed: Observed): void {
    if (!this.#over && this.#held.length < heldAtMost) {
      this.#held.push(observed)
      this.#wakeUp.afterFailure()
      return
    }
    this.#settle(observed, false)
    if (this.#losing) return
    this.#losing = true
    this.#context.log.error(
      { instance_id: this.#instanceId },
      'the store is unavailable; receipts of messages are being lost',
    )
  }

  #settle(observed: Observed | undefined, isStored: boolean): void {
    this.#holding.add(-observedBytes)
    observed?.settle(isStored)
  }

  #keepAgain(): void {
    for (const observed of this.#held.splice(0)) this.#next(observed, true)
  }
}

/** Returns the messages that changed. */
async function keep(
  { store, incomingCapacity }: Context,
  instanceId: string,
  together: readonly Pick<Observed, 'observation' | 'at'>[],
): Promise<readonly ReportedMessage[]> {
  const contacts = together.flatMap(({ observation, at }) =>
    observation.kind === 'contact-known' ? contactIn(observation, at) : [],
  )
  const { limit } = incomingCapacity
  if (contacts.length > 0) await store.transact(recordContacts, { instanceId, contacts, limit })
  const [{ observation, at } = nothing] = together
  if (!observation || observation.kind === 'contact-known') return []
  if (observation.kind === 'read-elsewhere') {
    const { conversation, up_to: upTo = null } = observation
    await store.transact(markConversationRead, { instanceId, conversation, upTo })
    return []
  }
  const { network_message_id: networkMessageId, assigned_id: assignedId } = observation
  const message = { instanceId, networkMessageId, assignedId, at }
  if (observation.kind === 'receipt' && observation.and_before) {
    const { from, state } = observation
    return await store.transact(recordReceiptUpTo, { ...message, from, state })
  }
  const changed = await keepOne(store, observation, message)
  return changed === null ? [] : [changed]
}

const nothing = { observation: null, at: 0 }

function contactIn(
  { addresses, formerly, with_message: aboutMessage }: ContactKnown,
  at: number,
): ContactNews[] {
  const told = { addresses: fitAddresses(addresses), formerly, wroteAt: null }
  return told.addresses.length > 0 ? [{ told, aboutMessage, at }] : []
}

function keepOne(
  store: Store,
  observation: Exclude<MessageObservation, { kind: 'contact-known' | 'read-elsewhere' }>,
  message: MessageNamed,
): Promise<ReportedMessage | null> {
  if (observation.kind === 'message-acknowledged')
    return store.transact(recordAcknowledged, { ...message, sharedId: observation.shared_id })
  const { from } = observation
  if (observation.kind === 'receipt')
    return store.transact(recordReceipt, { ...message, from, state: observation.state })
  return store.transact(recordReturn, { ...message, from, error: observation.error })
}
