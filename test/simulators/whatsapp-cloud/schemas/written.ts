import Type, { type Static } from 'typebox'
import { graphId, oneOf, strict, waId, wamid } from './scalars.ts'

/*
 * The contents that people write, as webhooks have them. Written from Meta's webhook reference of messages (2026): interactive, button,
 * location, contacts, order, unsupported, and text with a referral; and from the page on receiving the responses of flows.
 */

const text = Type.String()
const maybe = Type.Optional(text)

/** `url` comes with newer webhooks; the checksum is base64 here and hexadecimal in the answer to a GET of the file. */
export const file = strict({
  id: graphId,
  mime_type: text,
  sha256: Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' }),
  url: maybe,
  caption: maybe,
  filename: maybe,
  voice: Type.Optional(Type.Boolean()),
  animated: Type.Optional(Type.Boolean()),
})

const location = strict({
  latitude: Type.Number(),
  longitude: Type.Number(),
  name: maybe,
  address: maybe,
  url: maybe,
})

const card = strict({
  name: strict({
    formatted_name: text,
    first_name: maybe,
    last_name: maybe,
    middle_name: maybe,
    prefix: maybe,
    suffix: maybe,
  }),
  phones: Type.Optional(
    Type.Array(strict({ phone: maybe, type: maybe, wa_id: Type.Optional(waId), user_id: maybe })),
  ),
  emails: Type.Optional(Type.Array(strict({ email: maybe, type: maybe }))),
  org: Type.Optional(strict({ company: maybe, department: maybe, title: maybe })),
  birthday: maybe,
  urls: Type.Optional(Type.Array(strict({ url: maybe, type: maybe }))),
  addresses: Type.Optional(Type.Array(Type.Object({}))),
})
export type WrittenCard = Static<typeof card>

/** The answers of a form come as JSON in a text. */
const interactive = Type.Union([
  strict({ type: Type.Literal('button_reply'), button_reply: strict({ id: text, title: text }) }),
  strict({
    type: Type.Literal('list_reply'),
    list_reply: strict({ id: text, title: text, description: maybe }),
  }),
  strict({
    type: Type.Literal('nfm_reply'),
    nfm_reply: strict({ name: maybe, body: maybe, response_json: text }),
  }),
  strict({
    type: Type.Literal('call_permission_reply'),
    call_permission_reply: strict({
      response: oneOf('accept', 'reject'),
      is_permanent: Type.Optional(Type.Boolean()),
      expiration_timestamp: Type.Optional(Type.Integer()),
      response_source: maybe,
    }),
  }),
])

const order = strict({
  catalog_id: text,
  text: maybe,
  product_items: Type.Array(
    strict({
      product_retailer_id: text,
      quantity: Type.Integer(),
      item_price: Type.Number(),
      currency: text,
    }),
  ),
})
export type WrittenOrder = Static<typeof order>

export const written = {
  text: Type.Optional(strict({ body: text })),
  image: Type.Optional(file),
  document: Type.Optional(file),
  audio: Type.Optional(file),
  video: Type.Optional(file),
  sticker: Type.Optional(file),
  location: Type.Optional(location),
  contacts: Type.Optional(Type.Array(card)),
  button: Type.Optional(strict({ payload: text, text })),
  interactive: Type.Optional(interactive),
  order: Type.Optional(order),
  reaction: Type.Optional(strict({ message_id: wamid, emoji: maybe })),
  unsupported: Type.Optional(strict({ type: text })),
}

/** The place from which a person came to the chat. The id of the click is absent for ads in a status. */
export const referral = strict({
  source_url: text,
  source_id: text,
  source_type: oneOf('ad', 'post'),
  headline: maybe,
  body: maybe,
  media_type: Type.Optional(oneOf('image', 'video')),
  image_url: maybe,
  video_url: maybe,
  thumbnail_url: maybe,
  ctwa_clid: maybe,
  welcome_message: Type.Optional(strict({ text })),
})
export type Referral = Static<typeof referral>

/** A message that was forwarded names no other; a question about a product names that instead. */
export const context = strict({
  from: Type.Optional(Type.String()),
  id: Type.Optional(wamid),
  forwarded: Type.Optional(Type.Boolean()),
  frequently_forwarded: Type.Optional(Type.Boolean()),
  referred_product: Type.Optional(strict({ catalog_id: text, product_retailer_id: text })),
})
