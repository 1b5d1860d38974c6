import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { AddressBlocks } from '../../runtime/address-blocks.ts'
import { NetFailure, placeRefused } from '../failure.ts'
import type { DialTarget } from '../tunnel/proxy.ts'

/**
 * Connects to one of the checked addresses, and to nothing else: the name is not resolved again. `signal` ends it until the
 * connection is open.
 */
export async function connectPlain(
  { host, port }: DialTarget,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  // With several addresses, Node tries the next when one is slow to respond (RFC 8305).
  const plain = connectTcp({
    host,
    port,
    lookup: fixedLookup(addresses),
    autoSelectFamily: true,
    noDelay: true,
  })
  await opened(plain, 'connect', signal)
  checkPeer(plain, addresses)
  return plain
}

/**
 * Encrypts a connection that is open. The certificate must be valid for the host. `ca` are the authorities to trust instead of those
 * that Node trusts, in PEM.
 */
export async function secure(
  plain: Socket,
  host: string,
  signal: AbortSignal,
  ca: string | undefined,
  protocols: readonly string[] = ['http/1.1'],
): Promise<TLSSocket> {
  const secured = connectTls({
    socket: plain,
    host,
    // Server Name Indication knows names only, no IP addresses (RFC 6066 section 3).
    ...(isIP(host) === 0 && { servername: host }),
    secureContext: trusting(ca),
    ...(protocols.length > 0 && { ALPNProtocols: [...protocols] }),
    // Node would let an environment variable turn this off.
    rejectUnauthorized: true,
  })
  await opened(secured, 'secureConnect', signal)
  return secured
}

/** By the authorities that they trust. Only the operator names any, so there are few. */
const contexts = new Map<string | undefined, SecureContext>()

/** Connections that trust the same share it: each would need 25 KB for its own, and half a millisecond. */
function trusting(ca: string | undefined): SecureContext {
  const context = contexts.get(ca) ?? createSecureContext(ca === undefined ? {} : { ca })
  contexts.set(ca, context)
  return context
}

/** A lookup with a fixed result. Node does not call it if the host is an address, which is then the checked one. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const results = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_name, { all }, answer) => {
    if (all) answer(null, results)
    else answer(null, results[0]?.address ?? '', results[0]?.family)
  }
}

/** Closes a connection whose other end is not a vetted address, before a byte was said on it. */
function checkPeer(socket: Socket, addresses: readonly string[]): void {
  if (AddressBlocks.of(addresses).has(socket.remoteAddress ?? '')) return
  socket.destroy()
  throw placeRefused()
}

/** Ends a connection when the signal says so, until it is let go of with what this returns, or over. */
export function endWith(signal: AbortSignal, socket: Socket): () => void {
  const end = () => socket.destroy(signal.reason)
  const letGo = () => signal.removeEventListener('abort', end)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end)
  socket.once('close', letGo)
  return () => {
    letGo()
    socket.off('close', letGo)
  }
}

/** Waits until a socket is open. */
function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  const letGo = endWith(signal, socket)
  return new Promise((resolve, reject) => {
    socket.once(event, () => {
      letGo()
      resolve()
    })
    // The listener stays: the reader of an open socket also learns of its end.
    socket.on('error', reject)
    socket.once('close', () => reject(closedEarly()))
  })
}

/** The other end closed a connection before it was open. */
function closedEarly(): NetFailure {
  return new NetFailure('unreachable', false, 'the server could not be reached', { code: 'ECONNRESET' })
}
