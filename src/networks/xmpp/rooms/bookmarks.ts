import type { KeyStore } from '../../driver/keys.ts'
import { parsePerson } from '../address.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import { attribute, element, ns, type Xml } from '../stanzas/xml.ts'

/** A room that the account should be in. */
export interface Bookmark {
  /** The bare address. */
  readonly room: string
  /** The name of the account there; null for the usual one. */
  readonly nick: string | null
}

/** Rooms that one account may be in: each sends all that is written there. */
export const maxRooms = 200

/** Milliseconds that the server may take for a question. */
const answerTime = 10_000

const longestNick = 255

/** The row in which rooms are kept if the server keeps none. */
const [keyType, keyId] = ['rooms', 'all']

export interface BookmarksOptions {
  readonly account: string
  readonly iqRequests: IqRequests
  readonly keys: KeyStore
  /** True if the server keeps what the account publishes (XEP-0163). */
  readonly areAtServer: boolean
  readonly over: AbortSignal
}

/**
 * The rooms of the account, kept at its server (XEP-0402), where its other clients see them; or here, if the server keeps nothing.
 */
export class Bookmarks {
  readonly #options: BookmarksOptions

  constructor(options: BookmarksOptions) {
    this.#options = options
  }

  /** Reads the rooms that are to be joined without being asked. Rejects if they cannot be had. */
  async read(): Promise<Bookmark[]> {
    if (!this.#options.areAtServer) return await this.#readKept()
    const items = element('items', { node: ns.bookmarks })
    const answer = await this.#ask('get', element('pubsub', { xmlns: ns.nodes }, items))
    const found = answer.getChild('pubsub', ns.nodes)?.getChild('items')?.getChildren('item') ?? []
    return found.flatMap(bookmarkIn).slice(0, maxRooms)
  }

  /** Resolves to whether it is kept. */
  async add(bookmark: Bookmark, name: string | null): Promise<boolean> {
    const { room, nick } = bookmark
    if (!this.#options.areAtServer) {
      const others = (await this.#readKept()).filter((each) => each.room !== room)
      return await this.#keep([...others, bookmark])
    }
    const conference = element('conference', {
      ...{ xmlns: ns.bookmarks, autojoin: 'true', name: name ?? undefined },
    })
    if (nick !== null) conference.append(element('nick', {}, nick))
    const publish = element('publish', { node: ns.bookmarks }, element('item', { id: room }, conference))
    const pubsub = element('pubsub', { xmlns: ns.nodes }, publish, options())
    return (await this.#ask('set', pubsub)).attrs.type === 'result'
  }

  async remove(room: string): Promise<void> {
    if (!this.#options.areAtServer) {
      await this.#keep((await this.#readKept()).filter((each) => each.room !== room))
      return
    }
    const retract = element('retract', { node: ns.bookmarks, notify: 'true' }, element('item', { id: room }))
    await this.#ask('set', element('pubsub', { xmlns: ns.nodes }, retract))
  }

  #ask(type: 'get' | 'set', payload: Xml): Promise<Xml> {
    const { account, iqRequests, over } = this.#options
    return iqRequests.ask(type, account, payload, AbortSignal.any([over, AbortSignal.timeout(answerTime)]))
  }

  async #readKept(): Promise<Bookmark[]> {
    const kept = (await this.#options.keys.get(keyType, [keyId])).get(keyId)
    return kept ? JSON.parse(Buffer.from(kept).toString()) : []
  }

  async #keep(bookmarks: readonly Bookmark[]): Promise<boolean> {
    const value = Buffer.from(JSON.stringify(bookmarks.slice(-maxRooms)))
    await this.#options.keys.set([{ type: keyType, id: keyId, value }])
    return true
  }
}

function bookmarkIn(item: Xml): Bookmark[] {
  const conference = item.getChild('conference', ns.bookmarks)
  const room = parsePerson(attribute(item, 'id') ?? '')
  const joins = conference && ['true', '1'].includes(attribute(conference, 'autojoin') ?? '')
  if (!joins || !room.ok) return []
  const nick = conference.getChildText('nick') ?? ''
  return [{ room: room.address, nick: nick !== '' && nick.length <= longestNick ? nick : null }]
}

/** XEP-0402 section 3 demands these: only the account sees the node, and it keeps all of its items. */
function options(): Xml {
  const fields = {
    'pubsub#persist_items': 'true',
    'pubsub#max_items': 'max',
    'pubsub#send_last_published_item': 'never',
    'pubsub#access_model': 'whitelist',
  }
  const form = element('x', { xmlns: ns.dataForms, type: 'submit' })
  form.append(element('field', { var: 'FORM_TYPE', type: 'hidden' }, element('value', {}, ns.publishOptions)))
  for (const [name, value] of Object.entries(fields))
    form.append(element('field', { var: name }, element('value', {}, value)))
  return element('publish-options', {}, form)
}
