import type {
  CallbackRequest,
  Callbacks,
  CallbackVerification,
} from '../../networks/driver/abilities/callbacks.ts'
import type { SealedCredentials, Settings } from '../../networks/driver/account.ts'
import { newId } from '../../runtime/ids.ts'
import { SealBroken } from '../../runtime/secrets/seal.ts'
import { SingleFlight } from '../../runtime/single-flight.ts'
import type { InstanceContext } from '../context.ts'
import { findCallbackOwner, keepCallback } from './callback-store.ts'
import { type CallbackTokens, operatorId } from './callback-tokens.ts'
import { type IntakeParts, SharedIntake, type SharedTarget } from './shared-intake.ts'

type Context = IntakeParts &
  Pick<InstanceContext, 'networks' | 'secrets'> & { readonly callbackTokens: CallbackTokens }

/** The target of a callback URL: one instance, or all those that use the URL of the operator. */
export type CallbackTarget =
  | OwnTarget
  | (SharedTarget & { readonly kind: 'shared'; readonly callbacks: Callbacks })

interface OwnTarget {
  readonly kind: 'own'
  readonly instanceId: string
  readonly callbacks: Callbacks
}

/** An instance that may be called back, and what its callbacks are checked against. */
export interface CallbackOwner extends OwnTarget, Owner {}

interface Owner {
  readonly organizationId: string
  readonly settings: Settings
  /** Null if they do not open. */
  readonly credentials: SealedCredentials | null
}

/**
 * Result of a request; `gone` if the instance is removed, `full` if too much waits, `unreadable` without its credentials.
 */
export type ReceivedCallback = CallbackVerification | { readonly kind: 'gone' | 'full' | 'unreadable' }

/** Takes what networks post: a callback is stored before the response is sent, and handled afterwards. */
export class CallbackIntake {
  readonly #context: Context
  /** Takes what comes to the URL of the operator. */
  readonly shared: SharedIntake
  /** By the id of the instance: what comes together is checked against what is read once. */
  readonly #owners = new SingleFlight<Owner | undefined>()

  constructor(context: Context) {
    this.#context = context
    this.shared = new SharedIntake(context)
  }

  /**
   * Returns the target of a token; undefined if the token was made up. Takes the same time for every token, and does not
   * read the store.
   */
  targetOf(network: string, token: string): CallbackTarget | undefined {
    const instanceId = this.#context.callbackTokens.instanceOf(network, token)
    const callbacks = this.#context.networks.get(network)?.callbacks
    if (instanceId === undefined || !callbacks) return undefined
    if (instanceId !== operatorId) return { kind: 'own', instanceId, callbacks }
    const { shared } = callbacks
    return shared && { kind: 'shared', network, callbacks, shared }
  }

  /** The instance; undefined if it is removed. */
  async ownerOf(target: OwnTarget): Promise<CallbackOwner | undefined> {
    const { instanceId } = target
    const owner = await this.#owners.read(instanceId, () => this.#find(instanceId))
    return owner && { ...target, ...owner }
  }

  /** Decides about a request, and stores it if it is to be kept. `onVerified` is called before, if it comes from the network. */
  async receive(
    owner: CallbackOwner,
    request: CallbackRequest,
    onVerified: () => void,
  ): Promise<ReceivedCallback> {
    const { store, clock, limits, supervisor } = this.#context
    const { instanceId, callbacks, settings, credentials } = owner
    if (!credentials) return { kind: 'unreadable' }
    const verification = callbacks.verify(request, settings, credentials)
    if (verification.kind !== 'refused') onVerified()
    if (verification.kind !== 'keep') return verification
    const kept = await store.transact(
      keepCallback,
      {
        id: newId('cb'),
        instanceId,
        receivedAt: clock.now(),
        // A copy: what goes to another thread takes the whole piece of memory with it that it is a part of.
        body: Uint8Array.from(request.rawBody),
        limits,
      },
      { party: owner.organizationId },
    )
    if (kept !== 'kept') return { kind: kept }
    supervisor.wakeCallbacks(instanceId)
    return verification
  }

  async #find(instanceId: string): Promise<Owner | undefined> {
    const row = await this.#context.store.read(findCallbackOwner, { instance: instanceId })
    if (!row) return undefined
    const { organization_id: organizationId, settings, credentials } = row
    return {
      organizationId,
      settings: JSON.parse(settings),
      credentials: this.#openCredentials(instanceId, credentials),
    }
  }

  #openCredentials(instanceId: string, sealed: Uint8Array): SealedCredentials | null {
    try {
      return this.#context.secrets.openCredentials(instanceId, sealed)
    } catch (error) {
      if (error instanceof SealBroken) return null
      throw error
    }
  }
}
