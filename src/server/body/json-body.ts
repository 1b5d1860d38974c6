import { isUtf8 } from 'node:buffer'
import { invalid, Problem } from '../../contract/problem.ts'
import { whereJsonFails } from './json-error.ts'

/*
 * Texts that not every store and network can carry are refused at the door: U+0000, which PostgreSQL does not take, and
 * lone surrogates, which no encoding can carry and which would arrive as something else than was accepted.
 */
const suspicious = /\\u(?:0000|[dD][89a-fA-F])|__proto__|\\u005[fF]/
const deepest = 64

/** Parses a JSON body; undefined for an empty one. Refuses a body that two readers could understand differently. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8.')
  const text = bytes.toString('utf8')
  const value = parse(text)
  if (countMembers(value, 0) !== countNames(text)) throw malformed('An object contains the same name twice.')
  if (suspicious.test(text)) refuseUnfitTexts(value, '')
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // Node's own message quotes the text.
    const detail = whereJsonFails(text)
    throw new Problem('malformed_body', { cause: error, ...(detail === undefined ? {} : { detail }) })
  }
}

function malformed(detail: string): Problem {
  return new Problem('malformed_body', { detail })
}

/** Counts the members of all objects in a value, and refuses what is nested deeper than anything in the contract. */
function countMembers(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (depth > deepest) throw malformed('The body is nested too deeply.')
  const entries = Object.values(value)
  let members = Array.isArray(value) ? 0 : entries.length
  for (const entry of entries) members += countMembers(entry, depth + 1)
  return members
}

const backslash = 0x5c
const colon = 0x3a
const space = 0x20

/**
 * Counts the names in JSON text: the strings that a colon follows. There are as many as there are members, unless a name
 * occurs twice in one object; `JSON.parse` would silently take the last. Jumps from quote to quote, in linear time.
 */
function countNames(json: string): number {
  let names = 0
  for (let quote = json.indexOf('"'); quote >= 0; ) {
    let next = endOfString(json, quote) + 1
    while (json.charCodeAt(next) <= space) next++
    if (json.charCodeAt(next) === colon) names++
    quote = json.indexOf('"', next)
  }
  return names
}

/** The end of the string that begins at `quote`: the next quote that is not escaped. */
function endOfString(json: string, quote: number): number {
  for (let end = json.indexOf('"', quote + 1); ; end = json.indexOf('"', end + 1)) {
    let first = end
    while (json.charCodeAt(first - 1) === backslash) first--
    if ((end - first) % 2 === 0) return end
  }
}

function refuseUnfitTexts(value: unknown, pointer: string): void {
  if (typeof value === 'string' && !isFit(value)) throw unfit(pointer, 'The text')
  if (typeof value !== 'object' || value === null) return
  for (const [name, entry] of Object.entries(value)) {
    if (name === '__proto__') throw malformed('An object has the name `__proto__`.')
    if (!isFit(name)) throw unfit(pointer, 'A name in it')
    refuseUnfitTexts(entry, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}

function unfit(pointer: string, what: string): Problem {
  const detail = `${what} contains U+0000 or a lone surrogate, which cannot be transmitted unchanged.`
  return invalid({ pointer: pointer.slice(0, 200).toWellFormed(), code: 'text_not_representable', detail })
}

/** True for text that every store and network can carry unchanged. */
export function isFit(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}
