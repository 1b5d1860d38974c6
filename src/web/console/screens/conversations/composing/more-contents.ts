import { h } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { type ContentKind, contentKindsOf } from '../../../core/contents/contents.ts'
import type { Network } from '../../../core/operations.ts'
import { Icon, type IconName } from '../../../parts/icon.ts'
import { say } from '../../../words/say.ts'

interface MoreProps {
  readonly network: Network | undefined
  readonly onChoose: (kind: ContentKind) => void
}

const icons: Readonly<Record<ContentKind, IconName>> = {
  location: 'place',
  contacts: 'person',
  interactive: 'reply',
  poll: 'chart',
}

/** A choice of what else can be sent than texts and files; nothing if the network has nothing else. */
export function MoreContents({ network, onChoose }: MoreProps) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const kinds = network ? contentKindsOf(network) : []
  if (kinds.length === 0) return null
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const choose = (kind: ContentKind) => () => {
    // The dialog returns the focus to where it came from, which must be there still.
    close()
    onChoose(kind)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    event.stopPropagation()
    close()
  }
  const title = say('conversations.more_contents')
  return h(
    'div',
    { class: 'more-contents', onKeyDown },
    h(
      'button',
      {
        ...{
          ref: button,
          type: 'button',
          class: 'quiet',
          title,
          'aria-label': title,
          'aria-expanded': isOpen,
        },
        onClick: () => setOpen(!isOpen),
      },
      h(Icon, { name: 'plus' }),
    ),
    isOpen &&
      h(
        'div',
        { class: 'choices-of-content' },
        kinds.map((kind) =>
          h(
            'button',
            { key: kind, type: 'button', class: 'quiet', onClick: choose(kind) },
            h(Icon, { name: icons[kind] }),
            say(`message.kinds.${kind}`),
          ),
        ),
      ),
  )
}
