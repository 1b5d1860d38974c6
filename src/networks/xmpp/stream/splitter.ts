import { XmppError } from '../errors.ts'

/** Limits to the size of one stanza. */
export interface StanzaLimits {
  /** In bytes. RFC 6120 section 13.12 wants at least 10,000 to be taken. */
  readonly bytes: number
  readonly depth: number
  readonly elements: number
  readonly attributes: number
  /** A stanza that is too large is read to its end without being kept; one of more bytes than this ends the stream. */
  readonly skippable: number
}

/** A whole piece of a stream. What it is made of is only good until the next one is asked for. */
export type Part =
  /** The XML declaration and the start tag of the stream. */
  | { readonly kind: 'opening'; readonly bytes: Buffer }
  | { readonly kind: 'stanza'; readonly bytes: Buffer }
  /** A stanza that is too large, of which only the start tag is left, or just its name if even the tag is too large. */
  | { readonly kind: 'skipped'; readonly startTag: string }
  | { readonly kind: 'closing' }

const tab = 0x09
const newline = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const exclamation = 0x21
const doubleQuote = 0x22
const singleQuote = 0x27
const slash = 0x2f
const less = 0x3c
const greater = 0x3e
const question = 0x3f

const cdataBegin = Buffer.from('[CDATA[')
const cdataEnd = Buffer.from(']]>')
/** The start tag that is left of a stanza that is too large, and a declaration, are no longer than this. */
const longestHead = 4096

type State = 'between' | 'text' | 'markup' | 'tag' | 'quoted' | 'declaration' | 'cdata-begin' | 'cdata'

/**
 * Cuts the bytes of a stream (RFC 6120 section 4) into its stanzas, so that each has its limits before anything is made of
 * it. Keeps nothing but the beginning of the stanza that is arriving: white space between stanzas is dropped, and other text
 * there ends the stream, as do comments, DTDs and processing instructions (section 11.1). Whether a stanza is well-formed is
 * for the parser to say. Linear in the number of bytes.
 */
export class Splitter {
  limits: StanzaLimits

  #chunk: Buffer = Buffer.alloc(0)
  #at = 0
  #state: State = 'between'
  /** Elements that are open, including the stream itself. */
  #depth = 0
  #quote = 0
  /** The last byte before the present one in a tag, how far a mark was matched, and whether the tag is an end tag. */
  #last = 0
  #matched = 0
  #isEndTag = false

  /** The beginning of the present part in the chunk, and its bytes from earlier chunks; null while there is none. */
  #begin: number | null = null
  #kept: Buffer = Buffer.alloc(0)
  #keptLength = 0
  #elements = 0
  #attributes = 0
  /** The length of the start tag of the stanza, once that is known. */
  #headLength = 0
  #skipping: { readonly startTag: string } | null = null
  #skipped = 0

  constructor(limits: StanzaLimits) {
    this.limits = limits
  }

  /** Bytes that are held. */
  get held(): number {
    return this.#kept.length + this.#chunk.length
  }

  /** True if all that was pushed has been looked at. */
  get exhausted(): boolean {
    return this.#at >= this.#chunk.length
  }

  /** True if nothing but white space follows the last part. */
  get isClean(): boolean {
    const rest = this.#chunk.subarray(this.#at)
    return this.#begin === null && this.#state === 'between' && rest.every(isSpace)
  }

  /** Takes the next bytes; only when those before are exhausted. */
  push(chunk: Buffer): void {
    this.#chunk = chunk
    this.#at = 0
  }

  /** The next part, or null if more bytes are needed. Throws an `XmppError`. */
  next(): Part | null {
    const part = this.#scan()
    if (part) return part
    if (this.#begin !== null) this.#keepRest()
    this.#chunk = Buffer.alloc(0)
    this.#at = 0
    return null
  }

  #scan(): Part | null {
    const chunk = this.#chunk
    while (this.#at < chunk.length) {
      const state = this.#state
      if (state === 'text') this.#skipTo(less, 'markup')
      else if (state === 'quoted') this.#skipTo(this.#quote, 'tag')
      else if (state === 'tag') {
        const part = this.#takeTag()
        if (part) return part
      } else {
        const byte = chunk[this.#at] as number
        this.#at += 1
        this.#take(state, byte)
      }
    }
    return null
  }

  #take(state: State, byte: number): void {
    if (state === 'between') this.#takeBetween(byte)
    else if (state === 'markup') this.#takeMarkup(byte)
    else if (state === 'declaration') this.#takeDeclaration(byte)
    else if (state === 'cdata-begin') this.#takeCdataBegin(byte)
    else this.#takeCdata(byte)
  }

  /** Continues after the next such byte, or at the end of the chunk. */
  #skipTo(byte: number, state: State): void {
    const found = find(this.#chunk, byte, this.#at)
    this.#at = found < 0 ? this.#chunk.length : found + 1
    if (found < 0) return
    this.#state = state
    this.#last = byte
  }

  #takeBetween(byte: number): void {
    if (isSpace(byte)) return
    if (byte !== less) throw new XmppError('stream_malformed', 'text between stanzas')
    this.#begin ??= this.#at - 1
    this.#state = 'markup'
  }

  #takeMarkup(byte: number): void {
    this.#last = byte
    this.#isEndTag = byte === slash
    if (byte === question && this.#depth === 0 && this.#elements === 0) {
      this.#state = 'declaration'
    } else if (byte === exclamation && this.#depth > 1) {
      this.#state = 'cdata-begin'
      this.#matched = 0
    } else if (byte === question || byte === exclamation) {
      throw new XmppError('stream_malformed', 'a comment, a DTD or a processing instruction')
    } else {
      this.#state = 'tag'
      if (!this.#isEndTag) this.#count('elements')
    }
  }

  #takeDeclaration(byte: number): void {
    if (byte === greater && this.#last === question) this.#state = 'between'
    if (this.#lengthSoFar > longestHead) throw new XmppError('stream_malformed', 'not well-formed')
    this.#last = byte
  }

  #takeCdataBegin(byte: number): void {
    if (byte !== cdataBegin[this.#matched]) throw new XmppError('stream_malformed', 'a comment or a DTD')
    this.#matched += 1
    if (this.#matched < cdataBegin.length) return
    this.#state = 'cdata'
    this.#matched = 0
  }

  #takeCdata(byte: number): void {
    if (byte === cdataEnd[this.#matched]) this.#matched += 1
    // Of three brackets the last two may be the beginning of the end.
    else this.#matched = byte === cdataEnd[0] ? Math.min(this.#matched, 2) : 0
    if (this.#matched === cdataEnd.length) this.#state = 'text'
  }

  /** Goes on to the next value of an attribute, or to the end of the tag. */
  #takeTag(): Part | null {
    const chunk = this.#chunk
    const length = chunk.length
    let last = this.#last
    for (let at = this.#at; at < length; at += 1) {
      const byte = chunk[at] as number
      if (byte === greater || byte === doubleQuote || byte === singleQuote) {
        this.#at = at + 1
        this.#last = last
        return byte === greater ? this.#endTag() : this.#beginValue(byte)
      }
      last = byte
    }
    this.#at = length
    this.#last = last
    return null
  }

  #beginValue(quote: number): null {
    this.#quote = quote
    this.#state = 'quoted'
    this.#count('attributes')
    return null
  }

  #endTag(): Part | null {
    const isEmpty = this.#last === slash && !this.#isEndTag
    this.#state = 'text'
    if (this.#isEndTag) this.#depth -= 1
    else if (!isEmpty) this.#depth += 1
    if (this.#depth < 0) throw new XmppError('stream_malformed', 'not well-formed')
    const depth = this.#depth + (isEmpty ? 1 : 0)
    if (depth > this.limits.depth) this.#skip()
    if (depth === 1 && !this.#isEndTag) return this.#complete('opening')
    if (this.#depth === 0) return this.#complete('closing')
    if (depth === 2 && !this.#isEndTag && this.#headLength === 0) this.#headLength = this.#lengthSoFar
    return this.#depth === 1 ? this.#complete('stanza') : null
  }

  get #lengthSoFar(): number {
    return this.#keptLength + this.#at - (this.#begin ?? this.#at)
  }

  #count(what: 'elements' | 'attributes'): void {
    const count = what === 'elements' ? ++this.#elements : ++this.#attributes
    if (count > this.limits[what]) this.#skip()
  }

  /** The stanza is too large: nothing is kept of it but its start tag. */
  #skip(): void {
    if (this.#skipping) return
    const bytes = this.#bytesSoFar()
    if (this.#depth === 0 || this.limits.skippable === 0) throw tooLarge()
    const isWhole = this.#headLength > 0 && this.#headLength <= longestHead
    const name = /^<([^\s/>"'=]{1,64})/.exec(bytes.toString('latin1', 0, 100))?.[1]
    const startTag = isWhole ? bytes.toString('utf8', 0, this.#headLength) : name && `<${name}>`
    if (startTag === undefined) throw tooLarge()
    this.#skipping = { startTag }
    this.#skipped = this.#lengthSoFar
    this.#begin = this.#at
    this.#kept = Buffer.alloc(0)
    this.#keptLength = 0
  }

  #complete(kind: 'opening' | 'stanza' | 'closing'): Part {
    if (!this.#skipping && this.#lengthSoFar > this.limits.bytes) this.#skip()
    const skipping = this.#skipping
    const bytes = this.#bytesSoFar()
    this.#state = 'between'
    this.#begin = null
    this.#keptLength = 0
    // The buffer for a large stanza is not kept for small ones.
    if (this.#kept.length > longestHead) this.#kept = Buffer.alloc(0)
    this.#elements = 0
    this.#attributes = 0
    this.#headLength = 0
    this.#skipping = null
    this.#skipped = 0
    if (kind === 'closing') return { kind }
    return skipping ? { kind: 'skipped', startTag: skipping.startTag } : { kind, bytes }
  }

  #bytesSoFar(): Buffer {
    const fresh = this.#chunk.subarray(this.#begin ?? this.#at, this.#at)
    if (this.#keptLength === 0) return fresh
    this.#keep(fresh)
    this.#begin = this.#at
    return this.#kept.subarray(0, this.#keptLength)
  }

  #keepRest(): void {
    const rest = this.#chunk.subarray(this.#begin ?? this.#at)
    this.#begin = 0
    if (this.#skipping) {
      this.#skipped += rest.length
      if (this.#skipped > this.limits.skippable) throw tooLarge()
      return
    }
    this.#keep(rest)
    if (this.#keptLength > this.limits.bytes) {
      this.#at = 0
      this.#skip()
      this.#begin = 0
    }
  }

  /** Copied: many small packets would else be held with all that belongs to each of them. */
  #keep(bytes: Buffer): void {
    const needed = this.#keptLength + bytes.length
    if (needed > this.#kept.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#kept.length, 1024))
      this.#kept.copy(grown, 0, 0, this.#keptLength)
      this.#kept = grown
    }
    bytes.copy(this.#kept, this.#keptLength)
    this.#keptLength = needed
  }
}

function tooLarge(): XmppError {
  return new XmppError('stanza_too_large')
}

/** The next position of the byte, or -1. Most are near, so a call of the native search would cost more than it saves. */
function find(bytes: Buffer, wanted: number, from: number): number {
  const near = Math.min(from + 64, bytes.length)
  for (let at = from; at < near; at += 1) if (bytes[at] === wanted) return at
  return bytes.indexOf(wanted, near)
}

function isSpace(byte: number): boolean {
  return byte === space || byte === newline || byte === carriageReturn || byte === tab
}
