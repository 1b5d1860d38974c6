import { type ComponentChildren, h } from 'preact'
import type { Message, Relation } from '../../../../contract/resources/message.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { linkTo } from '../../core/router.ts'
import { say } from '../../words/say.ts'
import { Contents, isSaidByContent } from './contents.ts'
import type { Following } from './following.ts'
import { type NameOf, namedText, withNames } from './mentioned.ts'
import { MessageFile } from './message-file.ts'

/** Length of the excerpt of a text in a list, in UTF-16 units. */
const longestExcerpt = 160

/** Returns a message in one line: the beginning of its text, or the name of its file, or else its kind. */
export function excerptOf(message: Message, nameOf: NameOf = String): string {
  const { text, caption, media, template, kind, mentions = [] } = message
  const said = namedText(text || caption || '', mentions, nameOf)
  const words = said || media?.filename || template?.name || say(`message.kinds.${kind}`)
  return words.length > longestExcerpt ? `${words.slice(0, longestExcerpt)}…` : words
}

interface ContentProps {
  readonly message: Message
  /** Quotes the message that this one refers to. */
  readonly quote: ComponentChildren
  /** The parts of other messages that it shows. */
  readonly following?: Following | undefined
  /** The names of the people whom it may mention. */
  readonly nameOf?: NameOf
}

/** Everything that a message says, as its sender wrote it: text is only ever shown as text. */
export function MessageContent({ message, quote, following, nameOf = String }: ContentProps) {
  const { text, caption, media, template, subject, unsupported, kind, mentions = [] } = message
  const said = withNames(text && !isSaidByContent(message) ? text : '', mentions, nameOf)
  const below = withNames(caption ?? '', said.left, nameOf)
  return h(
    'div',
    { class: 'content' },
    quote,
    subject && h('p', { class: 'subject', dir: 'auto' }, subject),
    media && h(MessageFile, { message, media }),
    h(Contents, { message, following }),
    text && !isSaidByContent(message) ? h('p', { class: 'words', dir: 'auto' }, said.words) : null,
    kind === 'reaction' && !text && h('p', { class: 'small' }, say('message.reactions_removed')),
    caption ? h('p', { class: 'words', dir: 'auto' }, below.words) : null,
    template && h(Template, { template }),
    below.left.length > 0 &&
      h('p', { class: 'small' }, say('message.mentions'), ' ', below.left.map(nameOf).join(', ')),
    unsupported && h('p', { class: 'small' }, whyNot(unsupported)),
    kind === 'retraction' && h('p', { class: 'small' }, say('message.kinds.retraction')),
  )
}

/** Says why a content cannot be shown. */
function whyNot({ type, name }: NonNullable<Message['unsupported']>): string {
  if (type === 'undecryptable') return say('message.undecryptable')
  return say('message.unsupported', { type: name ?? type })
}

interface QuoteProps {
  readonly relation: Relation
  /** The other message, if it is known. */
  readonly other: Message | undefined
  /** Leads to the other message in its own way, if that is on the screen. */
  readonly onOpen?: ((event: Event) => void) | undefined
}

/** The message that another one refers to: its beginning, as a link to it. */
export function Quote({ relation, other, onOpen }: QuoteProps) {
  const { type, message_id } = relation
  const words = other ? excerptOf(other) : say('message.another_message')
  const writer = other?.direction === 'outbound' ? say('conversations.yourself') : other?.sender?.name
  const what = [say(`message.relations.${type}`), ': ']
  return h(
    'p',
    { class: 'refers small' },
    type === 'reply' && writer
      ? [
          h('span', { key: 'what', class: 'unseen' }, what),
          h('strong', { key: 'writer', class: 'quoted', dir: 'auto' }, writer, ' '),
        ]
      : what,
    h(
      'q',
      { dir: 'auto' },
      message_id === null
        ? words
        : h('a', { href: linkTo(['messages', message_id]), onClick: onOpen }, words),
    ),
  )
}

/** A quote on the page of a single message, which asks for the other one. */
export function AskedQuote({ relation }: { readonly relation: Relation }) {
  const { message_id } = relation
  const { data } = useCall('getMessage', message_id === null ? null : { params: { id: message_id } })
  return h(Quote, { relation, other: data })
}

function Template({ template }: { readonly template: NonNullable<Message['template']> }) {
  const { name, language, components } = template
  return [
    h('p', null, h('code', null, name), ' ', h('span', { class: 'small' }, language)),
    components.length > 0 &&
      h(
        'pre',
        { class: 'words', tabIndex: 0, role: 'region', 'aria-label': say('message.kinds.template') },
        h('code', null, JSON.stringify(components, null, 2)),
      ),
  ]
}
