import type { Act } from './acts.ts'
import type { Callbacks } from './callbacks.ts'
import { contextOf, writtenContent } from './contents.ts'
import { contactOf, ofNumber, phoneShown, seconds } from './parties.ts'
import type { Echo, Field, FileContent, Message } from './schemas/webhook.ts'
import type { Media } from './sending/media.ts'
import type { Statuses } from './sending/statuses.ts'
import { type BusinessNumber, newGraphId, newWamid, type Person, type World } from './world.ts'

/** An image that the business sends on its phone, in base64. */
export interface EchoedFile {
  readonly bytes: string
  readonly mime_type: string
}

/** An act of the business on its phone: it writes something, or changes or takes back a message there. */
export interface EchoAct {
  /** The text, or the caption of the file. */
  readonly body?: string
  readonly file?: EchoedFile
  readonly reply_to?: string
  readonly edits?: string
  readonly deletes?: string
}

/** The messages and acts of people, and the messages that the business writes on its phone. */
export class People {
  readonly #world: World
  readonly #callbacks: Callbacks
  readonly #statuses: Statuses
  readonly #media: Media

  constructor(world: World, callbacks: Callbacks, statuses: Statuses, media: Media) {
    this.#world = world
    this.#callbacks = callbacks
    this.#statuses = statuses
    this.#media = media
  }

  /** A person does something towards a number; returns the id of the message that it makes, or of the one that it is about. */
  do(person: Person, number: BusinessNumber, act: Act): string {
    if (act.act === 'change-number') return this.#changeNumber(person, number, act)
    if (act.act === 'marketing') return this.#chooseMarketing(person, number, act)
    if (!isReceipt(act)) return this.#write(person, number, act)
    const message = this.#world.takenById.get(act.message_id)
    if (message?.person !== person.user_id) throw new Error('the person has no such message')
    this.#statuses.set(message, act.act === 'read' ? 'read' : 'played')
    return act.message_id
  }

  /** The business does something about a person on its phone, in the Business app. The window stays as it is. */
  echo(person: Person, number: BusinessNumber, act: EchoAct): string {
    const phone = phoneShown(person)
    const { reply_to: id } = act
    const echo: Echo = {
      from: number.display_phone_number,
      ...(phone !== undefined && { to: phone }),
      to_user_id: person.user_id,
      id: newWamid(),
      timestamp: seconds(this.#world.now()),
      ...(id !== undefined && { context: { from: phone ?? person.user_id, id } }),
      ...this.#echoed(number, act),
    }
    this.#tell(number, 'smb_message_echoes', { contacts: [contactOf(person)], message_echoes: [echo] })
    return echo.id
  }

  #echoed(number: BusinessNumber, { body = '', file, edits, deletes }: EchoAct): Pick<Echo, 'type'> {
    if (deletes !== undefined) return revoke(deletes)
    if (edits !== undefined) return edit(edits, body)
    if (!file) return textOf(body)
    const image = this.#fileOf(number, { act: 'image', caption: body, ...file })
    return { type: 'image', image } as Pick<Echo, 'type'>
  }

  #write(person: Person, number: BusinessNumber, act: WritingAct): string {
    const id = newWamid()
    const now = this.#world.now()
    const phone = phoneShown(person)
    const group = 'group' in act ? act.group : undefined
    if (group !== undefined && !this.#world.groups.get(group)?.members.has(person))
      throw new Error('not in the group')
    const message: Message = {
      ...(phone !== undefined && { from: phone }),
      from_user_id: person.user_id,
      ...parentOf(person, 'from_parent_user_id'),
      ...(group !== undefined && { group_id: group }),
      id,
      timestamp: seconds(now),
      ...contextOf(number, act),
      ...this.#contentOf(number, act),
    }
    person.last_wrote.set(number.id, now)
    this.#world.written.set(id, { person, number: number.id, read: false })
    this.#tell(number, 'messages', { contacts: [contactOf(person)], messages: [message] })
    return id
  }

  #contentOf(number: BusinessNumber, act: WritingAct): { type: string } & Partial<Message> {
    switch (act.act) {
      case 'text':
        return textOf(act.body)
      case 'edit':
        return edit(act.message_id, act.body)
      case 'delete':
        return revoke(act.message_id)
      case 'image':
      case 'document':
      case 'audio':
      case 'voice':
      case 'video':
      case 'sticker': {
        const type = act.act === 'voice' ? 'audio' : act.act
        return { type, [type]: this.#fileOf(number, act) }
      }
      default:
        return writtenContent(this.#world, act)
    }
  }

  #fileOf(number: BusinessNumber, act: FileAct): FileContent {
    const file = this.#world.keepFile(number.id, Buffer.from(act.bytes, 'base64'), act.mime_type, 7)
    return {
      id: file.id,
      mime_type: file.mime_type,
      sha256: Buffer.from(file.sha256, 'hex').toString('base64'),
      ...(this.#world.settings.media_urls && { url: this.#media.urlOf(file) }),
      ...(act.caption !== undefined && { caption: act.caption }),
      ...(act.filename !== undefined && { filename: act.filename }),
      ...((act.act === 'voice' || act.act === 'audio') && { voice: act.act === 'voice' }),
      ...(act.act === 'sticker' && { animated: false }),
    }
  }

  /**
   * Returns the fields that name them by then, and the id by which they were known; of the phones, those that may be shown.
   */
  #changeNumber(person: Person, number: BusinessNumber, { phone, shows }: ChangeOfNumber): string {
    const before = { phone: phoneShown(person), user_id: person.user_id, parent: person.parent_user_id }
    person.phone = phone
    person.user_id = `${before.user_id.slice(0, 2)}.${newGraphId()}`
    if (before.parent !== undefined)
      person.parent_user_id = `${before.user_id.slice(0, 2)}.ENT.${newGraphId()}`
    if (shows) person.username = undefined
    const after = phoneShown(person)
    const system: Message = {
      ...(before.phone !== undefined && { from: before.phone }),
      id: newWamid(),
      timestamp: seconds(this.#world.now()),
      type: 'system',
      system: {
        body: `${person.name} changed to another number`,
        ...(after !== undefined && { wa_id: after }),
        user_id: person.user_id,
        ...parentOf(person, 'parent_user_id'),
        previous_user_id: before.user_id,
        ...(before.parent !== undefined && { previous_parent_user_id: before.parent }),
        type: after === undefined ? 'user_changed_user_id' : 'user_changed_number',
      },
    }
    this.#tell(number, 'messages', { messages: [system] })
    return system.id
  }

  /** Source: Webhooks, Reference, user_preferences (2026). */
  #chooseMarketing(person: Person, number: BusinessNumber, { value }: MarketingAct): string {
    if (value === 'stop') person.no_marketing.add(number.id)
    else person.no_marketing.delete(number.id)
    const phone = phoneShown(person)
    const preference = {
      ...(phone !== undefined && { wa_id: phone }),
      user_id: person.user_id,
      detail: `User requested to ${value} marketing messages`,
      category: 'marketing_messages',
      value,
      timestamp: Math.floor(this.#world.now() / 1000),
    }
    this.#tell(number, 'user_preferences', { contacts: [contactOf(person)], user_preferences: [preference] })
    return ''
  }

  #tell(number: BusinessNumber, field: Field, about: object): void {
    this.#callbacks.tell({
      waba: number.waba,
      number: number.id,
      field,
      value: { ...ofNumber(number), ...about },
    })
  }
}

type Receipt = Extract<Act, { readonly act: 'read' | 'play' }>
type ChangeOfNumber = Extract<Act, { readonly act: 'change-number' }>
type MarketingAct = Extract<Act, { readonly act: 'marketing' }>
type WritingAct = Exclude<Act, Receipt | ChangeOfNumber | MarketingAct>
type FileAct = Extract<Act, { readonly bytes: string }>

function isReceipt(act: Act): act is Receipt {
  return act.act === 'read' || act.act === 'play'
}

const textOf = (body: string) => ({ type: 'text', text: { body } })
const revoke = (original_message_id: string) => ({ type: 'revoke', revoke: { original_message_id } })
const edit = (original_message_id: string, body: string) => ({
  type: 'edit',
  edit: { original_message_id, message: textOf(body) },
})

/** The id of a person for all accounts that a business has linked, under this name. */
function parentOf<Name extends string>({ parent_user_id }: Person, name: Name): { [name in Name]?: string } {
  return parent_user_id === undefined ? {} : ({ [name]: parent_user_id } as { [name in Name]?: string })
}
