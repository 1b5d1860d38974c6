import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { checkBlock } from '../address-blocks.ts'

/*
 * Parsers for the texts of settings. Each throws a sentence that completes "NAME …" if the text is invalid.
 */

export interface Address {
  readonly host: string
  readonly port: number
}

export interface Rate {
  readonly count: number
  readonly seconds: number
}

export function text(value: string): string {
  return value
}

export function optional<T>(parse: (text: string) => T): (text: string) => T | undefined {
  return (value) => (value === '' ? undefined : parse(value))
}

export function orOff<T>(parse: (text: string) => T): (text: string) => T | undefined {
  return (value) => {
    if (value === 'off') return undefined
    try {
      return parse(value)
    } catch (error) {
      throw new Error(`${(error as Error).message}, or off`)
    }
  }
}

export function parseOneOf<const W extends string>(...words: W[]): (text: string) => W {
  return (value) => {
    const word = words.find((candidate) => candidate === value)
    if (word === undefined) throw new Error(`must be one of ${words.join(', ')}`)
    return word
  }
}

/** An address and a port, or only a port of the loopback address. */
export function parseListeningAddress(value: string): Address {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65535) return { host: '127.0.0.1', port: Number(value) }
  const match = /^(\[[0-9a-fA-F:]+\]|[^:[\]]+):(\d{1,5})$/.exec(value)
  const port = Number(match?.[2])
  if (!match?.[1] || port > 65535)
    throw new Error('must be an address and a port, such as 127.0.0.1:8080, or a port')
  return { host: match[1].replace(/^\[|\]$/g, ''), port }
}

export function parseUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new Error('must be a URL such as https://messages.example.org, without a query or fragment')
  if (url.username || url.password)
    throw new Error(
      'must not contain a user or password, because it appears in the contract, which anybody can read',
    )
  return value.replace(/\/+$/, '')
}

export function parseDatabaseUrl(value: string): string {
  if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value)) {
    throw new Error('must be a URL such as postgres://user:password@host/database')
  }
  return value
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (value) => {
    const number = /^[1-9]\d{0,8}$/.test(value) ? Number(value) : 0
    if (number < min || number > max) throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  }
}

export const parseCount = wholeNumber(1, 999_999_999)

const sizeUnits = ['', 'KB', 'MB', 'GB', 'TB']

/** A number of bytes; a KB is 1,024 of them, as everywhere. */
export function parseSize(value: string): number {
  const [, digits, unit = ''] = /^([1-9]\d{0,14})([KMGT]B)?$/.exec(value) ?? []
  const bytes = Number(digits) * 1024 ** sizeUnits.indexOf(unit)
  if (!Number.isSafeInteger(bytes)) throw new Error('must be a number of bytes, such as 500MB or 10GB')
  return bytes
}

/** More than a day is a mistake, and Node's timers cannot wait for more than 24 days. */
export const parseStopSeconds = wholeNumber(1, 86_400)

/** Fewer days would end before the last attempts to deliver an event. */
export const parseRetentionDays = wholeNumber(7, 99_999)

/** Data that must be kept at least as long as events, because events refer to it. */
export const parseDays = wholeNumber(1, 99_999)

export function parseRate(value: string): Rate {
  const match = /^([1-9]\d{0,8})\/([1-9]\d{0,5})$/.exec(value)
  if (!match) throw new Error('must be COUNT/SECONDS, such as 6000/60')
  return { count: Number(match[1]), seconds: Number(match[2]) }
}

export function parseBlocks(value: string): readonly string[] {
  if (value === 'none') return []
  const blocks = value.split(',').map((block) => block.trim())
  for (const block of blocks) {
    try {
      checkBlock(block)
    } catch (error) {
      throw new Error(`must be ${(error as Error).message}; or none`)
    }
  }
  return blocks
}

/** Addresses of name servers, each with a port if that is not 53. */
export function parseNameServers(value: string): readonly string[] {
  const servers = value.split(',').map((server) => server.trim())
  for (const server of servers) {
    const [, ipv6, ipv4, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(server) ?? []
    if (isIP(ipv6 ?? ipv4 ?? server) === 0 || Number(port ?? 53) > 65_535)
      throw new Error(
        'must be IP addresses, each with a port if needed, such as 192.0.2.1,[2001:db8::1]:5353',
      )
  }
  return servers
}

export function parseToken(value: string): string {
  if (!/^[\x21-\x7e]{32,255}$/.test(value)) throw new Error('must be 32 to 255 visible ASCII characters')
  return value
}

export function parseEndpoint(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new Error('must be an http or https URL, without a user, password, query or fragment')
  return value
}

/** The URL that the paths of an API are appended to, without a slash at its end. */
export function parseApiUrl(value: string): string {
  parseEndpoint(value)
  // An empty query or fragment is none to the URL parser, but would cut off every path.
  if (/[?#@\\\s]/.test(value))
    throw new Error('must be an http or https URL, without a user, password, query, fragment or space')
  return value.replace(/\/+$/, '')
}

/** Without a slash at its end, a prefix would run into the names that follow it. */
export function parsePrefix(value: string): string {
  if (!/^([\w.-]+\/)+$/.test(value) || value.length > 200)
    throw new Error(
      'must consist of letters, digits, -, _ and ., separated by slashes and ending in one, such as posthorn/',
    )
  return value
}

/** Keys that other gateways shipped as examples, and that their users may carry over. Everybody knows them. */
const knownToEverybody = new Set([
  '429683c4c977415caafcce10f7d57e11',
  'bqyhjgjhj',
  'thisismysecuretoken',
  'secret',
])

const howToMakeAKey = 'make one with `openssl rand -hex 32`'

/** The 32 bytes of a master key. Refuses anything else, and keys that others may know or can guess. */
export function parseMasterKey(value: string): Uint8Array {
  if (knownToEverybody.has(value.toLowerCase())) throw new Error(`is a published example; ${howToMakeAKey}`)
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new Error(`must be 64 hexadecimal digits; ${howToMakeAKey}`)
  const bytes = Buffer.from(value, 'hex')
  if (new Set(bytes).size < 8) throw new Error(`is not random; ${howToMakeAKey}`)
  return bytes
}

/** Names of hosts, without ports. */
export function parseHosts(value: string): readonly string[] {
  const names = value === '' ? [] : value.split(',').map((name) => name.trim())
  for (const name of names) {
    if (name !== '*' && (!/^[^\s/:@?#\\[\]*]+$/.test(name) || domainToASCII(name) === ''))
      throw new Error('must be host names without ports, separated by commas, such as gateway.example; or *')
  }
  return names
}
