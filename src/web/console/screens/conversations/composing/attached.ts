import { h } from 'preact'
import type { MediaKind } from '../../../../../contract/resources/message.ts'
import { bytes } from '../../../../browser/numbers.ts'
import type { Network } from '../../../core/operations.ts'
import { Button } from '../../../parts/button.ts'
import { Icon } from '../../../parts/icon.ts'
import { mediaKindsOf } from '../../../parts/message/message-file.ts'
import { say } from '../../../words/say.ts'

/** A file that was chosen, and how it is to be shown. */
export interface Chosen {
  readonly file: File
  readonly kind: MediaKind
}

/** Returns the ways in which a file can be sent, the best first. */
function kindsOf(file: File, network: Network | undefined): readonly MediaKind[] {
  return mediaKindsOf(file.type, network?.limits.media_bytes)
}

interface AttachProps {
  readonly network: Network | undefined
  readonly onChoose: (chosen: Chosen | undefined) => void
}

export function Attach({ network, onChoose }: AttachProps) {
  const choose = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement
    const file = input.files?.[0]
    onChoose(file && { file, kind: kindsOf(file, network)[0] ?? 'document' })
    // The same file may be chosen again after it was removed.
    input.value = ''
  }
  return h(
    'label',
    { class: 'button quiet attach', title: say('conversations.attach') },
    h(Icon, { name: 'attach' }),
    h('input', {
      type: 'file',
      class: 'unseen',
      onChange: choose,
      'aria-label': say('conversations.attach'),
    }),
  )
}

interface AttachedProps {
  readonly chosen: Chosen
  readonly network: Network | undefined
  readonly onKind: (kind: MediaKind) => void
  readonly onRemove: () => void
}

/** The file that will be sent. If it can be shown in several ways, one is chosen here. */
export function Attached({ chosen: { file, kind }, network, onKind, onRemove }: AttachedProps) {
  const label = say('conversations.detach', { name: file.name })
  const kinds = kindsOf(file, network)
  const change = (event: Event) => onKind((event.currentTarget as HTMLSelectElement).value as MediaKind)
  return h(
    'p',
    { class: 'file' },
    h(Icon, { name: 'file' }),
    file.name,
    ' ',
    h('span', { class: 'small' }, bytes(file.size)),
    kinds.length > 1 &&
      h(
        'select',
        { value: kind, onChange: change, 'aria-label': say('send.shown_as') },
        kinds.map((each) =>
          h('option', { key: each, value: each, selected: each === kind }, say(`message.kinds.${each}`)),
        ),
      ),
    h(Button, { look: 'quiet', onClick: onRemove, label }, h(Icon, { name: 'close' })),
  )
}
