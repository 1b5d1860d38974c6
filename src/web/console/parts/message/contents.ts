import { h } from 'preact'
import type {
  ContactCard,
  Interactive,
  Location,
  Order,
  Poll,
  Referral,
} from '../../../../contract/resources/content.ts'
import type { Message } from '../../../../contract/resources/message.ts'
import { number } from '../../../browser/numbers.ts'
import { language } from '../../../browser/words.ts'
import { say } from '../../words/say.ts'
import { Icon } from '../icon.ts'
import type { Following } from './following.ts'
import { WebLink } from './web-link.ts'

interface ContentsProps {
  readonly message: Message
  readonly following: Following | undefined
}

/** Returns true if the content of a message is shown, and its text says nothing besides. */
export function isSaidByContent({ text, location, contacts, interactive, poll }: Message): boolean {
  if (location) {
    const { name, address, latitude, longitude } = location
    return text === ([name, address].filter(Boolean).join(', ') || `${latitude}, ${longitude}`)
  }
  if (contacts) return text === contacts.map(({ name }) => name).join(', ')
  return text !== undefined && text === (interactive?.body ?? poll?.question)
}

/** The content of a message besides text and files: each field that it has. */
export function Contents({ message, following }: ContentsProps) {
  const { location, contacts, interactive, poll, order, referral, topic, flow_reply } = message
  const choice = message.button_reply ?? message.list_reply
  return [
    topic && h('p', { class: 'small' }, say('message.topic', { name: topic.name ?? topic.id })),
    referral && h(Led, { referral }),
    location && h(Place, { location }),
    contacts?.map((card, index) => h(Card, { key: index, card })),
    interactive && h(Question, { interactive, following }),
    poll && h(PollAnswers, { poll, votes: following?.votes }),
    choice && h('p', { class: 'small' }, say('message.chosen')),
    message.poll_vote && h('p', { class: 'small' }, say('message.kinds.poll_vote')),
    flow_reply && h(Filled, { response: flow_reply.response }),
    order && h(Ordered, { order }),
  ]
}

/** A place, as a link to a map: no map is loaded into the page. */
function Place({ location: { latitude, longitude, name, address } }: { readonly location: Location }) {
  const at = `${number(latitude, 6)}; ${number(longitude, 6)}`
  const map = new URL('https://www.openstreetmap.org/')
  map.search = String(new URLSearchParams({ mlat: String(latitude), mlon: String(longitude) }))
  map.hash = `map=16/${latitude}/${longitude}`
  return h(
    'div',
    { class: 'card' },
    h('div', { class: 'place', 'aria-hidden': true }, h(Icon, { name: 'place' })),
    h('p', null, h('strong', null, name ?? say('message.kinds.location'))),
    address && h('p', { dir: 'auto' }, address),
    h('p', { class: 'small' }, at, ' · ', h(WebLink, { url: map.href }, say('message.open_map'))),
  )
}

function Card({ card: { name, phones, emails, company } }: { readonly card: ContactCard }) {
  return h(
    'div',
    { class: 'card' },
    h('p', null, h(Icon, { name: 'person' }), ' ', h('strong', null, name)),
    company && h('p', { class: 'small' }, company),
    phones.map((phone, index) =>
      h('p', { key: `phone ${index}` }, h('a', { href: `tel:${phone.replaceAll(/[^\d+]/g, '')}` }, phone)),
    ),
    emails.map((email, index) =>
      h('p', { key: `email ${index}` }, h('a', { href: `mailto:${encodeURIComponent(email)}` }, email)),
    ),
  )
}

interface QuestionProps {
  readonly interactive: Interactive
  readonly following: Following | undefined
}

/** A question with its buttons or its rows, as they were sent; those that were chosen are marked. */
function Question({ interactive, following }: QuestionProps) {
  const { header, body, footer, buttons, list, url_button } = interactive
  const sections = list?.sections ?? []
  return [
    header && h('p', { class: 'subject', dir: 'auto' }, header),
    h('p', { class: 'words', dir: 'auto' }, body),
    footer && h('p', { class: 'small', dir: 'auto' }, footer),
    buttons && h('ul', { class: 'choices-sent' }, buttons.map(choiceOf(following))),
    list && h('p', { class: 'small' }, say('message.list_opens', { words: list.button })),
    sections.map(({ title, rows }, index) => [
      title && h('p', { key: `title ${index}`, class: 'small subject' }, title),
      h('ul', { key: `rows ${index}`, class: 'choices-sent rows' }, rows.map(choiceOf(following))),
    ]),
    url_button &&
      h(
        'ul',
        { class: 'choices-sent' },
        h('li', null, h(WebLink, { url: url_button.url }, url_button.title)),
      ),
  ]
}

interface Choice {
  readonly id: string
  readonly title: string
  readonly description?: string
}

const choiceOf = (following: Following | undefined) => (choice: Choice) => {
  const isChosen = following?.chosen.has(choice.id) === true
  return h(
    'li',
    { key: choice.id, class: isChosen ? 'was-chosen' : undefined },
    choice.title,
    choice.description && h('span', { class: 'small' }, choice.description),
    isChosen && h('span', { class: 'small' }, h(Icon, { name: 'check' }), say('message.was_chosen')),
  )
}

interface PollProps {
  readonly poll: Poll
  readonly votes: ReadonlyMap<string, number> | undefined
}

function PollAnswers({ poll: { question, options, multiple_answers }, votes }: PollProps) {
  return [
    h('p', { class: 'subject', dir: 'auto' }, question),
    multiple_answers && h('p', { class: 'small' }, say('message.several_answers')),
    h(
      'ul',
      { class: 'choices-sent rows' },
      options.map((option, index) => {
        const count = votes?.get(option) ?? 0
        return h(
          'li',
          { key: index, class: count > 0 ? 'was-chosen' : undefined },
          option,
          h('span', { class: 'small' }, say('message.votes', { count })),
        )
      }),
    ),
  ]
}

/** A form that was filled in: what the network says of it. */
function Filled({ response }: { readonly response: object }) {
  const title = say('message.kinds.flow_reply')
  return [
    h('p', { class: 'small' }, title),
    h(
      'pre',
      { class: 'words', tabIndex: 0, role: 'region', 'aria-label': title },
      h('code', null, JSON.stringify(response, null, 2)),
    ),
  ]
}

function Ordered({ order: { items, items_left_out: leftOut } }: { readonly order: Order }) {
  return h(
    'div',
    { class: 'card' },
    h('p', null, h('strong', null, say('message.kinds.order'))),
    h(
      'ul',
      { class: 'items' },
      items.map(({ product_id, quantity, price, currency }, index) =>
        h(
          'li',
          { key: index },
          `${number(quantity)} × ${product_id}`,
          price !== null && h('span', { class: 'small' }, ` ${money(price, currency)}`),
        ),
      ),
    ),
    leftOut > 0 && h('p', { class: 'small' }, say('message.items_left_out', { count: leftOut })),
  )
}

/** A price in the current language. People may write any text for a currency. */
function money(price: number, currency: string | null): string {
  if (currency === null || !/^[A-Za-z]{3}$/.test(currency)) return `${number(price)} ${currency ?? ''}`.trim()
  return new Intl.NumberFormat(language(), { style: 'currency', currency }).format(price)
}

/** The advertisement, post or product that led the person here. */
function Led({ referral: { title, text, url, id, product_id } }: { readonly referral: Referral }) {
  return h(
    'div',
    { class: 'card' },
    h('p', { class: 'small' }, say('message.came_by')),
    h('p', null, h('strong', null, title ?? id ?? product_id ?? '')),
    text && h('p', { dir: 'auto' }, text),
    url && h('p', { class: 'small' }, h(WebLink, { url }, url)),
  )
}
