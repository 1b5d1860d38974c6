import type { Credentials } from '../networks/driver.ts'
import type { LinkStep } from '../networks/observation.ts'
import type { Seal } from '../runtime/seal.ts'

/** Seals the secrets of instances, each bound to its row and column. */
export class InstanceSecrets {
  readonly #seal: Seal

  constructor(seal: Seal) {
    this.#seal = seal
  }

  closeCredentials(instanceId: string, credentials: Credentials): Uint8Array {
    return this.#seal.close(credentials, { table: 'instances', column: 'credentials', row: instanceId })
  }

  openCredentials(instanceId: string, sealed: Uint8Array): Credentials {
    return this.#seal.open(sealed, {
      table: 'instances',
      column: 'credentials',
      row: instanceId,
    }) as Credentials
  }

  closeLink(instanceId: string, link: LinkStep): Uint8Array {
    return this.#seal.close(link, { table: 'instances', column: 'link', row: instanceId })
  }

  openLink(instanceId: string, sealed: Uint8Array): LinkStep {
    return this.#seal.open(sealed, { table: 'instances', column: 'link', row: instanceId }) as LinkStep
  }
}
