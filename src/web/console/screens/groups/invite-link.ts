import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { Button } from '../../parts/button.ts'
import { Copyable } from '../../parts/copy.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { tell } from '../../parts/notices.ts'
import { Section } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'

interface InviteProps {
  readonly instance: string
  readonly address: string
}

/** The link by which people join. The network is asked for it only if the person wants it. */
export function InviteLink({ instance, address }: InviteProps) {
  const [url, setUrl] = useState<string>()
  const [isRenewing, setRenewing] = useState(false)
  const ask = async (renew: boolean) => {
    const request = { params: { name: instance, address }, body: renew ? { renew } : {} }
    setUrl((await call('getInviteLink', request)).url)
  }
  return h(
    Section,
    { title: say('groups.invite'), look: 'panel' },
    h('p', { class: 'hint' }, say('groups.invite_what')),
    url !== undefined && h('p', null, h(Copyable, { text: url })),
    h(
      'div',
      { class: 'actions' },
      h(Button, { onClick: () => tell(() => ask(false)) }, say('groups.show_invite')),
      h('button', { type: 'button', onClick: () => setRenewing(true) }, say('groups.renew_invite')),
    ),
    isRenewing &&
      h(
        Confirm,
        { title: say('groups.renew_invite'), onConfirm: () => ask(true), onClose: () => setRenewing(false) },
        h('p', null, say('groups.renew_what')),
      ),
  )
}
