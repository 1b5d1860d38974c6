import { StringDecoder } from 'node:string_decoder'
import { Element } from '@xmpp/xml'
import { SaxesParser } from 'saxes'
import { XmppError } from '../errors.ts'
import type { Xml } from '../stanzas/xml.ts'

/** Bytes that are parsed at a time: about a tenth of a millisecond of work. */
const stepBytes = 4096
const nothing = Buffer.alloc(0)

/**
 * Makes elements of the stanzas of one stream, which come whole. Every stanza has the stream's own element for its parent,
 * which knows the namespaces, and is not known to it: nothing is left of a stanza to which no reference is kept.
 */
export class StanzaParser {
  /**
   * Never used, and never collected: V8 settles what room all parsers have by those that live when the seventh is made. If none
   * of them has its handlers yet, there is no room for handlers, and each parser becomes a dictionary, which is six times slower.
   */
  static readonly example = new StanzaParser()

  // The version that a declaration names must not change which characters are allowed.
  readonly #sax = new SaxesParser({ position: false, forceXMLVersion: true, defaultXMLVersion: '1.0' })
  #root: Xml | null = null
  #cursor: Xml | null = null
  #whole: Xml | null = null
  /** The rest of the stanza that is being parsed. */
  #rest: Buffer = nothing
  readonly #decoder = new StringDecoder('utf8')
  /** Those of the present tag, collected here because an element is slow to copy the ones that saxes collects. */
  #attributes: Record<string, string> = {}

  constructor() {
    const sax = this.#sax
    // With more than seven handlers, a parser becomes a dictionary in any case.
    sax.on('attribute', ({ name, value }) => {
      this.#attributes[name] = value
    })
    sax.on('opentag', ({ name }) => this.#opened(name))
    sax.on('closetag', () => this.#closed())
    sax.on('text', (text) => this.#cursor?.t(text))
    sax.on('cdata', (text) => this.#cursor?.t(text))
    // The splitter refuses comments and DTDs; this one it may take for a declaration.
    sax.on('processinginstruction', () => {
      throw new XmppError('stream_malformed', 'a processing instruction')
    })
  }

  /** True if a stanza is not parsed to its end yet. */
  get busy(): boolean {
    return this.#rest.length > 0
  }

  /** Parses the declaration and the start tag of the stream. Throws an `XmppError` if they are not well-formed. */
  open(bytes: Buffer): void {
    this.#write(bytes.toString())
    if (!this.#root) throw malformed()
  }

  /** Takes a whole stanza, to be parsed with `step`; the bytes must stay as they are until then. */
  begin(bytes: Buffer): void {
    this.#rest = bytes
  }

  /** Parses a little; returns the stanza when it is complete. Throws an `XmppError` if it is not well-formed. */
  step(): Xml | null {
    const bytes = this.#rest
    const isLast = bytes.length <= stepBytes
    this.#rest = isLast ? nothing : bytes.subarray(stepBytes)
    // Decoded piece by piece, as what is cut out of a text holds all of it in memory.
    this.#write(isLast ? this.#decoder.end(bytes) : this.#decoder.write(bytes.subarray(0, stepBytes)))
    const whole = this.#whole
    this.#whole = null
    // If what was cut out is not a stanza, its tags do not match.
    if (this.busy ? whole !== null : whole === null) throw malformed()
    return whole
  }

  /** The element of a start tag alone. */
  startTag(text: string): Xml {
    this.begin(Buffer.from(text.replace(/\/?>$/, '/>')))
    const stub = this.step()
    if (!stub) throw malformed()
    return stub
  }

  #write(text: string): void {
    try {
      this.#sax.write(text)
    } catch (caught) {
      throw caught instanceof XmppError ? caught : malformed()
    }
  }

  #opened(name: string): void {
    const element = new Element(name)
    element.attrs = this.#attributes
    this.#attributes = {}
    if (!this.#root) {
      this.#root = element
      return
    }
    if (this.#cursor) this.#cursor.cnode(element)
    else element.parent = this.#root
    this.#cursor = element
  }

  #closed(): void {
    const closed = this.#cursor
    if (!closed || this.#whole) throw malformed()
    this.#cursor = closed.parent === this.#root ? null : closed.parent
    if (!this.#cursor) this.#whole = closed
  }
}

function malformed(): XmppError {
  return new XmppError('stream_malformed', 'not well-formed')
}
