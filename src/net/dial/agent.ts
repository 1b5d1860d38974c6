import { Agent, type RequestOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ConnectFailure } from '../tunnel/connect-failure.ts'
import { connectTunnel } from '../tunnel/http-tunnel.ts'
import type { ProxySettings, Target } from '../tunnel/proxy.ts'
import { type ProxyServer, readProxy } from '../tunnel/proxy.ts'
import { socksTunnel } from '../tunnel/socks-tunnel.ts'
import { dialGuarded, type Reach } from './dial-guarded.ts'
import { endWith, secure } from './sockets.ts'

/** The guard decides where the first connection may lead: to the server, or to its proxy. */
export interface AgentOptions extends Reach {
  /** Authorities to trust for the server instead of those that Node trusts, in PEM. */
  readonly ca?: string
  /** Until the encrypted connection must be open, in milliseconds; 20 s by default. */
  readonly timeout?: number
}

export interface ProxyAgentOptions extends AgentOptions, ProxySettings {
  /** Authorities to trust for an `https` proxy instead of those that Node trusts, in PEM. */
  readonly proxyCa?: string
}

const usualTimeout = 20_000

/**
 * An agent for `https` requests and WebSocket clients whose servers others name. A connection that fails does so with a
 * ConnectFailure, or with what TLS says.
 */
export function directAgent({ guard, names, ...options }: AgentOptions): Agent {
  const reach = { guard, names }
  return new GuardedAgent(options, (target, signal) => dialGuarded(target, reach, 'server', signal))
}

/**
 * The same through a proxy that others name. The guard decides about the address of the proxy. The proxy resolves the name of
 * the server, and passes on what is encrypted between this machine and the server. Throws a TypeError with the sentence of
 * `proxyFault` if the settings are wrong.
 */
export function proxyAgent({ ca, timeout, proxyCa, ...settings }: ProxyAgentOptions): Agent {
  const open = throughProxy({ ...(proxyCa !== undefined && { proxyCa }), ...settings })
  return new GuardedAgent(
    { ...(ca !== undefined && { ca }), ...(timeout !== undefined && { timeout }) },
    open,
  )
}

/** Opens connections through a proxy that others name. They are not encrypted yet. Throws as `proxyAgent` does. */
export function throughProxy({
  guard,
  names,
  proxyCa,
  ...settings
}: Omit<ProxyAgentOptions, 'ca' | 'timeout'>): Open {
  const proxy = readProxy(settings)
  const reach = { guard, names }
  return async (target, signal) => {
    const socket = await dialGuarded(proxy, reach, 'proxy', signal)
    return await tunnel(socket, { proxy, target, proxyCa, signal })
  }
}

interface Tunnel {
  readonly proxy: ProxyServer
  readonly target: Target
  readonly proxyCa: string | undefined
  readonly signal: AbortSignal
}

async function tunnel(plain: Socket, { proxy, target, proxyCa, signal }: Tunnel): Promise<Socket> {
  const { kind, credentials } = proxy
  const letGo = endWith(signal, plain)
  try {
    if (kind === 'socks5') return await socksTunnel(plain, target, credentials)
    const socket = kind === 'https' ? await secureProxy(plain, proxy.host, signal, proxyCa) : plain
    return await connectTunnel(socket, target, credentials)
  } catch (error) {
    plain.destroy()
    throw error
  } finally {
    letGo()
  }
}

async function secureProxy(...args: Parameters<typeof secure>): Promise<Socket> {
  try {
    return await secure(...args)
  } catch {
    throw new ConnectFailure('unreachable', 'no encrypted connection to the proxy could be set up')
  }
}

/** Opens a connection to the target that is not encrypted yet. */
type Open = (target: Target, signal: AbortSignal) => Promise<Socket>

class GuardedAgent extends Agent {
  readonly #options: Omit<AgentOptions, keyof Reach>
  readonly #open: Open

  constructor(options: Omit<AgentOptions, keyof Reach>, open: Open) {
    super({ keepAlive: false })
    this.#options = options
    this.#open = open
  }

  /** What a request says about TLS is ignored, so that none can turn the verification off. */
  override createConnection(
    { host, port }: RequestOptions,
    done: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    void this.#connect({ host: host ?? '', port: Number(port ?? 443) }).then(
      (socket) => done(null, socket),
      // Node looks at the error alone.
      (error: Error) => (done as (error: Error) => void)(error),
    )
  }

  async #connect(target: Target): Promise<Socket> {
    const { ca, timeout = usualTimeout } = this.#options
    const signal = AbortSignal.timeout(timeout)
    let plain: Socket | undefined
    try {
      plain = await this.#open(target, signal)
      return await secure(plain, target.host, signal, ca)
    } catch (error) {
      plain?.destroy()
      if (signal.aborted) throw new ConnectFailure('timeout', 'the connection took too long to be set up')
      throw error
    }
  }
}
