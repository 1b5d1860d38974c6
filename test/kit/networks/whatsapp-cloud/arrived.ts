import type { Interactive, MessageContent } from '../../../../src/contract/resources/content.ts'
import type { Arrival } from '../../../conformance/networks/harness.ts'
import type { SendRequest } from '../../../simulators/whatsapp-cloud/schemas/request.ts'
import type { TakenMessage } from '../../../simulators/whatsapp-cloud/world.ts'

/** A message as its recipient sees it, in the words of the contract. */
export function arrivalOf({ id, request }: TakenMessage): Arrival {
  const { reaction, context, text } = request
  if (reaction) return { id, text: reaction.emoji, about: { as: 'reaction', id: reaction.message_id } }
  const content = contentOf(request)
  return {
    id,
    text: text?.body ?? '',
    ...(context && { about: { as: 'reply', id: context.message_id } }),
    ...(content && { content }),
  }
}

function contentOf({ location, contacts, interactive }: SendRequest): MessageContent | undefined {
  if (location) return { location: { name: null, address: null, ...location } }
  if (interactive) return { interactive: interactiveOf(interactive) }
  const cards = contacts?.map(({ name, phones = [], emails = [], org }) => ({
    name: name.formatted_name,
    phones: phones.map(({ phone = '' }) => phone),
    emails: emails.map(({ email = '' }) => email),
    company: org?.company ?? null,
  }))
  return cards && { contacts: cards }
}

function interactiveOf(sent: NonNullable<SendRequest['interactive']>): Interactive {
  const { header, body, footer } = sent
  const around = {
    ...(header && { header: header.text }),
    body: body.text,
    ...(footer && { footer: footer.text }),
  }
  switch (sent.type) {
    case 'button':
      return { ...around, buttons: sent.action.buttons.map(({ reply }) => reply) }
    case 'list':
      return { ...around, list: sent.action }
    case 'cta_url': {
      const { display_text: title, url } = sent.action.parameters
      return { ...around, url_button: { title, url } }
    }
  }
}
