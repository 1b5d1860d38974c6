import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NameServer } from '../../kit/far-ends/name-server.ts'
import { XmppPerson } from '../../kit/networks/xmpp/person.ts'
import { type Prosody, startProsody } from '../../kit/networks/xmpp/prosody.ts'
import type { Arrival, SufferedFault } from '../check/story.ts'
import { type ChaosNetwork, nodeNames } from './chaos-network.ts'
import { isGraceful } from './graceful.ts'

/**
 * A real Prosody, with an account for each instance and a person for each client. Instances live on any node and have no address of
 * a server: each node asks a name server of its own, which leads it to its wire.
 */
export async function chaosXmpp(count: number): Promise<ChaosNetwork> {
  const prosody = await startProsody({ starttls: 'off', archive: true })
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-chaos-xmpp-'))
  const authorities = join(folder, 'ca.pem')
  await writeFile(authorities, prosody.certificate)
  const names = Array.from({ length: count }, (_, index) => `xmpp-${index}`)
  for (const name of names) await prosody.createUser(name, `${name}-secret`)
  const arrived: Arrival[] = []
  const people = await Promise.all(nodeNames.map((name) => personFor(prosody, name, arrived)))
  const nameServers: NameServer[] = []
  return {
    urls: {},
    async settingsFor(wire) {
      const port = await wire(prosody.tlsPort)
      const nameServer = await NameServer.start((name, type) =>
        name === `_xmpps-client._tcp.${prosody.domain}` && type === 'SRV'
          ? { host: 'localhost', port }
          : 'unknown',
      )
      nameServers.push(nameServer)
      return { NODE_EXTRA_CA_CERTS: authorities, POSTHORN_NAME_SERVERS: nameServer.address }
    },
    instances: names.map((name) => ({
      ...{ name, network: 'xmpp', credentials: { password: `${name}-secret` } },
      settings: { address: prosody.address(name), pacing: { messages: 10_000, seconds: 1 } },
    })),
    isForgetful: false,
    linesOf: (client) =>
      names.map((instance, index) => ({
        ...{ instance, to: prosody.address(client) },
        // Some have nothing but the text under way when a fault comes, some go on and have a queue after it.
        ...(index % 2 === 0 ? { pause: 200 } : { patient: true, pause: 20 }),
      })),
    arrived: async () => arrived,
    complaints: async (faults) => replaced(prosody, faults),
    async stop() {
      for (const person of people) await person.leave()
      for (const nameServer of nameServers) await nameServer.stop()
      await prosody.remove()
      await rm(folder, { recursive: true })
    },
  }
}

/** A person with the name of a client, to whom it writes. */
function personFor(prosody: Prosody, name: string, arrived: Arrival[]): Promise<XmppPerson> {
  return XmppPerson.join(prosody, name, {
    onArrival({ id, body, from }) {
      const [instance = ''] = from.split('@')
      arrived.push({ id, text: body, instance, at: Date.now() })
    },
  })
}

/** The connections that ended because their account logged in again, although nothing kept their node from leaving first. */
function replaced(prosody: Prosody, faults: readonly SufferedFault[]): string[] {
  const moments = prosody.loggedAt(/Disconnecting client, .*Replaced by new connection/)
  return moments.filter((at) => isGraceful(at, faults)).map((at) => `XMPP: replaced at ${at}`)
}
