import { h, type RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Message } from '../../../../../contract/resources/message.ts'
import { call } from '../../../core/api.ts'
import type { ContentKind } from '../../../core/contents/contents.ts'
import { contentOf, deliver, emptyDraft } from '../../../core/draft.ts'
import { useIdempotencyKeys } from '../../../core/idempotency-keys.ts'
import type { Network } from '../../../core/operations.ts'
import { linkTo } from '../../../core/router.ts'
import { Failure } from '../../../parts/failure.ts'
import { Icon } from '../../../parts/icon.ts'
import { say } from '../../../words/say.ts'
import { type About, AboutLine } from './about.ts'
import { Attach, Attached, type Chosen } from './attached.ts'
import { ContentDialog } from './content-dialog.ts'
import { draftFor, keepDraft } from './drafts.ts'
import { type Addressed, useMentions } from './mentions.ts'
import { MoreContents } from './more-contents.ts'
import { TopicField, useTopics } from './topics.ts'
import type { People } from './use-people.ts'
import { useTypingShown } from './use-typing-shown.ts'

interface ReplyProps {
  readonly instance: string
  readonly address: string
  /** The network, once it is known. */
  readonly network: Network | undefined
  /** The network lets the account answer no longer. */
  readonly isOver: boolean
  /** The name of the person or the group, or else the address. */
  readonly name: string
  readonly people: People
  /** The newest first. */
  readonly items: readonly Message[]
  readonly about: About | undefined
  readonly onAbout: (about: About | undefined) => void
  readonly onSent: (message: Message) => void
  /** Another message changed by what was sent. */
  readonly onChanged: (message: Message) => void
}

/** The form for an answer: a text, a file, or both. Content that could not be sent stays there. */
export function ReplyBox(props: ReplyProps) {
  const { network, isOver, about, items } = props
  const topics = useTopics(network, items, about?.kind === 'reply' ? about.message : undefined)
  const answer = useAnswer({ ...props, topic: topics.current })
  const { text, setText, chosen, setChosen, error, send, leave, field } = answer
  const [content, setContent] = useState<ContentKind>()
  const showTyping = useTypingShown({ ...props, topic: topics.current })
  const isEdit = about?.kind === 'edit'
  const file = isEdit ? undefined : chosen
  const enter = (words: string) => {
    setText(words)
    if (words.includes('@')) props.people.ask()
    if (words.trim() !== '' && !isEdit) showTyping()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    send()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !about) return
    event.stopPropagation()
    leave()
  }
  const form = h(
    'form',
    { ref: answer.form, class: 'reply', onSubmit: submit, onKeyDown },
    isOver && h(WindowOver, props),
    h(Failure, { error }),
    !isEdit && h(TopicField, { topics, isFixed: about !== undefined }),
    about && h(AboutLine, { about, onLeave: leave }),
    file &&
      h(Attached, {
        chosen: file,
        network,
        onKind: (kind) => setChosen({ ...file, kind }),
        onRemove: () => {
          setChosen(undefined)
          field.current?.focus()
        },
      }),
    h(
      'div',
      { class: 'reply-line' },
      !isEdit && h(Attach, { network, onChoose: setChosen }),
      !isEdit && h(MoreContents, { network, onChoose: setContent }),
      h(Words, { ...answer, name: props.name, text, onChange: enter, onSend: send }),
      h(SendButton, { isBusy: answer.isBusy, isEdit }),
    ),
    h(KeysHint, null),
  )
  const other = { ...props, topic: topics.current, onClose: () => setContent(undefined) }
  // A form cannot stand in another one.
  return [form, content && h(OtherContent, { ...other, kind: content })]
}

/** Says that the network takes no free answer any longer, and leads to what it takes. */
function WindowOver({ instance, address, network }: ReplyProps) {
  const query = { instance, to: address, kind: 'template' }
  return h(
    'p',
    { class: 'warning' },
    say('conversations.window_over'),
    network?.abilities.templates && [
      ' ',
      h('a', { key: 'template', href: linkTo(['send'], query) }, say('conversations.send_template')),
    ],
  )
}

/** Says which keys do what, to those who have some. */
function KeysHint() {
  const words = [say('conversations.enter_sends'), ' ', say('conversations.esc_leaves')]
  return h('p', { class: 'hint wide-only' }, words)
}

interface SendProps {
  readonly isBusy: boolean
  readonly isEdit: boolean
}

/** The button that sends. While that is under way it does nothing, and keeps the focus. */
function SendButton({ isBusy, isEdit }: SendProps) {
  const words = say(isEdit ? 'conversations.save' : 'conversations.send')
  const click = (event: Event) => isBusy && event.preventDefault()
  return h(
    'button',
    {
      ...{ type: 'submit', class: 'primary', 'aria-disabled': isBusy },
      ...{ 'aria-label': words, title: words, onClick: click },
    },
    h(Icon, { name: isEdit ? 'check' : 'send' }),
  )
}

/** The place in a group for an answer. */
interface TopicOf {
  /** The topic of the group; empty if the network chooses. */
  readonly topic: string
}

/** Keeps what was entered, and sends it. */
function useAnswer(props: ReplyProps & TopicOf) {
  const { instance, address, about, onAbout } = props
  const [text, setText] = useState(() => draftFor(instance, address))
  const [chosen, setChosen] = useState<Chosen>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const deliverAnswer = useDelivery(props)
  const isEdit = about?.kind === 'edit'
  const mentions = useMentions(isEdit ? [] : props.people.mentionable, field, setText)
  useLayoutEffect(() => {
    if (!isEdit) keepDraft(instance, address, text)
  }, [text, isEdit])
  const leaveEdit = useEdited(about, text, setText, field)
  const send = async () => {
    if (isBusy || (text.trim() === '' && (isEdit || !chosen))) return
    setBusy(true)
    setError(undefined)
    try {
      await deliverAnswer(
        isEdit ? { text, mentions: [] } : mentions.addressed(text),
        isEdit ? undefined : chosen,
      )
      if (isEdit) leaveEdit()
      else {
        // Text that was begun meanwhile stays.
        setText((now) => (now.startsWith(text) ? now.slice(text.length) : now))
        setChosen((now) => (now === chosen ? undefined : now))
      }
      onAbout(undefined)
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
    // A person who went elsewhere meanwhile stays there.
    const at = document.activeElement
    if (at === document.body || form.current?.contains(at)) field.current?.focus()
  }
  const leave = () => {
    if (isEdit) leaveEdit()
    onAbout(undefined)
    field.current?.focus()
  }
  return { text, setText, chosen, setChosen, error, isBusy, send, leave, field, form, mentions }
}

interface OtherProps extends ReplyProps, TopicOf {
  readonly kind: ContentKind
  readonly onClose: () => void
}

/** The form of another content. What it sends answers the message, too. */
function OtherContent(props: OtherProps) {
  const { kind, instance, address, network, about, topic, onSent, onAbout, onClose } = props
  if (!network) return null
  const sent = (message: Message) => {
    onSent(message)
    onAbout(undefined)
  }
  const common = {
    ...{ instance, to: address },
    ...(about ? { reply_to: about.message.id } : {}),
    ...(topic ? { topic } : {}),
  }
  return h(ContentDialog, { kind, network, common, onSent: sent, onClose })
}

/** Returns a function that sends what was entered, or edits a message. The same content has the same idempotency key. */
function useDelivery({ instance, address, about, topic, onSent, onChanged }: ReplyProps & TopicOf) {
  const keys = useIdempotencyKeys()
  return async ({ text, mentions }: Addressed, chosen: Chosen | undefined) => {
    if (about?.kind === 'edit') {
      const { id, media } = about.message
      const body = media ? { caption: text } : { text }
      const headers = { 'idempotency-key': keys.keyFor(JSON.stringify([id, text])) }
      onChanged(await call('editMessage', { params: { id }, body, headers }))
    } else {
      // A text beside a file is its caption.
      const file = chosen && { kind: 'file' as const, file: chosen.file, mediaKind: chosen.kind }
      const draft = {
        ...emptyDraft,
        instance,
        to: address,
        ...{ mentions, topic },
        replyTo: about?.message.id ?? '',
        ...(file ? { ...file, caption: text.trim() && text } : { text }),
      }
      onSent(await deliver(draft, keys.keyFor(contentOf(draft)), () => {}))
    }
    keys.done()
  }
}

/** Has the field show the text of the message that is edited. Returns a function that brings back what was there before. */
function useEdited(
  about: About | undefined,
  text: string,
  setText: (text: string) => void,
  field: { readonly current: HTMLTextAreaElement | null },
): () => void {
  const before = useRef<string>(undefined)
  useLayoutEffect(() => {
    if (!about) return
    const { kind, message } = about
    if (kind === 'edit') {
      before.current ??= text
      setText(message.caption ?? message.text ?? '')
    } else leave()
    field.current?.focus()
  }, [about])
  const leave = () => {
    if (before.current !== undefined) setText(before.current)
    before.current = undefined
  }
  return leave
}

interface WordsProps {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly name: string
  readonly text: string
  readonly mentions: ReturnType<typeof useMentions>
  readonly onChange: (text: string) => void
  readonly onSend: () => void
}

/** The field for the words, which grows with them. */
function Words({ field, name, text, mentions, onChange, onSend }: WordsProps) {
  useLayoutEffect(() => {
    const area = field.current
    // Other browsers do it by themselves.
    if (!area || CSS.supports('field-sizing', 'content')) return
    area.rows = 1
    while (area.rows < maxLines && area.scrollHeight > area.clientHeight + 2) area.rows += 1
  }, [text])
  const onKeyDown = (event: KeyboardEvent) => {
    if (mentions.onKeyDown(event) || event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    onSend()
  }
  const label = say('conversations.write', { name })
  return h(
    'div',
    { class: 'reply-words' },
    mentions.offered,
    h('textarea', {
      ...{ ref: field, id: 'reply', value: text, rows: 1, dir: 'auto' as const },
      ...{ 'aria-label': label, placeholder: label },
      ...mentions.described,
      onInput: (event: Event) => {
        onChange((event.currentTarget as HTMLTextAreaElement).value)
        mentions.look()
      },
      onBlur: mentions.close,
      onKeyDown,
    }),
  )
}

/** The lines up to which the field grows. */
const maxLines = 8
