import type { ContactCard, Interactive, Location } from '../../../contract/resources/content.ts'
import type { MessageTemplate } from '../../../contract/resources/template.ts'
import type { OutgoingMedia, OutgoingMessage } from '../../driver/message.ts'
import type { Json } from '../../kit/json.ts'

/** The part of a request that is about the content of a message: its type, and the content under that name. */
export type CloudContent = Json & { readonly type: string }

/** A message without a file. */
export type WithoutFile = Exclude<OutgoingMessage, OutgoingMedia>

/** Returns the content of a message without a file; null for a kind that the API has not. Source: Cloud API, Messages. */
export function contentOf(message: WithoutFile): CloudContent | null {
  switch (message.kind) {
    case 'text':
      return { type: 'text', text: { body: message.text, preview_url: false } }
    case 'template':
      return { type: 'template', template: templateOf(message.template) }
    case 'location':
      return { type: 'location', location: locationOf(message.location) }
    case 'contacts':
      return { type: 'contacts', contacts: message.contacts.map(cardOf) }
    case 'interactive':
      return { type: 'interactive', interactive: interactiveOf(message.interactive) }
    case 'reaction': {
      const { target, emoji } = message
      // An empty emoji takes the reaction back.
      return { type: 'reaction', reaction: { message_id: target.network_message_id, emoji: emoji ?? '' } }
    }
    default:
      return null
  }
}

/** Returns the content of a message whose file has this id. */
export function mediaContentOf({ kind, caption, voice, file }: OutgoingMedia, id: string): CloudContent {
  const content = {
    id,
    ...(caption !== null && caption !== '' && { caption }),
    ...(kind === 'document' && { filename: file.filename }),
    ...(voice && { voice: true }),
  }
  return { type: kind, [kind]: content }
}

/** The message that another one replies to. Source: Cloud API, Contextual replies. */
export function contextOf(message: OutgoingMessage): Json {
  const target = 'replyTo' in message ? message.replyTo : undefined
  return target ? { context: { message_id: target.network_message_id } } : {}
}

function templateOf({ name, language, components }: MessageTemplate): Json {
  return { name, language: { code: language }, ...(components.length > 0 && { components }) }
}

function locationOf({ latitude, longitude, name, address }: Location): Json {
  return { latitude, longitude, ...(name !== null && { name }), ...(address !== null && { address }) }
}

/** A name needs one of its parts beside the whole. Source: Cloud API, Contacts messages. */
function cardOf({ name, phones, emails, company }: ContactCard): Json {
  return {
    name: { formatted_name: name, first_name: name },
    ...(phones.length > 0 && { phones: phones.map((phone) => ({ phone })) }),
    ...(emails.length > 0 && { emails: emails.map((email) => ({ email })) }),
    ...(company !== null && { org: { company } }),
  }
}

/** Source: Cloud API, Interactive reply buttons, Interactive lists, Interactive call-to-action URL buttons. */
function interactiveOf({ header, body, footer, buttons, list, url_button }: Interactive): Json {
  const around = {
    ...(header !== undefined && { header: { type: 'text', text: header } }),
    body: { text: body },
    ...(footer !== undefined && { footer: { text: footer } }),
  }
  if (buttons) {
    const replies = buttons.map(({ id, title }) => ({ type: 'reply', reply: { id, title } }))
    return { type: 'button', ...around, action: { buttons: replies } }
  }
  if (list) {
    const sections = list.sections.map(({ title, rows }) => ({
      ...(title !== undefined && { title }),
      rows: rows.map(({ id, title, description }) => ({
        id,
        title,
        ...(description !== undefined && { description }),
      })),
    }))
    return { type: 'list', ...around, action: { button: list.button, sections } }
  }
  const { title: display_text = '', url = '' } = url_button ?? {}
  return { type: 'cta_url', ...around, action: { name: 'cta_url', parameters: { display_text, url } } }
}

/**
 * Says what Meta has against the choices of a message that fits the limits; null if it has nothing. Source: Cloud API, Interactive
 * reply buttons.
 */
export function choicesFault({ buttons, list }: Pick<Interactive, 'buttons' | 'list'>): string | null {
  const titles = buttons?.map(({ title }) => title) ?? []
  if (new Set(titles).size < titles.length)
    return 'WhatsApp takes no two buttons with the same words. Give each a title of its own.'
  const choices = [...(buttons ?? []), ...(list?.sections.flatMap(({ rows }) => rows) ?? [])]
  if (choices.some(({ id }) => id.trim() !== id))
    return 'WhatsApp takes no id that begins or ends with a space. Send it without.'
  return null
}
