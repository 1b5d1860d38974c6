import type { SrvRecord } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { domainToASCII } from 'node:url'
import { FairSemaphore, QueueFull } from '../../runtime/limits/fair-semaphore.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import type { NetFailure } from '../failure.ts'
import { type HostsFile, readHostsFile } from './hosts-file.ts'
import { lookUpLimits, nameFailure, nameFailureFrom } from './name-failure.ts'
import { maxNameLength, namesToTry, readSearchList, type SearchList } from './search-list.ts'
import { WatchedFile } from './watched-file.ts'

export interface NamesOptions {
  /** Name servers to ask instead of the system's, as `address` or `address:port`. */
  readonly servers?: readonly string[] | undefined
  /** Instead of the system's. */
  readonly hostsFile?: string
  /** Instead of the system's; only how names are completed is read from it. */
  readonly resolverFile?: string
  /** Timers for the time of a look-up. */
  readonly alarms?: Pick<Alarms, 'in'>
}

export interface NameQuestion {
  /** Aborts when the caller no longer needs the addresses. */
  readonly signal: AbortSignal
  /** Milliseconds that the look-up may take, with the time that it waits for its turn. */
  readonly within?: number
  /** True for a name that is whole, as in a URL: no search domain completes it. */
  readonly isWhole?: boolean
}

/** The look-ups of one party. */
export interface PartyNames {
  /**
   * The addresses of a host, one or more, those of IPv4 first; of an address, itself. Rejects with a NetFailure, or the reason of
   * the signal.
   */
  addresses(host: string, question: NameQuestion): Promise<readonly string[]>
  /** The SRV records of a whole name, in no order. Rejects in the same way. */
  services(name: string, question: Omit<NameQuestion, 'isWhole'>): Promise<readonly SrvRecord[]>
}

/** For how long a look-up is waited for, in milliseconds, unless the question says something else. */
const usualTime = 8_000

/** Milliseconds that a name server may take before it, or the next one, is asked again; and the number of tries. */
const asking = { timeout: 1_000, maxTimeout: 1_000, tries: 3 }

/** Bytes that are read of the hosts file and of the resolver's settings, which say how names are completed. */
const largest = { hosts: 1024 * 1024, resolver: 64 * 1024 }

/** Form of a name, after international ones were translated. Name servers are asked for no other name. */
const knownName = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

/**
 * The only way from a name that another party chose to addresses. Names of the hosts file are known; for all others, name
 * servers are asked, and no look-up needs a thread. The system's own resolver would hold a thread, one of the few that also
 * read files, for as long as a name server is silent, and could not be cancelled.
 *
 * Parties, which are organizations, take turns, and each has a share of the look-ups under way.
 */
export class NameResolver {
  readonly #servers: readonly string[] | undefined
  readonly #hosts: WatchedFile<HostsFile>
  readonly #search: WatchedFile<SearchList>
  readonly #alarms: Pick<Alarms, 'in'>
  readonly #turns = new FairSemaphore(lookUpLimits)
  #refused = 0

  constructor({ servers, hostsFile, resolverFile, alarms = ownAlarms }: NamesOptions = {}) {
    this.#servers = servers
    this.#hosts = new WatchedFile(hostsFile ?? '/etc/hosts', largest.hosts, readHostsFile)
    this.#search = new WatchedFile(resolverFile ?? '/etc/resolv.conf', largest.resolver, (text) =>
      readSearchList(text, hostname()),
    )
    this.#alarms = alarms
  }

  /** Look-ups that are under way. */
  get underway(): number {
    return this.#turns.running
  }

  /** Look-ups that wait for their turn. */
  get waiting(): number {
    return this.#turns.waiting
  }

  /** Look-ups that were refused since the process started, because too many of their party waited. */
  get refused(): number {
    return this.#refused
  }

  /** The look-ups of one party. */
  of(party: string): PartyNames {
    return {
      addresses: (host, question) => this.#addresses(party, host, question),
      services: (name, question) =>
        this.#during(party, question, (resolver) => servicesOf(name, resolver, question.signal)),
    }
  }

  async #addresses(party: string, host: string, question: NameQuestion): Promise<readonly string[]> {
    question.signal.throwIfAborted()
    if (isIP(host) !== 0) return [host]
    const { name, isWhole } = readName(host)
    // As everywhere, what looks like an IPv4 address in another spelling is one.
    if (isIP(name) !== 0) return [name]
    const known = this.#hosts.value.get(name) ?? (isLocalhost(name) ? loopback : undefined)
    if (known !== undefined) return known
    const spellings = isWhole || question.isWhole ? [name] : namesToTry(name, this.#search.value)
    return this.#during(party, question, (resolver, over) => addressesOf(spellings, resolver, over))
  }

  /** Has a resolver ask when it is the party's turn, until the time is over or the caller no longer needs the result. */
  async #during<R>(
    party: string,
    { signal, within = usualTime }: NameQuestion,
    ask: (resolver: Resolver, over: AbortSignal) => Promise<R>,
  ): Promise<R> {
    signal.throwIfAborted()
    const over = new AbortController()
    const leave = () => over.abort(signal.reason)
    signal.addEventListener('abort', leave)
    const alarm = this.#alarms.in(within, () => over.abort(nameFailure('timeout')))
    try {
      const found = await this.#turns.run(party, () => this.#asked(ask, over.signal), over.signal)
      signal.throwIfAborted()
      return found
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof QueueFull)) throw error
      this.#refused++
      throw nameFailure('busy')
    } finally {
      alarm.cancel()
      signal.removeEventListener('abort', leave)
    }
  }

  /** Each look-up has a resolver of its own, so that it is called off alone, and a server that one finds silent is so for it only. */
  async #asked<R>(ask: (resolver: Resolver, over: AbortSignal) => Promise<R>, over: AbortSignal): Promise<R> {
    const resolver = new Resolver(asking)
    if (this.#servers !== undefined) resolver.setServers(this.#servers)
    const callOff = () => resolver.cancel()
    over.addEventListener('abort', callOff)
    try {
      return await ask(resolver, over)
    } finally {
      over.removeEventListener('abort', callOff)
    }
  }
}

/** Those of the first spelling that has any. */
async function addressesOf(
  spellings: readonly string[],
  resolver: Resolver,
  over: AbortSignal,
): Promise<readonly string[]> {
  const failures: NetFailure[] = []
  for (const name of spellings) {
    // A and AAAA at once, and one response is enough if the other does not come.
    const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = results.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    over.throwIfAborted()
    const failure = nameFailureFrom(
      results.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason?.code] : [])),
    )
    failures.push(failure)
  }
  throw failures.find(({ permanent }) => !permanent) ?? nameFailure('unknown')
}

async function servicesOf(name: string, resolver: Resolver, over: AbortSignal): Promise<SrvRecord[]> {
  try {
    return await resolver.resolveSrv(name)
  } catch (error) {
    over.throwIfAborted()
    throw nameFailureFrom([(error as NodeJS.ErrnoException).code])
  }
}

/** A name in the spelling of name servers, and whether a dot at its end says that it is whole. Throws a NetFailure for what is none. */
function readName(host: string): { name: string; isWhole: boolean } {
  const ascii = /[\s/?#@\\:%]/.test(host) ? '' : domainToASCII(host)
  const isWhole = ascii.endsWith('.')
  const name = isWhole ? ascii.slice(0, -1) : ascii
  if (name.length > maxNameLength || !knownName.test(name)) throw nameFailure('unknown')
  return { name, isWhole }
}

/** Name servers are never asked for these (RFC 6761 section 6.3). */
function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

const loopback = ['127.0.0.1', '::1']

const ownAlarms: Pick<Alarms, 'in'> = {
  in(delay, ring) {
    const timer = setTimeout(ring, delay)
    return { cancel: () => clearTimeout(timer) }
  },
}
