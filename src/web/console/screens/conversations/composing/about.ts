import { h } from 'preact'
import type { Message } from '../../../../../contract/resources/message.ts'
import { Button } from '../../../parts/button.ts'
import { Icon } from '../../../parts/icon.ts'
import { excerptOf } from '../../../parts/message/message-content.ts'
import { say } from '../../../words/say.ts'

/** The message that the person replies to, or edits. */
export interface About {
  readonly kind: 'reply' | 'edit'
  readonly message: Message
}

interface AboutProps {
  readonly about: About
  readonly onLeave: () => void
}

/** Says above the field what will be replied to, or edited. */
export function AboutLine({ about: { kind, message }, onLeave }: AboutProps) {
  const title = say(kind === 'reply' ? 'message.relations.reply' : 'conversations.editing')
  return h(
    'p',
    { class: 'refers small about' },
    h('span', { class: 'excerpt' }, `${title}: `, h('q', { dir: 'auto' }, excerptOf(message))),
    h(
      Button,
      { look: 'quiet', onClick: onLeave, label: say('everywhere.cancel') },
      h(Icon, { name: 'close' }),
    ),
  )
}
