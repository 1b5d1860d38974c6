import type { Act } from './acts.ts'
import { failureOf } from './graph-error.ts'
import { choicesIn } from './schemas/interactive.ts'
import type { Message } from './schemas/webhook.ts'
import type { BusinessNumber, TakenMessage, World } from './world.ts'

/** The contents that people write which need no file. */

type Content = { readonly type: string } & Partial<Message>
type Simple = Extract<
  Act,
  {
    readonly act:
      | 'location'
      | 'contacts'
      | 'reaction'
      | 'tap'
      | 'submit'
      | 'order'
      | 'allow-calls'
      | 'unsupported'
  }
>

/** Throws if there is nothing like it to do. */
export function writtenContent(world: World, act: Simple): Content {
  switch (act.act) {
    case 'location': {
      const { act: _, reply_to: __, ...location } = act
      return { type: 'location', location }
    }
    case 'contacts':
      return { type: 'contacts', contacts: [...act.cards] }
    case 'reaction': {
      const { message_id, emoji } = act
      return { type: 'reaction', reaction: { message_id, ...(emoji !== undefined && { emoji }) } }
    }
    case 'tap':
      return tapped(world, act.message_id, act.choice)
    case 'submit': {
      const { form, response_json } = act
      const nfm_reply = { ...(form !== undefined && { name: form }), body: 'Sent', response_json }
      return { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply } }
    }
    case 'order': {
      const { act: _, ...order } = act
      return { type: 'order', order }
    }
    case 'allow-calls': {
      const reply = { response: 'accept', is_permanent: false, response_source: 'user_action' } as const
      return {
        type: 'interactive',
        interactive: { type: 'call_permission_reply', call_permission_reply: reply },
      }
    }
    case 'unsupported':
      return {
        type: 'unsupported',
        ...(act.type !== undefined && { unsupported: { type: act.type } }),
        errors: [failureOf(131051, 'Message type is currently not supported.')],
      }
  }
}

/** The choice of a person comes with its id; of a button in a template, with the payload that was sent, or its words. */
function tapped(world: World, id: string, choice: string | number): Content {
  const message = world.takenById.get(id)
  if (!message) throw new Error('no such message was taken')
  const { interactive } = message.request
  if (!interactive) return tappedInTemplate(world, message, Number(choice))
  const found = choicesIn(interactive).find((one) => one.id === choice)
  if (!found) throw new Error('the message has no such choice')
  if (interactive.type === 'list')
    return { type: 'interactive', interactive: { type: 'list_reply', list_reply: found } }
  const { id: chosen, title } = found
  return {
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: chosen, title } },
  }
}

function tappedInTemplate(world: World, { request }: TakenMessage, index: number): Content {
  const { template } = request
  const known = world.templates.find(({ name }) => name === template?.name)
  const buttons = known?.components.find(({ type }) => type === 'BUTTONS')?.buttons ?? []
  const button = buttons[index]
  if (button?.type !== 'QUICK_REPLY') throw new Error('the template has no such quick reply')
  const text = button.text ?? ''
  const sent = template?.components?.find(
    (one) => 'sub_type' in one && one.sub_type === 'quick_reply' && Number(one.index) === index,
  )
  const parameters: readonly object[] = sent?.parameters ?? []
  const payload = parameters.flatMap((one) => ('payload' in one ? [String(one.payload)] : []))[0]
  return { type: 'button', button: { payload: payload ?? text, text } }
}

/** The message that this one names, and how it came there. */
export function contextOf(number: BusinessNumber, act: Act): Pick<Message, 'context' | 'referral'> {
  const from = number.display_phone_number
  const about = act.act === 'tap' || act.act === 'submit' ? act.message_id : undefined
  const id = 'reply_to' in act ? act.reply_to : about
  if (id !== undefined) return { context: { from, id } }
  if (act.act !== 'text') return {}
  const { product, forwarded, referral } = act
  return {
    ...(product !== undefined && {
      context: { from, referred_product: { catalog_id: '194836987003835', product_retailer_id: product } },
    }),
    ...(forwarded && { context: { forwarded: true } }),
    ...(referral && { referral }),
  }
}
