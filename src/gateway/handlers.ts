import { type CodeMeaning, mediaErrors, messageErrors } from '../contract/codes.ts'
import type { Handler } from '../contract/handler.ts'
import { type WebhookClient, webhookClient } from '../events/delivery/attempt/webhook-client.ts'
import { eventHandlers } from '../events/operations/index.ts'
import { instanceHandlers } from '../instances/operations/index.ts'
import { messageHandlers } from '../messages/operations/index.ts'
import { Senders } from '../messages/outbox/accept/sender-cache.ts'
import { batchLimits } from '../messages/sending/send-batch.ts'
import { TemplateCategories } from '../messages/sending/template-categories.ts'
import { outboundGuard } from '../net/guard/guard.ts'
import { descriptionOf } from '../networks/driver/description.ts'
import type { Driver } from '../networks/driver/driver.ts'
import type { Networks } from '../networks/driver/registry.ts'
import { timingFor } from '../nodes/node-lease.ts'
import { nodeHandlers } from '../nodes/operations/index.ts'
import { organizationHandlers } from '../organizations/operations/index.ts'
import { type Config, ConfigError } from '../runtime/config/config.ts'
import { FairSemaphore } from '../runtime/limits/fair-semaphore.ts'
import type { WrittenContract } from '../server/docs/print-contract.ts'
import { writeContract } from '../server/docs/written-contract.ts'
import type { HealthCheck } from '../server/health/health-check.ts'
import { serviceHandlers } from '../server/service-handlers.ts'
import { version } from '../version.ts'
import type { AppContext, BackgroundWorkers, RunningState } from './app-context.ts'

/** Makes the handlers of all operations. */
export function makeHandlers(
  { config, ...shared }: AppContext,
  { supervisor, deliverer }: BackgroundWorkers,
  { readiness, health }: Pick<RunningState, 'readiness'> & { readonly health: HealthCheck },
): Handler[] {
  const { store, networks, metrics } = shared
  const defaultNetwork = config.POSTHORN_DEFAULT_NETWORK
  if (!networks.has(defaultNetwork)) {
    throw new ConfigError(`POSTHORN_DEFAULT_NETWORK must be one of ${[...networks.keys()].join(', ')}`)
  }
  const instanceLimit = config.POSTHORN_INSTANCE_LIMIT ?? null
  return [
    ...instanceHandlers({
      ...shared,
      supervisor,
      defaultNetwork,
      instanceLimit,
      baseUrl: config.POSTHORN_BASE_URL ?? '',
    }),
    ...messageHandlers({
      ...shared,
      senders: new Senders(store, networks),
      searches: new FairSemaphore({ limit: 1 }),
      batches: new FairSemaphore(batchLimits),
      templateCategories: new TemplateCategories({ ...shared, supervisor }),
      queueLimit: config.POSTHORN_QUEUE_LIMIT ?? null,
      fetchGuard: outboundGuard(config.POSTHORN_FETCH_ALLOW_CIDRS),
      supervisor,
    }),
    ...eventHandlers({
      ...shared,
      meaningOfError: (error) => meaningOf(error, networks),
      guard: outboundGuard(config.POSTHORN_WEBHOOK_ALLOW_CIDRS),
      trialClient: webhookClientOf({ config, ...shared }, 0),
      webhookLimit: config.POSTHORN_WEBHOOK_LIMIT ?? null,
      deliverer,
    }),
    ...organizationHandlers({ ...shared, version }),
    ...nodeHandlers({ ...shared, trustedFor: timingFor(config.POSTHORN_NODE_LEASE_MS).trusted }),
    ...serviceHandlers({
      openapi: () => describe(config, [...networks.values()]),
      metrics,
      readiness,
      health,
    }),
  ]
}

/** Makes a client that posts to webhooks, and keeps so many idle connections for each. */
export function webhookClientOf(
  { clock, alarms, names, config }: Pick<AppContext, 'clock' | 'alarms' | 'names' | 'config'>,
  keptConnections: number,
): WebhookClient {
  return webhookClient({
    clock,
    alarms,
    names,
    allowedBlocks: config.POSTHORN_WEBHOOK_ALLOW_CIDRS,
    userAgent: `Posthorn/${version}`,
    keptConnections,
  })
}

/** Returns what the error of a message means, on its network or on any. */
function meaningOf(
  { network, code }: { readonly network: string | null; readonly code: string },
  networks: Networks,
): string | undefined {
  const tables = [networks.get(network ?? '')?.errors ?? {}, messageErrors, mediaErrors]
  const found = tables.find((table) => Object.hasOwn(table, code)) as
    | Readonly<Record<string, CodeMeaning>>
    | undefined
  return found?.[code]?.happened
}

/** Writes the contract of this server as an OpenAPI document. */
function describe(config: Config, networks: readonly Driver[]): Promise<WrittenContract> {
  const described = networks.map(descriptionOf)
  const baseUrl = config.POSTHORN_BASE_URL
  return writeContract({ version, ...(baseUrl === undefined ? {} : { baseUrl }), networks: described })
}
