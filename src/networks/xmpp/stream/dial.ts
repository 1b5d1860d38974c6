import { isIP, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { domainToASCII } from 'node:url'
import { allowedAddresses } from '../../../net/dial/dial.ts'
import { connectPlain, secure } from '../../../net/dial/sockets.ts'
import { NetFailure } from '../../../net/failure.ts'
import type { OutboundGuard } from '../../../net/guard/guard.ts'
import type { PartyNames } from '../../../net/resolve/names.ts'
import { XmppError, xmppErrorFrom } from '../errors.ts'
import type { Account, Service } from '../settings.ts'

/** Certificate authorities to trust instead of those that Node trusts, in PEM. */
export type ExtraAuthorities = string | readonly string[] | undefined

/** Options that all connections of this server have in common. */
export interface XmppDialOptions {
  readonly ca: ExtraAuthorities
  /** The operator's limits to the addresses that instances connect to: partners choose the address. */
  readonly guard: OutboundGuard
  /** The resolver for the names of machines and services. */
  readonly names: PartyNames
}

/** Milliseconds without traffic after which the operating system probes a connection. */
const keepAliveDelay = 60_000

/** Milliseconds in which name servers must list the services of a domain. */
const serviceTime = 4_000

interface SrvRecord {
  readonly name: string
  readonly port: number
  readonly priority: number
  readonly weight: number
  readonly directTls: boolean
}

/**
 * Connects to the first endpoint of the account that takes the connection; those with direct TLS are verified before
 * they count. Throws an `XmppError`, that of the last endpoint tried. `signal` ends it at any moment.
 */
export async function dialXmpp(
  account: Account,
  { ca, guard, names }: XmppDialOptions,
  random: () => number,
  signal: AbortSignal,
): Promise<Socket> {
  const endpoints = account.service
    ? [account.service]
    : await endpointsOf(account.domain, names, random, signal)
  let last = new XmppError('server_not_found', 'the domain says that it has no XMPP service')
  for (const { host, port, directTls } of endpoints) {
    signal.throwIfAborted()
    let socket: Socket | undefined
    try {
      const addresses = await allowedAddresses(host, guard, names, { signal })
      socket = await connectPlain({ host, port }, addresses, signal)
      socket.setKeepAlive(true, keepAliveDelay)
      return directTls ? await secured(socket, account.domain, ca, signal, ['xmpp-client']) : socket
    } catch (caught) {
      socket?.destroy()
      signal.throwIfAborted()
      last = xmppErrorFrom(caught)
    }
  }
  throw last
}

/**
 * Puts TLS over a socket. The certificate must be valid for the domain of the address (RFC 6120 section 13.7.2), not for
 * the name or the address of the machine that DNS or the settings led to.
 */
export async function secured(
  plain: Socket,
  domain: string,
  ca: ExtraAuthorities,
  signal: AbortSignal,
  protocols: readonly string[] = [],
): Promise<TLSSocket> {
  try {
    return await secure(plain, domainToASCII(domain), signal, ca && [ca].flat().join('\n'), protocols)
  } catch (caught) {
    plain.destroy()
    throw caught
  }
}

/** SRV records (RFC 6120 section 3.2.1, and XEP-0368 for direct TLS), or the domain itself if there are none. */
async function endpointsOf(
  domain: string,
  names: PartyNames,
  random: () => number,
  signal: AbortSignal,
): Promise<readonly Service[]> {
  const name = domainToASCII(domain)
  const host = name.replace(/^\[(.*)\]$/, '$1')
  const fallback = [{ host, port: 5222, directTls: false }]
  if (isIP(host) !== 0) return fallback
  const found = await Promise.all([
    lookUp(`_xmpps-client._tcp.${name}`, names, signal, true),
    lookUp(`_xmpp-client._tcp.${name}`, names, signal, false),
  ])
  const records = found.flat()
  if (records.length === 0) return fallback
  return inOrder(records, random)
    .filter((record) => record.name !== '' && record.name !== '.')
    .map((record) => ({ host: record.name, port: record.port, directTls: record.directTls }))
}

async function lookUp(
  name: string,
  names: PartyNames,
  signal: AbortSignal,
  directTls: boolean,
): Promise<SrvRecord[]> {
  try {
    const records = await names.services(name, { signal, within: serviceTime })
    return records.map((record) => ({ ...record, directTls }))
  } catch (error) {
    if (!(error instanceof NetFailure)) throw error
    // No records, or no DNS: either way the domain itself is worth a try, and will say what is wrong.
    return []
  }
}

/** RFC 2782: ascending priority, and within one priority at random by weight. */
export function inOrder<R extends { priority: number; weight: number }>(
  records: readonly R[],
  random: () => number,
): R[] {
  // A key of -ln(u)/w draws without replacement, each record first with a chance in proportion to its weight.
  const drawn = records.map((record) => ({ record, key: -Math.log(1 - random()) / (record.weight || 0.01) }))
  drawn.sort((a, b) => a.record.priority - b.record.priority || a.key - b.key)
  return drawn.map(({ record }) => record)
}
