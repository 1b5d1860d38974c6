import { Agent, type RequestOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { failureFrom, NetFailure } from '../failure.ts'
import type { OutboundGuard } from '../guard/guard.ts'
import type { PartyNames } from '../resolve/names.ts'
import { type DialTarget, type ProxyServer, type ProxySettings, readProxy } from '../tunnel/proxy.ts'
import { allowedAddresses, type DialOptions, dial } from './dial.ts'

export interface AgentOptions extends Omit<DialOptions, 'signal' | 'proxy'> {
  /** Decides where the first connection may lead: to the server, or to its proxy. */
  readonly guard: OutboundGuard
  readonly names: PartyNames
  readonly proxy?: ProxySettings | undefined
  /** Milliseconds until the encrypted connection must be open; 20,000 by default. */
  readonly timeout?: number
}

const usualTimeout = 20_000

/**
 * An agent for `https` requests and WebSocket clients whose servers others name, directly or through a proxy that others name. A
 * connection that fails does so with a NetFailure. The constructor throws a TypeError with the sentence of `proxyFault` if the
 * settings of the proxy are wrong.
 */
export class GuardedAgent extends Agent {
  readonly #options: AgentOptions
  readonly #proxy: ProxyServer | undefined

  constructor(options: AgentOptions) {
    super({ keepAlive: false })
    this.#options = options
    this.#proxy = options.proxy && readProxy(options.proxy)
  }

  /** Ignores the TLS options of a request, so that no request can turn the verification off. */
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

  async #connect(target: DialTarget): Promise<Socket> {
    const { guard, names, ca, proxyCa, timeout = usualTimeout } = this.#options
    const signal = AbortSignal.timeout(timeout)
    const proxy = this.#proxy
    try {
      const addresses = await allowedAddresses((proxy ?? target).host, guard, names, { signal })
      return await dial({ ...target, encrypted: true }, addresses, { signal, ca, proxy, proxyCa })
    } catch (error) {
      if (signal.aborted) throw new NetFailure('timeout', false, 'the connection took too long to be set up')
      throw failureFrom(error)
    }
  }
}
