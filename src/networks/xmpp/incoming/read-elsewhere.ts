import type { MessageReceived, ReadElsewhere } from '../../driver/observation.ts'
import { bareAddressOf, roomAt } from '../address.ts'
import { idInRoom, idOfArchived } from '../stanzas/message-id.ts'
import { isAccount } from '../stanzas/stanza-sender.ts'
import { attribute, ns, type Xml } from '../stanzas/xml.ts'
import { forwardedIn } from './forwarded.ts'

/** Messages that are remembered by the ids that their senders gave them; clients mark the latest that they show. */
const maxRemembered = 100

/** The conversations that other clients of the account show to be read. */
export class ReadingElsewhere {
  readonly #account: string
  readonly #isKnownRoom: (bare: string) => boolean
  /** The ids at the network of messages, by their senders and the ids that these gave them. */
  readonly #received = new Map<string, string>()

  constructor(account: string, isKnownRoom: (bare: string) => boolean) {
    this.#account = account
    this.#isKnownRoom = isKnownRoom
  }

  /** Remembers a message that came, so that a marker can name it. */
  note({ conversation, sender_message_id: sentId, network_message_id: id }: MessageReceived): void {
    if (sentId === undefined) return
    const key = keyOf(conversation, sentId)
    this.#received.delete(key)
    this.#received.set(key, id)
    const [oldest] = this.#received.size > maxRemembered ? this.#received.keys() : []
    if (oldest !== undefined) this.#received.delete(oldest)
  }

  /** Returns what a stanza tells, if the account's own server sent it: any other sender makes it up. */
  take(stanza: Xml): ReadElsewhere[] {
    if (!isAccount(attribute(stanza, 'from'), this.#account)) return []
    const marked = this.#markedIn(stanza)
    return marked ? [marked] : this.#displayedIn(stanza)
  }

  /** A marker (XEP-0333) that another client sends, of which the server makes a copy (XEP-0280). */
  #markedIn(stanza: Xml): ReadElsewhere | null {
    const sent = stanza.getChild('sent', ns.copies)
    const message = sent && forwardedIn(sent)?.message
    const marker = message?.getChild('displayed', ns.markers)
    const conversation = bareAddressOf(message && attribute(message, 'to'))
    if (!marker || conversation === null) return null
    const id = this.#received.get(keyOf(conversation, attribute(marker, 'id') ?? ''))
    return id === undefined ? null : { kind: 'read-elsewhere', conversation, up_to: id }
  }

  /** Reads what another client publishes about conversations (XEP-0490): the items are named by their addresses. */
  #displayedIn(stanza: Xml): ReadElsewhere[] {
    const items = stanza.getChild('event', ns.nodeEvents)?.getChild('items')
    if (!items || attribute(items, 'node') !== ns.displayed) return []
    return items.getChildren('item').flatMap((item): ReadElsewhere[] => {
      const stanzaId = item.getChild('displayed', ns.displayed)?.getChild('stanza-id', ns.stanzaIds)
      const conversation = bareAddressOf(attribute(item, 'id'))
      const id = stanzaId && attribute(stanzaId, 'id')
      if (!stanzaId || !id || conversation === null) return []
      const by = attribute(stanzaId, 'by')
      if (this.#isKnownRoom(conversation)) {
        const isByRoom = isAccount(by, conversation)
        const up_to = idInRoom(conversation, id)
        return isByRoom ? [{ kind: 'read-elsewhere', conversation: roomAt(conversation), up_to }] : []
      }
      if (!isAccount(by, this.#account)) return []
      return [{ kind: 'read-elsewhere', conversation, up_to: idOfArchived(id) }]
    })
  }
}

function keyOf(conversation: string, id: string): string {
  return `${conversation} ${id}`
}
