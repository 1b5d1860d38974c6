import {
  type ChoiceReply,
  type ContactCard,
  type Interactive,
  type MessageContent,
  maxCardLines,
  maxContactCards,
  maxFlowResponse,
  maxMentions,
  maxOrderItems,
  maxPayload,
  maxPlaceAddress,
  maxPlaceName,
  type Order,
} from '../../contract/resources/content.ts'
import type { ReceivedContent } from '../../networks/driver/observation.ts'
import { cutText } from '../../networks/kit/received-text.ts'
import { carried } from './carried.ts'

/*
 * The content of a message from a person, within the bounds of the contract: each field is cut, and lists are shortened.
 */

const maxName = 256
const maxWords = 1024
const maxUrl = 2048
const maxPollOptions = 12
const maxRows = 100

/** Returns the fields that can be stored. */
export function fitContent(content: ReceivedContent): MessageContent {
  const { location, contacts, interactive, poll, poll_vote, button_reply, list_reply } = content
  const { flow_reply, order, referral, topic, sender, mentions } = content
  const isPlace = location && Math.abs(location.latitude) <= 90 && Math.abs(location.longitude) <= 180
  return {
    ...(isPlace && {
      location: {
        latitude: location.latitude,
        longitude: location.longitude,
        name: cutOrNull(location.name, maxPlaceName),
        address: cutOrNull(location.address, maxPlaceAddress),
      },
    }),
    ...(contacts && { contacts: contacts.slice(0, maxContactCards).map(fitCard) }),
    ...(interactive && { interactive: fitInteractive(interactive) }),
    ...(poll && {
      poll: {
        question: cut(poll.question, 300),
        options: fitOptions(poll.options),
        multiple_answers: poll.multiple_answers,
      },
    }),
    ...(poll_vote && { poll_vote: { options: fitOptions(poll_vote.options) } }),
    ...(button_reply && { button_reply: fitChoice(button_reply) }),
    ...(list_reply && { list_reply: fitChoice(list_reply) }),
    ...(flow_reply && {
      flow_reply: { name: cutOrNull(flow_reply.name, maxName), response: fitResponse(flow_reply.response) },
    }),
    ...(order && { order: fitOrder(order) }),
    ...(referral && {
      referral: {
        type: cutOrNull(referral.type, maxName),
        id: cutOrNull(referral.id, maxName),
        url: cutOrNull(referral.url, maxUrl),
        title: cutOrNull(referral.title, maxWords),
        text: cutOrNull(referral.text, maxWords),
        click_id: cutOrNull(referral.click_id, maxWords),
        product_id: cutOrNull(referral.product_id, maxName),
      },
    }),
    ...(topic && { topic: { id: cut(topic.id, maxName), name: cutOrNull(topic.name, maxName) } }),
    ...(sender && {
      sender: {
        address: cut(sender.address, maxWords),
        name: cutOrNull(sender.name, maxName),
        username: cutOrNull(sender.username, maxName),
      },
    }),
    ...(mentions && mentions.length > 0 && { mentions: fitList(mentions, maxMentions, maxWords) }),
  }
}

function cut(text: string, most: number): string {
  return cutText(carried(text), most)
}

/** An empty text says as much as none. */
function cutOrNull(text: string | null, most: number): string | null {
  return text === null || text === '' ? null : cut(text, most)
}

function fitList(texts: readonly string[], most: number, longest: number): string[] {
  return texts.slice(0, most).map((text) => cut(text, longest))
}

function fitOptions(options: readonly string[]): string[] {
  return [...new Set(fitList(options, maxPollOptions, 100))].filter((option) => option !== '')
}

function fitCard({ name, phones, emails, company }: ContactCard): ContactCard {
  const [lines, mails] = [phones, emails].map((list) =>
    fitList(list, maxCardLines, maxName).filter((line) => line !== ''),
  ) as [string[], string[]]
  return {
    name: cutOrNull(name, maxName) ?? lines[0] ?? mails[0] ?? '-',
    phones: lines,
    emails: mails,
    company: cutOrNull(company, maxName),
  }
}

function fitChoice({ id, title, payload }: ChoiceReply): ChoiceReply {
  return {
    id: cutOrNull(id, maxName),
    title: cut(title, maxName),
    payload: cutOrNull(payload, maxPayload),
  }
}

type Row = NonNullable<Interactive['list']>['sections'][number]['rows'][number]

function fitInteractive({ header, body, footer, buttons, list, url_button }: Interactive): Interactive {
  const choice = <T extends { readonly id: string; readonly title: string }>({ id, title }: T) => {
    return { id: cut(id, 64) || '-', title: cut(title, 64) || '-' }
  }
  const row = ({ description, ...shown }: Row) => {
    const second = cutOrNull(description ?? null, maxName)
    return { ...choice(shown), ...(second === null ? {} : { description: second }) }
  }
  return {
    ...(header !== undefined && header !== '' && { header: cut(header, 60) }),
    body: cut(body, 4096) || '-',
    ...(footer !== undefined && footer !== '' && { footer: cut(footer, 60) }),
    ...(buttons && buttons.length > 0 && { buttons: buttons.slice(0, 30).map(choice) }),
    ...(list && {
      list: {
        button: cut(list.button, 64) || '-',
        sections: list.sections.slice(0, 20).map(({ title, rows }) => {
          return { ...(title ? { title: cut(title, 64) } : {}), rows: rows.slice(0, maxRows).map(row) }
        }),
      },
    }),
    ...(url_button && {
      url_button: { title: cut(url_button.title, 64) || '-', url: cut(url_button.url, 2000) },
    }),
  }
}

/** A form that is too long is left out: its text may say more. */
function fitResponse(response: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const json = JSON.stringify(response)
  return Buffer.byteLength(json) <= maxFlowResponse && carried(json) === json ? JSON.parse(json) : {}
}

function fitOrder({ catalog_id, items, items_left_out }: Order): Order {
  const shown = items.slice(0, maxOrderItems).map(({ product_id, quantity, price, currency }) => ({
    product_id: cut(product_id, maxName),
    quantity: Math.max(0, Math.trunc(quantity)) || 0,
    price: price !== null && Number.isFinite(price) ? price : null,
    currency: cutOrNull(currency, 8),
  }))
  return {
    catalog_id: cutOrNull(catalog_id, maxName),
    items: shown,
    items_left_out: items_left_out + items.length - shown.length,
  }
}
