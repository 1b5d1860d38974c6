import type { RowOf } from '../../../store/schema.ts'
import type { WebhookSecrets } from '../../webhook-secrets.ts'

/** The columns of a webhook that hold its secrets. */
export type SecretColumns = Pick<
  RowOf<'webhooks'>,
  'id' | 'secret' | 'previous_secret' | 'previous_secret_until'
>

/** The secrets that are valid at a time, the newest first. Throws `SealBroken` if they cannot be decrypted. */
export function openSecrets(secrets: WebhookSecrets, webhook: SecretColumns, at: number): string[] {
  const { id, secret, previous_secret: previous, previous_secret_until: until } = webhook
  const present = secrets.open(id, secret)
  return previous && until !== null && until > at ? [present, secrets.open(id, previous)] : [present]
}
