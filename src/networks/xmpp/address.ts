import { domainToASCII, domainToUnicode } from 'node:url'
import type { ParsedAddress } from '../driver/driver.ts'

/** RFC 7622 section 3.1: each part of an address takes at most so many bytes of UTF-8. */
const partBytes = 1023

/**
 * An address that is normalised as it stands, as most are: checking the others takes ten times as long. The last label of its domain
 * begins with a letter, so it is no IP address, and none is of the form that stands for other characters (RFC 5890).
 */
const plainAddress =
  /^[a-z0-9!#$%()*+,.=?[\]^_`{|}~\\-]+@(?!(?:.*\.)?xn--)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The end of the address of a room, as in its URI (XEP-0147): no domain contains a question mark, so that it ends no address of a person. */
const roomMark = '?join'

/** Reads the address of a person or of a room, or its URI (RFC 5122). */
export function parseAddress(input: string): ParsedAddress {
  const written = /^xmpp:/i.test(input) ? unescaped(input.slice('xmpp:'.length)) : input
  if (written === null) return refused('is a URI with an escape that stands for nothing')
  if (!written.endsWith(roomMark)) return parsePerson(written)
  const bare = parsePerson(written.slice(0, -roomMark.length))
  return bare.ok ? { ok: true, address: roomAt(bare.address) } : bare
}

function unescaped(uri: string): string | null {
  try {
    return decodeURIComponent(uri)
  } catch {
    return null
  }
}

/** Tells whether an address that `parseAddress` gave is that of a room. */
export function isRoom(address: string): boolean {
  return address.endsWith(roomMark)
}

/** The address of a room as callers see it, from its bare address at the network. */
export function roomAt(bare: string): string {
  return bare + roomMark
}

/** The bare address at the network, of a person or a room. */
export function bareOf(address: string): string {
  return isRoom(address) ? address.slice(0, -roomMark.length) : address
}

/**
 * Reads the address of a person: `local@domain`, RFC 7622. It is normalised so that one person has one spelling: both
 * parts in lower case and NFC, full-width letters narrowed, the domain in Unicode. A resource (`/phone`) is refused
 * rather than stripped: who names one device means it, and Posthorn could not keep that promise.
 */
export function parsePerson(input: string): ParsedAddress {
  if (input.length <= 253 && plainAddress.test(input)) return { ok: true, address: input }
  if (!input.isWellFormed()) return refused('is not well-formed Unicode')
  if (input.includes('/'))
    return refused('must be a bare address without a resource: leave out the “/” and all after it')
  const at = input.indexOf('@')
  if (at < 0) return refused('must be of the form local@domain')
  const local = parseLocal(input.slice(0, at))
  if (!local.ok) return local
  const domain = parseDomain(input.slice(at + 1))
  if (!domain.ok) return domain
  return { ok: true, address: `${local.address}@${domain.address}` }
}

/** The bare address a stanza came from, in the spelling of `parsePerson`; null for servers and for nonsense. */
export function bareAddressOf(from: string | undefined): string | null {
  if (from === undefined) return null
  const slash = from.indexOf('/')
  const parsed = parsePerson(slash < 0 ? from : from.slice(0, slash))
  return parsed.ok ? parsed.address : null
}

/** The domain of an address that `parseAddress` gave. */
export function domainOf(address: string): string {
  return address.slice(address.indexOf('@') + 1)
}

/** The address as a URI (RFC 5122 section 2.2). */
export function uriOf(address: string): string {
  return `xmpp:${address.split('@').map(encodeURIComponent).join('@')}`
}

/** The local part of an address that `parseAddress` gave. */
export function localOf(address: string): string {
  return address.slice(0, address.indexOf('@'))
}

/**
 * The PRECIS profile UsernameCaseMapped (RFC 8265 section 3.3) without the characters that RFC 7622 section 3.3.1 takes
 * out: letters, digits and marks that have no simpler form, and printable ASCII.
 */
function parseLocal(input: string): ParsedAddress {
  const local = narrowed(input).toLowerCase().normalize('NFC')
  if (local === '') return refused('must have a local part before the “@”')
  if (/[\s"&'/:<>@]/u.test(local)) {
    return refused(
      'has a character in its local part that XMPP does not allow: a space or one of " & \' / : < > @',
    )
  }
  if (!/^[\x21-\x7e\p{L}\p{Nd}\p{Mn}\p{Mc}]+$/u.test(local) || local !== local.normalize('NFKC')) {
    return refused('has a character in its local part that is neither a letter nor a digit, nor plain ASCII')
  }
  if (Buffer.byteLength(local) > partBytes) return refused(`has a local part of more than ${partBytes} bytes`)
  return { ok: true, address: local }
}

/** A domain name or an IP address; RFC 7622 section 3.2. Section 3.2.1 has the final dot taken off. */
function parseDomain(input: string): ParsedAddress {
  const domain = input.endsWith('.') ? input.slice(0, -1) : input
  if (domain === '') return refused('must have a domain after the “@”')
  // The URL parser behind domainToASCII takes more than names, such as escapes and whole paths: shut those out first.
  if (/[\s@/\\%?#"<>&'`{}|^_]/u.test(domain) || /\p{C}/u.test(domain)) {
    return refused('has a domain with a character that no domain has')
  }
  if (domain.startsWith('[') !== domain.endsWith(']') || (!domain.startsWith('[') && domain.includes(':'))) {
    return refused('has a domain that is neither a name nor an IP address')
  }
  const ascii = domainToASCII(domain)
  if (
    ascii === '' ||
    ascii.length > 253 ||
    !ascii.split('.').every((label) => label !== '' && label.length <= 63)
  ) {
    return refused('has a domain that is neither a name nor an IP address')
  }
  const unicode = domainToUnicode(ascii)
  if (Buffer.byteLength(unicode) > partBytes) return refused(`has a domain of more than ${partBytes} bytes`)
  return { ok: true, address: unicode }
}

/** RFC 8265 section 3.3.1, width mapping: full-width and half-width forms become the common ones. */
function narrowed(text: string): string {
  return text.replace(/[\uff00-\uffef]/g, (character) => character.normalize('NFKC'))
}

function refused(detail: string): ParsedAddress {
  return { ok: false, detail: `The address ${detail}.` }
}
