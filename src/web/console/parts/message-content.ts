import { h } from 'preact'
import type { Message, Relation } from '../../../contract/resources/message.ts'
import { linkTo } from '../core/router.ts'
import { say } from '../words/say.ts'
import { MessageFile } from './message-file.ts'

/** Length of the excerpt of a text in a list, in UTF-16 units. */
const longestExcerpt = 160

/** Returns a message in one line: the beginning of its text, or the name of its file, or else its kind. */
export function excerptOf({ text, caption, media, template, kind }: Message): string {
  const words = text || caption || media?.filename || template?.name || say(`message.kinds.${kind}`)
  return words.length > longestExcerpt ? `${words.slice(0, longestExcerpt)}…` : words
}

interface ContentProps {
  readonly message: Message
  /** Finds the message that this one refers to, if it is on the screen, too. */
  readonly find?: (id: string) => Message | undefined
}

/** Everything that a message says, as its sender wrote it: text is only ever shown as text. */
export function MessageContent({ message, find }: ContentProps) {
  const { text, caption, media, template, subject, relation, unsupported, kind } = message
  return h(
    'div',
    { class: 'content' },
    relation && h(Refers, { relation, find }),
    subject && h('p', { class: 'subject' }, subject),
    media && h(MessageFile, { message, media }),
    text ? h('p', { class: 'words' }, text) : null,
    kind === 'reaction' && !text && h('p', { class: 'small' }, say('message.reactions_removed')),
    caption ? h('p', { class: 'words' }, caption) : null,
    template && h(Template, { template }),
    unsupported && h('p', { class: 'small' }, whyNot(unsupported)),
    kind === 'retraction' && h('p', { class: 'small' }, say('message.kinds.retraction')),
  )
}

/** Says why a content cannot be shown. */
function whyNot({ type, name }: NonNullable<Message['unsupported']>): string {
  if (type === 'undecryptable') return say('message.undecryptable')
  return say('message.unsupported', { type: name ?? type })
}

function Refers({
  relation,
  find,
}: {
  readonly relation: Relation
  readonly find: ContentProps['find'] | undefined
}) {
  const { type, message_id } = relation
  const other = message_id === null ? undefined : find?.(message_id)
  const words = other ? excerptOf(other) : say('message.another_message')
  return h(
    'p',
    { class: 'refers small' },
    say(`message.relations.${type}`),
    ': ',
    message_id === null
      ? h('q', null, words)
      : h('a', { href: linkTo(['messages', message_id]) }, h('q', null, words)),
  )
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
