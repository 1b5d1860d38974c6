import type { CallbackRequest } from '../../networks/driver/abilities/callbacks.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import { SealBroken } from '../../runtime/secrets/seal.ts'
import type { InstanceContext } from '../context.ts'
import { findCallbackOwner } from './callback-store.ts'
import { type CallbackTokens, callbackPathOf } from './callback-tokens.ts'

type Context = Pick<InstanceContext, 'store' | 'secrets'> & {
  readonly callbackTokens: Pick<CallbackTokens, 'of' | 'instanceOf'>
  /** The URL at which networks reach the server, without a slash at the end; undefined if it is not known. */
  readonly baseUrl: string | undefined
}

/** The URLs at which networks call the instances of this server, and what has become of them. */
export class CallbackUrls {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** The URL of an instance; null if its network has no callbacks, or the URL of the server is not known. */
  of({ network, callbacks }: Pick<Driver, 'network' | 'callbacks'>, instanceId: string): string | null {
    const { callbackTokens, baseUrl } = this.#context
    if (!callbacks || baseUrl === undefined) return null
    return baseUrl + callbackPathOf(network, callbackTokens.of(network, instanceId))
  }

  /**
   * Resolves with true if `url` is a callback URL of this server that has no use any more: its instance is removed, or would
   * refuse this request. False if the URL is not of this server, or if that is not known. Rejects if the store does not
   * respond.
   */
  async isAbandoned(driver: Driver, url: string, request: CallbackRequest): Promise<boolean> {
    const { store, secrets, callbackTokens } = this.#context
    const token = url.slice(url.lastIndexOf('/') + 1)
    const instance = callbackTokens.instanceOf(driver.network, token)
    if (instance === undefined || url !== this.of(driver, instance)) return false
    const row = await store.read(findCallbackOwner, { instance })
    if (!row) return true
    try {
      const credentials = secrets.openCredentials(instance, row.credentials)
      return driver.callbacks?.verify(request, JSON.parse(row.settings), credentials).kind === 'refused'
    } catch (error) {
      if (error instanceof SealBroken) return false
      throw error
    }
  }
}
