import { WaAuthClient, type WaAuthCredentials } from 'zapo-js/auth'
import { WaPreKeyMemoryStore, WaSignalMemoryStore } from 'zapo-js/store'

type ZapoNode = Parameters<WaAuthClient['handleIncomingIqSet']>[0]

/** A companion of zapo-js that wants to be linked, with a server that is played by a test. */
export interface ZapoCompanion {
  readonly client: WaAuthClient
  readonly credentials: WaAuthCredentials
  /** The text of its QR code for one ref. */
  qrFor(ref: string): Promise<string>
  /** Hands it what the phone vouched for. Gives what it signed back; rejects when it refuses. */
  pairSuccess(identityHmac: Uint8Array, jid: string, lid: string): Promise<Uint8Array>
}

/** `answer` is what the server says to its requests. */
export async function zapoCompanion(
  answer: (request: ZapoNode) => ZapoNode = ({ attrs }) => ({
    tag: 'iq',
    attrs: { ...attrs, type: 'result' },
  }),
): Promise<ZapoCompanion> {
  const silent = () => undefined
  const sent: ZapoNode[] = []
  let saved: WaAuthCredentials | null = null
  let shown = ''
  const client = new WaAuthClient(
    {},
    {
      logger: { level: 'error', trace: silent, debug: silent, info: silent, warn: silent, error: silent },
      authStore: {
        load: async () => saved,
        save: async (credentials) => {
          saved = credentials
        },
        clear: async () => {
          saved = null
        },
      },
      signalStore: new WaSignalMemoryStore(),
      preKeyStore: new WaPreKeyMemoryStore(),
      socket: { sendNode: async (node) => void sent.push(node), query: async (node) => answer(node) },
      callbacks: {
        onQr: (qr) => {
          shown = qr
        },
      },
    },
  )
  const credentials = await client.loadOrCreateCredentials()
  return {
    client,
    credentials,
    async qrFor(ref) {
      await client.handleIncomingIqSet(iqSet({ tag: 'pair-device', attrs: {}, content: [leaf('ref', ref)] }))
      await client.clearTransientState()
      return shown
    },
    async pairSuccess(identityHmac, jid, lid) {
      const device = { tag: 'device', attrs: { jid, lid } }
      const platform = { tag: 'platform', attrs: { name: 'android' } }
      const content = [leaf('device-identity', identityHmac), device, platform]
      await client.handleIncomingIqSet(iqSet({ tag: 'pair-success', attrs: {}, content }))
      const reply = descend(sent.at(-1), 'pair-device-sign', 'device-identity')
      if (!(reply instanceof Uint8Array)) throw new Error('zapo-js did not sign back.')
      return reply
    },
  }
}

export const leaf = (tag: string, content: string | Uint8Array): ZapoNode => ({
  tag,
  attrs: {},
  content: Buffer.from(content),
})

/** Returns the content of the node at the end of a path of tags. */
export function descend(node: ZapoNode | undefined, ...path: string[]): ZapoNode['content'] {
  const [tag, ...rest] = path
  if (tag === undefined) return node?.content
  const children = Array.isArray(node?.content) ? (node.content as readonly ZapoNode[]) : []
  return descend(
    children.find((child) => child.tag === tag),
    ...rest,
  )
}

const iqSet = (child: ZapoNode): ZapoNode => ({
  tag: 'iq',
  attrs: { id: 'server-1', from: 's.whatsapp.net', type: 'set' },
  content: [child],
})
