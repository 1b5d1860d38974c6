import {
  type ChoiceReply,
  type ContactCard,
  type FlowReply,
  type Location,
  maxCardLines,
  maxContactCards,
  maxFlowResponse,
  maxOrderItems,
  type Order,
  type Referral,
} from '../../../contract/resources/content.ts'
import type { ReceivedContent } from '../../driver/observation.ts'
import {
  eachObjectIn,
  isWithin,
  type Json,
  type JsonLimits,
  objectIn,
  parseObject,
  textIn,
} from '../../kit/json.ts'
import { cutText, longestReceivedText } from '../../kit/received-text.ts'

/*
 * What people write besides texts and files. Source: Webhooks, Reference, messages: interactive, button, location, contacts, order, and
 * text (2026).
 */

/** The words and the content of a message; the words are null if its content says all. */
export interface WrittenContent {
  readonly text: string | null
  readonly content: ReceivedContent
}

/** Returns the content of a message of this type; null if it has another type, or does not make sense. */
export function writtenIn(message: Json, type: string): WrittenContent | null {
  const about = objectIn(message, type) ?? {}
  switch (type) {
    case 'location':
      return fact(locationIn(about), (location) => ({ location }))
    case 'contacts':
      return fact(cardsIn(message), (contacts) => ({ contacts }))
    case 'button':
      return fact(templateReplyIn(about), (button_reply) => ({ button_reply }))
    case 'interactive':
      return chosenIn(about)
    case 'order': {
      const written = fact(orderIn(about), (order) => ({ order }))
      return written && { ...written, text: shown(about, 'text') }
    }
    default:
      return null
  }
}

function fact<T>(found: T | null, as: (found: T) => ReceivedContent): WrittenContent | null {
  return found === null ? null : { text: null, content: as(found) }
}

/** A text that is stored: no longer than one may be. */
export function shown(json: Json, name: string): string | null {
  const text = textIn(json, name)
  return text === null ? null : cutText(text, longestReceivedText)
}

function locationIn(about: Json): Location | null {
  const [latitude, longitude] = [numberIn(about, 'latitude'), numberIn(about, 'longitude')]
  if (latitude === null || longitude === null) return null
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null
  return { latitude, longitude, name: textIn(about, 'name'), address: textIn(about, 'address') }
}

/** A number, which Meta's examples also write as a text. */
function numberIn(json: Json, name: string): number | null {
  const written = json[name]
  if (typeof written === 'number') return Number.isFinite(written) ? written : null
  const text = textIn(json, name)
  return text !== null && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : null
}

function cardsIn(message: Json): ContactCard[] | null {
  const cards = eachObjectIn(message, 'contacts').take(maxContactCards).map(cardIn).toArray()
  return cards.length > 0 ? cards : null
}

function cardIn(card: Json): ContactCard {
  const name = objectIn(card, 'name') ?? {}
  const phones = eachObjectIn(card, 'phones').map((phone) => textIn(phone, 'phone') ?? whatsAppNumber(phone))
  const emails = eachObjectIn(card, 'emails').map((email) => textIn(email, 'email'))
  const parts = [textIn(name, 'first_name'), textIn(name, 'last_name')]
  return {
    name: textIn(name, 'formatted_name') ?? parts.filter((part) => part !== null).join(' '),
    phones: lines(phones),
    emails: lines(emails),
    company: textIn(objectIn(card, 'org') ?? {}, 'company'),
  }
}

function whatsAppNumber(phone: Json): string | null {
  const digits = textIn(phone, 'wa_id')
  return digits && `+${digits}`
}

function lines(all: IteratorObject<string | null, unknown, unknown>): string[] {
  return all
    .filter((line) => line !== null)
    .take(maxCardLines)
    .toArray()
}

/** A button of a template has no id, but a payload: by default its words. */
function templateReplyIn(about: Json): ChoiceReply | null {
  const [title, payload] = [textIn(about, 'text'), textIn(about, 'payload')]
  return title === null && payload === null ? null : { id: null, title: title ?? '', payload }
}

function chosenIn(about: Json): WrittenContent | null {
  const [button, row] = [objectIn(about, 'button_reply'), objectIn(about, 'list_reply')]
  if (button) return fact(choiceIn(button), (button_reply) => ({ button_reply }))
  if (row) return fact(choiceIn(row), (list_reply) => ({ list_reply }))
  const form = objectIn(about, 'nfm_reply')
  return form && flowIn(form)
}

/** Our own message knows the payload. */
function choiceIn(reply: Json): ChoiceReply | null {
  const [id, title] = [textIn(reply, 'id'), textIn(reply, 'title')]
  return id === null && title === null ? null : { id, title: title ?? '', payload: null }
}

/** The answers of a form are a text with JSON in it. */
const flowLimits: JsonLimits = { structure: 4_000, depth: 20 }

/** Source: Flows, Receiving flow response. If the answers cannot be read, they are the text of the message. */
function flowIn(form: Json): WrittenContent {
  const name = textIn(form, 'name')
  const answers = answersIn(textIn(form, 'response_json') ?? '{}')
  const flow_reply: FlowReply = { name, response: answers ?? {} }
  return { text: answers === null ? shown(form, 'response_json') : null, content: { flow_reply } }
}

function answersIn(written: string): FlowReply['response'] | null {
  if (written.length > maxFlowResponse) return null
  const bytes = Buffer.from(written)
  const answers = isWithin(bytes, flowLimits) ? parseObject(bytes) : null
  if (answers === null) return null
  // Written in another way it may be longer, and what no store can carry would be left out.
  const json = JSON.stringify(answers)
  const isCarried = !/\\u(?:0000|d[89a-f])/.test(json) && Buffer.byteLength(json) <= maxFlowResponse
  return isCarried ? answers : null
}

function orderIn(about: Json): Order | null {
  const all = eachObjectIn(about, 'product_items')
  const items: Order['items'] = all.take(maxOrderItems).map(itemIn).toArray()
  const count = Array.isArray(about.product_items) ? about.product_items.length : 0
  const catalog_id = textIn(about, 'catalog_id')
  if (items.length === 0 && catalog_id === null && textIn(about, 'text') === null) return null
  return { catalog_id, items, items_left_out: Math.max(0, count - items.length) }
}

function itemIn(item: Json): Order['items'][number] {
  return {
    product_id: textIn(item, 'product_retailer_id') ?? '',
    quantity: Math.min(Math.max(numberIn(item, 'quantity') ?? 0, 0), Number.MAX_SAFE_INTEGER),
    price: numberIn(item, 'item_price'),
    currency: textIn(item, 'currency'),
  }
}

/** Returns what led the person to write: an ad or a post, or a product that they looked at; null if nothing is said of it. */
export function referralIn(message: Json): Referral | null {
  const from = objectIn(message, 'referral')
  const product = objectIn(objectIn(message, 'context') ?? {}, 'referred_product')
  if (from === null && product === null) return null
  const named = (name: string) => from && textIn(from, name)
  return {
    type: named('source_type') ?? (product && 'product'),
    id: named('source_id'),
    url: named('source_url'),
    title: named('headline'),
    text: named('body'),
    click_id: named('ctwa_clid'),
    product_id: product && textIn(product, 'product_retailer_id'),
  }
}

/** The names under which a message that has no name here may have words of the person, the likeliest first. */
const wordNames = ['body', 'text', 'caption', 'title', 'name']

/** Returns what text a message of an unknown type has; null if it has none. */
export function wordsIn(message: Json, type: string): string | null {
  const about = objectIn(message, type) ?? {}
  const inner = objectIn(about, textIn(about, 'type') ?? '')
  for (const part of [about, inner ?? {}])
    for (const name of wordNames) {
      const words = shown(part, name)
      if (words !== null) return words
    }
  return null
}
