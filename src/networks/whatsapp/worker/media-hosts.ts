import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from 'baileys'
import type { MediaConnection } from '../media/upload.ts'

/** For how long an answer may be valid, in milliseconds: WhatsApp says 5 minutes. */
const longestValid = 60 * 60 * 1000
const usuallyValid = 5 * 60 * 1000

/** Hosts that are remembered. */
const maxHosts = 16

/**
 * The hosts that take files (`media_conn`). The library's own function, once it was refused, goes on rejecting until the
 * socket is opened anew.
 */
export class MediaHosts {
  readonly #query: (question: BinaryNode) => Promise<unknown>
  #known: { readonly connection: MediaConnection; readonly until: number } | null = null
  #asking: Promise<MediaConnection> | null = null

  constructor(query: (question: BinaryNode) => Promise<unknown>) {
    this.#query = query
  }

  /** `fresh`: what is known is no longer valid. Rejects if WhatsApp does not say. */
  get(fresh: boolean): Promise<MediaConnection> {
    if (!fresh && this.#known && performance.now() < this.#known.until)
      return Promise.resolve(this.#known.connection)
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #ask(): Promise<MediaConnection> {
    const attrs = { type: 'set', xmlns: 'w:m', to: S_WHATSAPP_NET }
    const answer = await this.#query({ tag: 'iq', attrs, content: [{ tag: 'media_conn', attrs: {} }] })
    const said = getBinaryNodeChild(answer as BinaryNode | undefined, 'media_conn')
    const auth = said?.attrs.auth
    if (!said || !auth) throw new Error('WhatsApp did not say where files go.')
    const hosts = getBinaryNodeChildren(said, 'host').slice(0, maxHosts)
    const connection = { auth, hosts: hosts.map(hostOf) }
    const valid = Number(said.attrs.ttl) * 1000
    this.#known = {
      connection,
      until: performance.now() + Math.min(valid > 0 ? valid : usuallyValid, longestValid),
    }
    return connection
  }
}

function hostOf({ attrs }: BinaryNode): MediaConnection['hosts'][number] {
  const most = Number(attrs.maxContentLengthBytes)
  return { hostname: attrs.hostname ?? '', maxContentLengthBytes: most > 0 ? most : null }
}
