import type { MetricsSources } from '../../../src/server/metrics/sources.ts'

const nothing = {
  file_bytes: 0,
  stored_bytes: 0,
  unsettled_messages: 0,
  incoming_messages: 0,
  waiting_callbacks: 0,
  waiting_callback_bytes: 0,
}
/** Sources of the metrics of a server while nothing goes on. */
export const idleSources: Omit<MetricsSources, 'connections'> = {
  networks: new Map(),
  build: { version: '0.0.0', node: '0.0.0', store: 'sqlite' },
  disk: async () => ({ free: 1, size: 2 }),
  lastBackupAt: async () => null,
  webhooks: async () => ({ disabled: 0, failing: 0, failingLong: 0 }),
  instancesByStatus: () => new Map(),
  nodes: () => ({ trusted: 1, duties: 0, running: 1 }),
  webhookAttempts: () => 0,
  webhookBacklog: async () => ({ depth: 0, oldestAgeSeconds: 0 }),
  connectionMemory: () => 0,
  storeWaiting: () => ({ read: 0, transaction: 0 }),
  responses: () => ({ withKey: 0, withoutKey: 0, waiting: 0 }),
  fileFetches: () => ({ sent: 0, received: 0 }),
  voiceConversions: () => ({ running: 0, waiting: 0 }),
  nameLookUps: () => ({ underway: 0, waiting: 0, refused: 0 }),
  queue: async () => ({ depth: 0, held: 0, oldestAgeSeconds: 0, overdueSeconds: 0 }),
  usage: async () => ({ totals: nothing, exhausted: nothing }),
  callbacks: async () => ({ count: 0, bytes: 0 }),
}
