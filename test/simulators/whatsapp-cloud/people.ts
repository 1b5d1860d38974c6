import type { Act } from './acts.ts'
import type { Callbacks } from './callbacks.ts'
import { failureOf } from './graph-error.ts'
import type { Media } from './media.ts'
import { contactOf, ofNumber, phoneShown, seconds } from './parties.ts'
import type { Echo, Field, FileContent, Message } from './schemas/webhook.ts'
import type { Statuses } from './statuses.ts'
import { type BusinessNumber, newGraphId, newWamid, type Person, type World } from './world.ts'

/** An image that the business sends on its phone, in base64. */
export interface EchoedFile {
  readonly bytes: string
  readonly mime_type: string
}

/** What people write and do, and what the business writes on its phone. */
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
    if (act.act === 'change-number') return this.#changeNumber(person, number, act.phone)
    if (!isReceipt(act)) return this.#write(person, number, act)
    const message = this.#world.takenById.get(act.message_id)
    if (message?.person !== person.user_id) throw new Error('the person has no such message')
    this.#statuses.set(message, act.act === 'read' ? 'read' : 'played')
    return act.message_id
  }

  /** The business writes to a person on its phone, in the Business app. The window stays as it is. */
  echo(person: Person, number: BusinessNumber, body: string, image?: EchoedFile): string {
    const file = image && this.#fileOf(number, { act: 'image', caption: body, ...image })
    const phone = phoneShown(person)
    const echo: Echo = {
      from: number.display_phone_number,
      ...(phone !== undefined && { to: phone }),
      to_user_id: person.user_id,
      id: newWamid(),
      timestamp: seconds(this.#world.now()),
      ...(file ? { type: 'image', image: file } : { type: 'text', text: { body } }),
    }
    this.#tell(number, 'smb_message_echoes', { contacts: [contactOf(person)], message_echoes: [echo] })
    return echo.id
  }

  #write(person: Person, number: BusinessNumber, act: WritingAct): string {
    const id = newWamid()
    const now = this.#world.now()
    const phone = phoneShown(person)
    const message: Message = {
      ...(phone !== undefined && { from: phone }),
      from_user_id: person.user_id,
      id,
      timestamp: seconds(now),
      ...('reply_to' in act &&
        act.reply_to !== undefined && { context: { from: number.display_phone_number, id: act.reply_to } }),
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
        return { type: 'text', text: { body: act.body } }
      case 'location': {
        const { latitude, longitude, name } = act
        return { type: 'location', location: { latitude, longitude, ...(name !== undefined && { name }) } }
      }
      case 'reaction': {
        const { message_id, emoji } = act
        return { type: 'reaction', reaction: { message_id, ...(emoji !== undefined && { emoji }) } }
      }
      case 'unsupported':
        return {
          type: 'unsupported',
          errors: [failureOf(131051, 'Message type is currently not supported.')],
        }
      case 'edit': {
        const message = { type: 'text', text: { body: act.body } }
        return { type: 'edit', edit: { original_message_id: act.message_id, message } }
      }
      case 'delete':
        return { type: 'revoke', revoke: { original_message_id: act.message_id } }
      default: {
        const type = act.act === 'voice' ? 'audio' : act.act
        return { type, [type]: this.#fileOf(number, act) }
      }
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

  #changeNumber(person: Person, number: BusinessNumber, phone: string): string {
    const before = { phone: phoneShown(person), user_id: person.user_id }
    person.phone = phone
    person.user_id = `${before.user_id.slice(0, 2)}.${newGraphId()}`
    const after = phoneShown(person)
    const timestamp = seconds(this.#world.now())
    const system: Message = {
      ...(before.phone !== undefined && { from: before.phone }),
      id: newWamid(),
      timestamp,
      type: 'system',
      system: {
        body: `${person.name} changed to another number`,
        ...(after !== undefined && { wa_id: after }),
        user_id: person.user_id,
        type: 'user_changed_number',
      },
    }
    const update = {
      ...(after !== undefined && { wa_id: after }),
      detail: `User id for ${person.name} has been updated.`,
      user_id: { previous: before.user_id, current: person.user_id },
      timestamp,
    }
    this.#tell(number, 'messages', { messages: [system] })
    this.#tell(number, 'user_id_update', { contacts: [contactOf(person)], user_id_update: [update] })
    return system.id
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
type WritingAct = Exclude<Act, Receipt | { readonly act: 'change-number' }>
type FileAct = Extract<Act, { readonly bytes: string }>

function isReceipt(act: Act): act is Receipt {
  return act.act === 'read' || act.act === 'play'
}
