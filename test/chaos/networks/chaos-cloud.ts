import { getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { CloudApp, type CloudNumber } from '../../kit/networks/whatsapp-cloud/app.ts'
import type { Arrival } from '../check/story.ts'
import { CallbackRelay } from './callback-relay.ts'
import { type ChaosNetwork, nodeNames } from './chaos-network.ts'

/** Milliseconds in which the network gathers what it calls back. */
const gathering = 500

const personOf = (client: string) => String(4_915_300_000_000 + nodeNames.indexOf(client))

/**
 * The simulator of the Cloud API, with a number for each instance and a person for each client. It recognizes no repetition. Its callbacks
 * come to one node after the other, whichever has the instance.
 */
export async function chaosCloud(count: number): Promise<ChaosNetwork> {
  const app = await CloudApp.start()
  const relay = await CallbackRelay.start()
  // So much may be sent as the nodes can.
  const pair = { burst: 1_000_000, every_ms: 1 }
  await app.cloud.control('settings', { pair, throughput: 1_000, hold_webhooks: true })
  const flush = () => app.cloud.control('flush', {})
  const flushing = setInterval(() => void flush().catch(() => {}), gathering)
  const numbers = new Map<string, CloudNumber>()
  for (let index = 0; index < count; index++) numbers.set(`cloud-${index}`, await app.number())
  for (const client of nodeNames)
    await app.cloud.control('person', { phone: personOf(client), wrote_ago: 1_000 })
  const [first] = numbers.keys()
  const { POSTHORN_WHATSAPP_CLOUD_API: url = '', ...secrets } = app.environment
  return {
    urls: { POSTHORN_WHATSAPP_CLOUD_API: url },
    settingsFor: async () => ({ ...secrets, POSTHORN_CALLBACK_RATE: 'off' }),
    reachedAt: (doors) => relay.leadTo(doors),
    instances: [...numbers].map(([name, { id, waba, token }]) => ({
      ...{ name, network: 'whatsapp-cloud', credentials: { access_token: token } },
      settings: {
        ...{ phone_number_id: id, business_account_id: waba },
        pacing: { messages: 1_000, seconds: 1 },
      },
    })),
    async link({ admin }, name) {
      // All numbers have the same.
      if (name !== first) return
      const { callback_url } = (await admin.call(getInstance, { params: { name } })).body
      await app.callAt(relay.url + callback_url)
    },
    isForgetful: true,
    linesOf: (client) =>
      [...numbers.keys()].map((instance, index) => ({
        ...{ instance, to: `+${personOf(client)}` },
        // Some wait for each text, some go on and have a queue after a fault.
        ...(index % 2 === 0 ? { pause: 250 } : { patient: true, pause: 20 }),
      })),
    async atRest() {
      await flush()
      await app.cloud.control('webhooks', {})
    },
    arrived: () => takenBy(app, numbers),
    async stop() {
      clearInterval(flushing)
      await relay.stop()
      await app.stop()
    },
  }
}

async function takenBy({ cloud }: CloudApp, numbers: ReadonlyMap<string, CloudNumber>): Promise<Arrival[]> {
  const nameOf = new Map([...numbers].map(([name, { id }]) => [id, name]))
  return (await cloud.control('taken', {})).map(({ id, phone_number_id, request, at }) => ({
    ...{ id, text: request.text?.body ?? '', instance: nameOf.get(phone_number_id) ?? phone_number_id, at },
  }))
}
