import { h, type Ref } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import { bytes } from '../../../browser/numbers.ts'
import { contentOf, deliver, emptyDraft } from '../../core/draft.ts'
import { useIdempotencyKeys } from '../../core/idempotency-keys.ts'
import { Button, Submit } from '../../parts/button.ts'
import { Failure } from '../../parts/failure.ts'
import { Icon } from '../../parts/icon.ts'
import { mediaKindOf } from '../../parts/message-file.ts'
import { say } from '../../words/say.ts'

interface ReplyProps {
  readonly instance: string
  readonly address: string
  /** The network lets the account answer no longer. */
  readonly isOver: boolean
  readonly onSent: (message: Message) => void
}

/** The form for an answer: a text, a file, or both. Content that could not be sent stays there. */
export function ReplyBox({ instance, address, isOver, onSent }: ReplyProps) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<File>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const keys = useIdempotencyKeys()
  const send = async () => {
    if (isBusy || (text.trim() === '' && !chosen)) return
    setBusy(true)
    setError(undefined)
    // A text beside a file is its caption.
    const file = chosen && { kind: 'file' as const, file: chosen, mediaKind: mediaKindOf(chosen.type) }
    const draft = {
      ...emptyDraft,
      instance,
      to: address,
      ...(file ? { ...file, caption: text.trim() && text } : { text }),
    }
    try {
      onSent(await deliver(draft, keys.keyFor(contentOf(draft)), () => {}))
      keys.done()
      // Text that was begun meanwhile stays.
      setText((now) => (now.startsWith(text) ? now.slice(text.length) : now))
      setChosen((now) => (now === chosen ? undefined : now))
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
    // A person who went elsewhere meanwhile stays there.
    const at = document.activeElement
    if (at === document.body || form.current?.contains(at)) field.current?.focus()
  }
  const remove = () => {
    setChosen(undefined)
    field.current?.focus()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    send()
  }
  return h(
    'form',
    { ref: form, class: 'reply', onSubmit: submit },
    isOver && h('p', { class: 'warning' }, say('conversations.window_over')),
    h(Failure, { error }),
    chosen && h(Attached, { file: chosen, onRemove: remove }),
    h(
      'div',
      { class: 'reply-line' },
      h(Words, { field, address, text, onChange: setText, onSend: send }),
      h(Attach, { onChoose: setChosen }),
      h(Submit, { isBusy }, say('conversations.send')),
    ),
    h('p', { class: 'hint wide-only' }, say('conversations.enter_sends')),
  )
}

interface WordsProps {
  readonly field: Ref<HTMLTextAreaElement>
  readonly address: string
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onSend: () => void
}

function Words({ field, address, text, onChange, onSend }: WordsProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    onSend()
  }
  return h('textarea', {
    ref: field,
    id: 'reply',
    value: text,
    rows: 2,
    'aria-label': say('conversations.write', { name: address }),
    title: say('conversations.enter_sends'),
    onInput: (event: Event) => onChange((event.currentTarget as HTMLTextAreaElement).value),
    onKeyDown,
  })
}

function Attach({ onChoose }: { readonly onChoose: (file: File | undefined) => void }) {
  const choose = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement
    onChoose(input.files?.[0])
    // The same file may be chosen again after it was removed.
    input.value = ''
  }
  return h(
    'label',
    { class: 'button attach', title: say('conversations.attach') },
    h(Icon, { name: 'file' }),
    h('input', {
      type: 'file',
      class: 'unseen',
      onChange: choose,
      'aria-label': say('conversations.attach'),
    }),
  )
}

function Attached({ file, onRemove }: { readonly file: File; readonly onRemove: () => void }) {
  const label = say('conversations.detach', { name: file.name })
  return h(
    'p',
    { class: 'file' },
    h(Icon, { name: 'file' }),
    file.name,
    ' ',
    h('span', { class: 'small' }, bytes(file.size)),
    h(Button, { look: 'quiet', onClick: onRemove, label }, h(Icon, { name: 'close' })),
  )
}
