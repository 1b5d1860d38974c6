import { deliveryFailures, sentencesOf } from '../../contract/codes.ts'
import { handler } from '../../contract/handler.ts'
import { tryWebhook as operation } from '../../contract/operations/webhook-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { noteAction } from '../../organizations/audit-log.ts'
import { timestamp } from '../../runtime/clock.ts'
import { newId } from '../../runtime/ids.ts'
import { SealBroken } from '../../runtime/secrets/seal.ts'
import type { EventContext } from '../context.ts'
import { openSecrets } from '../delivery/attempt/secrets.ts'
import { signatureHeaders } from '../delivery/attempt/signature.ts'
import { TrialLimit } from '../delivery/attempt/trial-limit.ts'
import type { AttemptResult, WebhookClient } from '../delivery/attempt/webhook-client.ts'
import { errorOfStatus } from '../delivery/queue/settle-attempts.ts'
import { lookAtFeed } from '../feed.ts'
import { newWebhookSecret } from '../webhook-secrets.ts'
import { findSecrets } from '../webhook-store.ts'
import { refuseUrl } from '../webhook-url.ts'

export interface TrialContext extends EventContext {
  /** Posts to URLs that callers try. */
  readonly trialClient: Pick<WebhookClient, 'post'>
}

export const tryWebhook = (context: TrialContext) => {
  const { store, clock, guard, trialClient } = context
  const limit = new TrialLimit(clock)
  return handler(operation, async ({ caller, body, signal, audit, turn }) => {
    const organization = caller.organizationId
    refuseUrl(guard, body.url)
    limit.take(organization)
    const id = body.webhook ?? newId('wh')
    const secrets = await secretsOf(context, { organization, webhook: body.webhook, turn })
    const newest = {
      organization,
      types: null,
      instances: null,
      seen: null,
      after: 'latest',
      limit: 1,
    } as const
    const end = await store.read(lookAtFeed, newest, turn)
    await store.transact(noteAction, { note: audit() }, turn)
    const at = clock.now()
    const event = {
      id: newId('evt'),
      type: 'webhook.test',
      // Even the first event of all has a number.
      sequence: Math.max(1, 'lost' in end ? 1 : end.next),
      epoch: 'lost' in end ? '' : end.epoch,
      timestamp: timestamp(at),
      data: { webhook: { id } },
    }
    const text = JSON.stringify(event)
    const headers = signatureHeaders({ id: event.id, at, body: Buffer.from(text), secrets: secrets ?? [] })
    const { 'webhook-signature': _, ...shown } = headers
    const request = { headers: { 'content-type': 'application/json', ...shown }, body: text }
    const post = { url: body.url, headers, body: Buffer.from(text), webhookId: newId('wh'), organization }
    const result = secrets ? await trialClient.post(post, signal) : unreadable
    return { status: 200, body: { request, started_at: timestamp(at), ...told(result) } }
  })
}

const unreadable: AttemptResult = {
  kind: 'failed',
  code: 'secret_unreadable',
  detail: sentencesOf(deliveryFailures.secret_unreadable),
  duration: 0,
}

interface Signing {
  readonly organization: string
  readonly webhook: string | undefined
  readonly turn: Parameters<EventContext['store']['read']>[2]
}

/** The secrets of a webhook, or one that is used for nothing else if none is named; null if they cannot be decrypted. */
async function secretsOf(
  { store, clock, webhookSecrets }: EventContext,
  { organization, webhook, turn }: Signing,
): Promise<readonly string[] | null> {
  if (webhook === undefined) return [newWebhookSecret()]
  const row = await store.read(findSecrets, { organization, id: webhook }, turn)
  if (!row) throw new Problem('webhook_not_found')
  try {
    return openSecrets(webhookSecrets, row, clock.now())
  } catch (error) {
    if (error instanceof SealBroken) return null
    throw error
  }
}

function told(result: AttemptResult) {
  const { duration: duration_ms } = result
  return result.kind === 'responded'
    ? { duration_ms, status: result.status, error: errorOfStatus(result.status), body: result.body || null }
    : { duration_ms, status: null, error: { code: result.code, detail: result.detail }, body: null }
}
