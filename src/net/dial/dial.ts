import { isIP, type Socket } from 'node:net'
import { addressRefused, NetFailure } from '../failure.ts'
import type { OutboundGuard } from '../guard/guard.ts'
import type { NameQuestion, PartyNames } from '../resolve/names.ts'
import { httpTunnel } from '../tunnel/http-tunnel.ts'
import type { DialTarget, ProxyServer } from '../tunnel/proxy.ts'
import { socksTunnel } from '../tunnel/socks-tunnel.ts'
import { connectPlain, endWith, secure } from './sockets.ts'

/**
 * Resolves with the addresses of a host that another party named, at least one. A single address that is not allowed refuses
 * the host, so that no order of attempts can reach that address. Rejects with a NetFailure, or the reason of the signal.
 */
export async function allowedAddresses(
  host: string,
  guard: Pick<OutboundGuard, 'allows'>,
  names: PartyNames,
  question: NameQuestion,
  refusal: () => NetFailure = addressRefused,
): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await names.addresses(host, question) : [host]
  if (!addresses.every((address) => guard.allows(address))) throw refusal()
  return addresses
}

export interface DialOptions {
  /** Ends it until the connection is open. */
  readonly signal: AbortSignal
  /** Authorities to trust for the server instead of those that Node trusts, in PEM. */
  readonly ca?: string | undefined
  /** A proxy to go through. It resolves the name of the target. */
  readonly proxy?: ProxyServer | undefined
  /** Authorities to trust for an `https` proxy instead of those that Node trusts, in PEM. */
  readonly proxyCa?: string | undefined
}

/**
 * Connects to the target, or to its proxy, at one of the allowed addresses and nowhere else: no name is resolved again. The
 * certificate must be valid for the host of the target. Rejects with a NetFailure, or with what a socket or TLS says.
 */
export async function dial(
  target: DialTarget & { readonly encrypted: boolean },
  addresses: readonly string[],
  options: DialOptions,
): Promise<Socket> {
  const { signal, ca, proxy } = options
  const plain = await connectPlain(proxy ?? target, addresses, signal)
  try {
    const socket = proxy ? await tunnel(plain, target, proxy, options) : plain
    return target.encrypted ? await secure(socket, target.host, signal, ca) : socket
  } catch (error) {
    plain.destroy()
    throw error
  }
}

async function tunnel(
  plain: Socket,
  target: DialTarget,
  { kind, host, credentials }: ProxyServer,
  { signal, proxyCa }: DialOptions,
): Promise<Socket> {
  const letGo = endWith(signal, plain)
  try {
    if (kind === 'socks5') return await socksTunnel(plain, target, credentials)
    const socket = kind === 'https' ? await secureProxy(plain, host, signal, proxyCa) : plain
    return await httpTunnel(socket, target, credentials)
  } finally {
    letGo()
  }
}

async function secureProxy(...args: Parameters<typeof secure>): Promise<Socket> {
  try {
    return await secure(...args)
  } catch {
    throw new NetFailure('unreachable', false, 'no encrypted connection to the proxy could be set up')
  }
}
