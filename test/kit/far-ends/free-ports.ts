import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

/** Below are ports of services that a machine may run. */
const lowest = 10_000

/**
 * The first port that the system itself gives away, to connections and to servers that take any port (ip(7),
 * `ip_local_port_range`): one of those could be taken between the look and the use.
 */
function firstGivenAway(): number {
  try {
    return Number(/^\d+/.exec(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'))?.[0])
  } catch {
    return 32_768
  }
}

/** A port on 127.0.0.1 that was free a moment ago, and that the system gives to nothing that does not ask for it. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

/** Such ports; they are held together until all are known, so that no two are the same. */
export async function freePorts(count: number): Promise<number[]> {
  const end = firstGivenAway()
  if (end <= lowest) throw new Error('the system gives all ports away, see ip_local_port_range')
  const held = new Map<number, Server>()
  while (held.size < count) {
    const port = randomInt(lowest, end)
    if (held.has(port)) continue
    const server = await listenOn(port)
    if (server) held.set(port, server)
  }
  await Promise.all([...held.values()].map((server) => once(server.close(), 'close')))
  return [...held.keys()]
}

/** Undefined if the port is in use. */
async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  return await once(server, 'listening').then(
    () => server,
    () => undefined,
  )
}
