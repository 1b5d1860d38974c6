import type { LinkStep } from '../networks/driver/abilities/linking.ts'
import type { CredentialsAccess, SealedCredentials } from '../networks/driver/account.ts'
import { type ByteSeal, type Seal, SealBroken } from '../runtime/secrets/seal.ts'

/** Seals the secrets of instances, each bound to its row and column. */
export class InstanceSecrets {
  readonly #seal: Seal

  constructor(seal: Seal) {
    this.#seal = seal
  }

  closeCredentials(instanceId: string, credentials: SealedCredentials): Uint8Array {
    return this.#seal.close(credentials, { table: 'instances', column: 'credentials', row: instanceId })
  }

  openCredentials(instanceId: string, sealed: Uint8Array): SealedCredentials {
    return this.#seal.open(sealed, {
      table: 'instances',
      column: 'credentials',
      row: instanceId,
    }) as SealedCredentials
  }

  /**
   * Gives a connection access to its credentials, to read them and to save new ones; `keep` resolves to false if the
   * instance no longer belongs to it.
   */
  access(
    instanceId: string,
    sealed: Uint8Array,
    keep: (before: Uint8Array, fresh: Uint8Array) => Promise<boolean>,
  ): CredentialsAccess {
    let last = sealed
    return {
      read: () => this.openCredentials(instanceId, last),
      save: async (credentials) => {
        const fresh = this.closeCredentials(instanceId, credentials)
        if (!(await keep(last, fresh)))
          throw new Error('the instance was taken over or removed, or its credentials were replaced')
        last = fresh
      },
    }
  }

  /** Seals the keys of an instance, which are bound to their type and id in addition. */
  keySeal(instanceId: string): ByteSeal {
    return this.#seal.ofParty(instanceId)
  }

  closeLink(instanceId: string, link: LinkStep): Uint8Array {
    return this.#seal.close(link, { table: 'instances', column: 'link', row: instanceId })
  }

  /** Null if it does not open: a link step lasts for minutes, and the next one replaces it. */
  openLink(instanceId: string, sealed: Uint8Array): LinkStep | null {
    try {
      return this.#seal.open(sealed, { table: 'instances', column: 'link', row: instanceId }) as LinkStep
    } catch (error) {
      if (error instanceof SealBroken) return null
      throw error
    }
  }
}
