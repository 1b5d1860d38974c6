import { randomBytes } from 'node:crypto'
import type { Seal } from '../runtime/secrets/seal.ts'

/** A fresh secret of a webhook, as Standard Webhooks 1.0.0 writes it: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** Seals the secrets of webhooks, each bound to its row. */
export class WebhookSecrets {
  readonly #seal: Seal

  constructor(seal: Seal) {
    this.#seal = seal
  }

  close(webhookId: string, secret: string): Uint8Array {
    return this.#seal.close(secret, { table: 'webhooks', column: 'secret', row: webhookId })
  }

  open(webhookId: string, sealed: Uint8Array): string {
    return this.#seal.open(sealed, { table: 'webhooks', column: 'secret', row: webhookId }) as string
  }
}
