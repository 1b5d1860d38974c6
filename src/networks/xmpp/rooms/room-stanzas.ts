import type { Clock } from '../../../runtime/clock.ts'
import type { MessageReceived, Observation } from '../../driver/observation.ts'
import { cutText, longestReceivedText, ownCopy } from '../../kit/received-text.ts'
import { bareAddressOf, roomAt, uriOf } from '../address.ts'
import type { ArchivedMessage } from '../incoming/archive.ts'
import { type ChatStates, isComposing } from '../incoming/chat-states.ts'
import { messageCompletedBy, messageIdOf } from '../sending/message-parts.ts'
import type { RoomState } from '../session/room-state.ts'
import { idOfUnarchived, stanzaIdIn } from '../stanzas/message-id.ts'
import { attribute, element, ns, type Xml } from '../stanzas/xml.ts'
import { changeOf, type RoomChanges } from './room-changes.ts'
import type { RoomFault } from './room-fault.ts'
import { delayInRoom, nickIn, personAt, roomMessageIn } from './room-message.ts'
import type { RoomPeople } from './room-people.ts'
import { codesIn, exitIn, personIn, refusalIn } from './room-presence.ts'

/** Messages of one room that wait until older ones were read; the archive has the others, too. */
const maxHeld = 100

/** In UTF-16 units. */
const longestSubject = 1_024

export interface RoomStanzasOptions {
  readonly account: string
  readonly clock: Clock
  readonly people: RoomPeople
  readonly changes: RoomChanges
  readonly chatStates: ChatStates
  readonly write: (xml: string) => void
  readonly report: (observation: Observation) => Promise<boolean>
  readonly mark: () => string | undefined
  /** The room let the account in. */
  readonly entered: (room: RoomState) => void
  /** The account is no longer in the room; `isFault`: only because of a fault of a server. */
  readonly leaves: (room: RoomState, isFault: boolean) => void
  /** The room was configured anew. */
  readonly configured: (room: RoomState) => void
}

/** The stanzas that come from rooms, as facts (XEP-0045). */
export class RoomStanzas {
  readonly #options: RoomStanzasOptions
  readonly #held = new Map<RoomState, MessageReceived[]>()

  constructor(options: RoomStanzasOptions) {
    this.#options = options
  }

  /** Has new messages wait until older ones are reported. */
  hold(room: RoomState): void {
    this.#held.set(room, [])
  }

  release(room: RoomState): void {
    const held = this.#held.get(room) ?? []
    this.#held.delete(room)
    for (const message of held) void this.#report(message)
  }

  /** Reads a presence; returns the fault with which the room refuses to let the account in. */
  takePresence(room: RoomState, presence: Xml): RoomFault | null {
    const refusal = refusalIn(presence)
    if (refusal) return room.isInside ? null : refusal
    const nick = nickIn(presence)
    const person = personIn(presence)
    if (nick === null || !person) return null
    const codes = codesIn(presence)
    const isSelf = codes.has('110') || (room.isInside && nick === room.nick)
    const isGone = attribute(presence, 'type') === 'unavailable'
    if (isGone && codes.has('303') && person.newNick) this.#renamed(room, nick, person.newNick, isSelf)
    else if (isGone && isSelf) this.#exit(room, presence, person.by)
    else if (isGone) this.#goes(room, nick, presence, person.by)
    else this.#comes(room, nick, person, { isSelf, isNew: codes.has('201') })
    return null
  }

  #renamed(room: RoomState, nick: string, newNick: string, isSelf: boolean): void {
    const { people } = this.#options
    const person = people.forget(room, nick)
    if (person) people.note(room, newNick, person)
    if (isSelf) room.nick = newNick
  }

  #exit(room: RoomState, presence: Xml, by: string | null): void {
    if (!room.isInside) return
    const exit = exitIn(presence)
    if (exit !== 'interrupted') this.#options.changes.note(room, { change: 'account_left', by })
    this.#options.leaves(room, exit === 'interrupted')
  }

  #goes(room: RoomState, nick: string, presence: Xml, by: string | null): void {
    const { people, changes } = this.#options
    const member = personAt(room, nick)
    people.forget(room, nick)
    if (room.isInside && exitIn(presence) === 'removed')
      changes.note(room, { change: 'members_removed', members: [member], by })
  }

  #comes(
    room: RoomState,
    nick: string,
    person: NonNullable<ReturnType<typeof personIn>>,
    { isSelf, isNew }: { isSelf: boolean; isNew: boolean },
  ): void {
    const { people, changes, entered } = this.#options
    const { address, affiliation, by } = person
    const before = people.note(room, nick, { address, affiliation })
    const change = before === null ? null : changeOf(before, affiliation)
    if (isSelf && !room.isInside) {
      // The room may have given the account another name (status code 210).
      room.nick = nick
      room.isInside = true
      room.isNew = isNew
      entered(room)
    } else if (change !== null && isSelf) changes.note(room, { change: 'changed', by })
    else if (change !== null) changes.note(room, { change, members: [personAt(room, nick)], by })
  }

  /** Reads a message that the room sends now. */
  takeMessage(room: RoomState, message: Xml): void {
    const nick = nickIn(message)
    if (attribute(message, 'type') !== 'groupchat') {
      if (nick === null) this.#takeWord(room, message)
      else if (message.getChild('body')) this.#refuse(message)
      return
    }
    if (!room.isInside) return
    if (this.#takeSubject(room, message)) return
    if (nick === null) {
      if (codesIn(message).has('104')) this.#options.configured(room)
      return
    }
    const composing = isComposing(message)
    if (composing !== null && nick !== room.nick)
      this.#options.chatStates.note(roomAt(room.address), personAt(room, nick), composing)
    const at = this.#past(delayInRoom(message))
    const found = this.#read(room, message, { at, archivedId: null })
    const held = this.#held.get(room)
    if (found?.kind === 'message-received' && held) {
      held.push(found)
      if (held.length >= maxHeld) this.release(room)
    } else if (found) void this.#report(found)
  }

  /** Reads an entry of the archive of the room; resolves when what it says is stored. */
  async takeArchived(room: RoomState, { id, message, at }: ArchivedMessage): Promise<void> {
    if (attribute(message, 'type') !== 'groupchat') return
    const found = this.#read(room, message, { at: this.#past(at), archivedId: id })
    if (found) await this.#report(found)
  }

  #read(
    room: RoomState,
    message: Xml,
    { at, archivedId }: { at: number; archivedId: string | null },
  ): Observation | null {
    const nick = nickIn(message)
    if (nick === room.nick) return this.#ownIn(room, message, archivedId)
    const { account } = this.#options
    return roomMessageIn(room, message, { account, at, archivedId })
  }

  /** The room shows a message of the account to all, which proves that it has it. */
  #ownIn(room: RoomState, message: Xml, archivedId: string | null): Observation | null {
    const stanza = attribute(message, 'id')
    // Another client of the account may write, too.
    if (stanza === undefined || !/^[0-9a-z]{26}$/.test(messageIdOf(stanza))) return null
    const id = archivedId ?? (room.support.ids ? stanzaIdIn(message, room.address) : null)
    room.noteOwn(stanza, id)
    const own = messageCompletedBy(message)
    if (own === null) return null
    const known = room.idOfOwn(own)
    const named = known !== null && known !== own ? { shared_id: known } : {}
    return { kind: 'message-acknowledged', network_message_id: own, ...named }
  }

  /** Returns true if the message is a subject (XEP-0045 section 8.1), which the room also sends to those who come in. */
  #takeSubject(room: RoomState, message: Xml): boolean {
    const subject = message.getChildText('subject')
    if (subject === null || message.getChild('body')) return false
    const isNews = room.subject !== null && room.subject !== subject
    room.subject = cutText(subject, longestSubject)
    const nick = nickIn(message)
    const by = nick === null ? null : personAt(room, nick)
    if (isNews && !message.getChild('delay', ns.delay))
      this.#options.changes.note(room, { change: 'changed', by })
    return true
  }

  /** Reads what the room says of a person who is not there, or of itself (XEP-0045 sections 9 and 10.9). */
  #takeWord(room: RoomState, message: Xml): void {
    const person = personIn(message)
    if (!person?.address) return
    const change = changeOf('none', person.affiliation)
    const members = [person.address]
    this.#options.changes.note(room, { change: change ?? 'members_removed', members, by: person.by })
  }

  /** A private message (XEP-0045 section 7.5): its writer is in the place of the room, to which no answer can go, so it goes back. */
  #refuse(message: Xml): void {
    if (attribute(message, 'type') === 'error' || message.getChild('delay', ns.delay)) return
    const reason = 'This account takes no private messages from people in rooms. Write to its own address.'
    const error = element(
      'error',
      { type: 'cancel' },
      element('not-acceptable', { xmlns: ns.stanzaErrors }),
      element('text', { xmlns: ns.stanzaErrors }, reason),
    )
    const attributes = { type: 'error', to: attribute(message, 'from'), id: attribute(message, 'id') }
    this.#options.write(element('message', attributes, error).toString())
  }

  /** An invitation by way of a room (XEP-0045 section 7.8.2) in which the account is not; false if it is none. */
  takeInvitation(message: Xml, bare: string): boolean {
    const invitation = message.getChild('x', ns.rooms)?.getChild('invite')
    if (!invitation) return false
    const from = bareAddressOf(attribute(invitation, 'from')) ?? bare
    const at = this.#past(delayInRoom(message))
    const reason = invitation.getChildText('reason')?.trim() ?? ''
    const text = cutText([reason, `${uriOf(bare)}?join`].filter(Boolean).join('\n'), longestReceivedText)
    const id = idOfUnarchived(bare, attribute(message, 'id'), [from, text])
    const place = { from, conversation: roomAt(bare), at, text, file: null }
    void this.#report({ kind: 'message-received', network_message_id: id, ...place })
    return true
  }

  #report(observation: Observation): Promise<boolean> {
    const { report, mark } = this.#options
    if (observation.kind !== 'message-received') return report(ownCopy(observation))
    const reached = mark()
    return report(ownCopy({ ...observation, ...(reached !== undefined && { mark: reached }) }))
  }

  /** Returns a time that another party wrote down, as far as it can be true. */
  #past(time: number | null): number {
    const now = this.#options.clock.now()
    return time === null || time <= 0 ? now : Math.min(time, now)
  }
}
