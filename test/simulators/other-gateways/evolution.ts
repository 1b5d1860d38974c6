import { createHash } from 'node:crypto'
import { type GatewayServer, serveGateway } from './gateway-server.ts'

/** An instance of Evolution API 2.3, with the columns that its list shows. */
export interface EvolutionInstance {
  readonly name: string
  readonly integration?: string
  readonly connectionStatus?: 'open' | 'close' | 'connecting'
  readonly setting?: Readonly<Record<string, unknown>>
  readonly proxy?: Readonly<Record<string, unknown>>
  /** Its row of the table `Webhook`; without it the answer is `null`. */
  readonly webhook?: Readonly<Record<string, unknown>>
}

/**
 * Evolution API 2.3 as its documents (https://doc.evolution-api.com/v2/api-reference) and its routes show it: the list of instances
 * has their tokens in it, and a webhook may hold headers with secrets.
 */
export function startEvolution(key: string, instances: readonly EvolutionInstance[]): Promise<GatewayServer> {
  return serveGateway((path, request) => {
    if (request.headers.apikey !== key) return failure(401, 'Unauthorized')
    if (path === '/instance/fetchInstances') return { status: 200, body: instances.map(listed) }
    const name = decodeURIComponent(/^\/webhook\/find\/([^/?]+)$/.exec(path)?.[1] ?? '')
    const found = instances.find((instance) => instance.name === name)
    if (name === '') return failure(404, `Cannot GET ${path}`)
    if (!found) return failure(404, `The "${name}" instance does not exist`)
    return { status: 200, body: found.webhook === undefined ? null : webhookRow(found) }
  })
}

function failure(status: number, message: string) {
  const error = status === 401 ? 'Unauthorized' : 'Not Found'
  return { status, body: { status, error, response: { message: [message] } } }
}

/** The token of an instance, which is a secret. */
export const evolutionToken = (name: string): string =>
  createHash('md5').update(name).digest('hex').toUpperCase()

const idOf = (name: string) => `cm${createHash('md5').update(`id ${name}`).digest('hex').slice(0, 23)}`

function listed({ name, integration, connectionStatus, setting, proxy }: EvolutionInstance) {
  const at = '2026-08-03T12:00:00.000Z'
  return {
    ...{ id: idOf(name), name, connectionStatus: connectionStatus ?? 'open' },
    ...{ ownerJid: '4915112345678@s.whatsapp.net', profileName: name, profilePicUrl: null },
    ...{ integration: integration ?? 'WHATSAPP-BAILEYS', number: null, businessId: null },
    ...{ token: evolutionToken(name), clientName: 'evolution_exchange' },
    ...{ disconnectionReasonCode: null, disconnectionObject: null, disconnectionAt: null },
    ...{ createdAt: at, updatedAt: at },
    ...{ Chatwoot: null, Proxy: proxy ?? null, Rabbitmq: null, Nats: null, Sqs: null, Websocket: null },
    Setting: {
      ...{ id: idOf(`${name} setting`), rejectCall: false, msgCall: '', groupsIgnore: false },
      ...{ alwaysOnline: false, readMessages: false, readStatus: false, syncFullHistory: false },
      ...setting,
    },
    _count: { Message: 12, Contact: 3, Chat: 2 },
  }
}

function webhookRow({ name, webhook }: EvolutionInstance) {
  return {
    ...{ id: idOf(`${name} webhook`), url: '', headers: null, enabled: true, events: [] },
    ...{ webhookByEvents: false, webhookBase64: false, instanceId: idOf(name) },
    ...webhook,
  }
}
