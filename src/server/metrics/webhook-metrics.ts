import { Gauge, type Registry } from 'prom-client'
import { atOnce } from './at-once.ts'
import type { MetricsSources } from './sources.ts'

/** Measures what waits for webhooks, and the webhooks that do not get it. */
export function measureWebhooks(
  registry: Registry,
  sources: Pick<MetricsSources, 'webhookBacklog' | 'webhooks'>,
): void {
  const readBacklog = atOnce(() => sources.webhookBacklog())
  new Gauge({
    name: 'posthorn_webhook_pending',
    help: 'Pending deliveries of all webhooks that are enabled and not paused.',
    registers: [registry],
    async collect() {
      this.set((await readBacklog()).depth)
    },
  })
  new Gauge({
    name: 'posthorn_webhook_oldest_age_seconds',
    help: 'Seconds since the oldest pending delivery was created; 0 if there is none.',
    registers: [registry],
    async collect() {
      this.set((await readBacklog()).oldestAgeSeconds)
    },
  })
  const readTroubled = atOnce(() => sources.webhooks())
  new Gauge({
    name: 'posthorn_webhooks_disabled',
    help: 'Webhooks that Posthorn disabled, because their receivers failed for too long or said that they are gone.',
    registers: [registry],
    async collect() {
      this.set((await readTroubled()).disabled)
    },
  })
  new Gauge({
    name: 'posthorn_webhooks_failing',
    help: 'Enabled webhooks whose last attempt failed, by the hours for which no attempt has succeeded: less than 1, or 1 and more.',
    labelNames: ['hours'],
    registers: [registry],
    async collect() {
      const { failing, failingLong } = await readTroubled()
      this.set({ hours: '0' }, failing)
      this.set({ hours: '1' }, failingLong)
    },
  })
}
