import { h, type Ref } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Message } from '../../../../../contract/resources/message.ts'
import { call } from '../../../core/api.ts'
import type { ContentKind } from '../../../core/contents/contents.ts'
import { contentOf, deliver, emptyDraft } from '../../../core/draft.ts'
import { useIdempotencyKeys } from '../../../core/idempotency-keys.ts'
import type { Network } from '../../../core/operations.ts'
import { Submit } from '../../../parts/button.ts'
import { Failure } from '../../../parts/failure.ts'
import { say } from '../../../words/say.ts'
import { type About, AboutLine } from './about.ts'
import { Attach, Attached, type Chosen } from './attached.ts'
import { ContentDialog } from './content-dialog.ts'
import { type Mentionable, useMentions } from './mentions.ts'
import { MoreContents } from './more-contents.ts'
import { usePeople } from './use-people.ts'
import { useTypingShown } from './use-typing-shown.ts'

interface ReplyProps {
  readonly instance: string
  readonly address: string
  /** The network, once it is known. */
  readonly network: Network | undefined
  /** The network lets the account answer no longer. */
  readonly isOver: boolean
  readonly isGroup: boolean
  /** The people who wrote in the group. */
  readonly writers: readonly Mentionable[]
  readonly about: About | undefined
  readonly onAbout: (about: About | undefined) => void
  readonly onSent: (message: Message) => void
  /** Another message changed by what was sent. */
  readonly onChanged: (message: Message) => void
}

/** The form for an answer: a text, a file, or both. Content that could not be sent stays there. */
export function ReplyBox(props: ReplyProps) {
  const { address, network, isOver, about } = props
  const answer = useAnswer(props)
  const { text, setText, chosen, setChosen, error, isBusy, send, leave, field, mentions } = answer
  const [content, setContent] = useState<ContentKind>()
  const showTyping = useTypingShown(props)
  const isEdit = about?.kind === 'edit'
  const file = isEdit ? undefined : chosen
  const remove = () => {
    setChosen(undefined)
    field.current?.focus()
  }
  const enter = (words: string) => {
    setText(words)
    if (words.trim() !== '' && !isEdit) showTyping()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    send()
  }
  const onKeyDown = (event: KeyboardEvent) => event.key === 'Escape' && about && leave()
  const form = h(
    'form',
    { ref: answer.form, class: 'reply', onSubmit: submit, onKeyDown },
    isOver && h('p', { class: 'warning' }, say('conversations.window_over')),
    h(Failure, { error }),
    about && h(AboutLine, { about, onLeave: leave }),
    file &&
      h(Attached, {
        chosen: file,
        network,
        onKind: (kind) => setChosen({ ...file, kind }),
        onRemove: remove,
      }),
    h(
      'div',
      { class: 'reply-line' },
      h(Words, { field, address, text, mentions, onChange: enter, onSend: send }),
      !isEdit && h(Attach, { network, onChoose: setChosen }),
      !isEdit && h(MoreContents, { network, onChoose: setContent }),
      h(Submit, { isBusy }, say(isEdit ? 'conversations.save' : 'conversations.send')),
    ),
    h('p', { class: 'hint wide-only' }, say('conversations.enter_sends')),
  )
  // A form cannot stand in another one.
  return [form, content && h(OtherContent, { ...props, kind: content, onClose: () => setContent(undefined) })]
}

/** Keeps what was entered, and sends it. */
function useAnswer(props: ReplyProps) {
  const { about, onAbout } = props
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<Chosen>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const deliverAnswer = useDelivery(props)
  const isEdit = about?.kind === 'edit'
  const people = usePeople(props, text)
  const mentions = useMentions(isEdit ? [] : people, field, setText)
  const leaveEdit = useEdited(about, text, setText, field)
  const send = async () => {
    if (isBusy || (text.trim() === '' && (isEdit || !chosen))) return
    setBusy(true)
    setError(undefined)
    try {
      await deliverAnswer(text, isEdit ? undefined : chosen, mentions.mentionedIn(text))
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

interface OtherProps extends ReplyProps {
  readonly kind: ContentKind
  readonly onClose: () => void
}

/** The form of another content. What it sends answers the message, too. */
function OtherContent({ kind, instance, address, network, about, onSent, onAbout, onClose }: OtherProps) {
  if (!network) return null
  const sent = (message: Message) => {
    onSent(message)
    onAbout(undefined)
  }
  const common = { instance, to: address, ...(about ? { reply_to: about.message.id } : {}) }
  return h(ContentDialog, { kind, network, common, onSent: sent, onClose })
}

/** Returns a function that sends what was entered, or edits a message. The same content has the same idempotency key. */
function useDelivery({ instance, address, about, onSent, onChanged }: ReplyProps) {
  const keys = useIdempotencyKeys()
  return async (text: string, chosen: Chosen | undefined, mentions: readonly string[]) => {
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
        mentions,
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
  readonly field: Ref<HTMLTextAreaElement>
  readonly address: string
  readonly text: string
  readonly mentions: ReturnType<typeof useMentions>
  readonly onChange: (text: string) => void
  readonly onSend: () => void
}

function Words({ field, address, text, mentions, onChange, onSend }: WordsProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (mentions.onKeyDown(event) || event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    onSend()
  }
  return h(
    'div',
    { class: 'reply-words' },
    mentions.offered,
    h('textarea', {
      ref: field,
      id: 'reply',
      value: text,
      rows: 2,
      'aria-label': say('conversations.write', { name: address }),
      title: say('conversations.enter_sends'),
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
