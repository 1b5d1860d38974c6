import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import { fromHere } from '../../core/router.ts'
import { faultsOf } from '../../parts/failure.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { FormDialog, useSending } from '../../parts/forms/form-dialog.ts'
import { say } from '../../words/say.ts'
import { isUnknown } from './group-calls.ts'

interface JoinProps {
  readonly instance: string
  /** The network did not say if the account joined. */
  readonly onUnknown: () => void
  readonly onClose: () => void
}

/** Joins a group by an invitation. */
export function JoinGroup({ instance, onUnknown, onClose }: JoinProps) {
  const [invitation, setInvitation] = useState('')
  const request = { params: { name: instance }, body: { invitation: invitation.trim() } }
  const sending = useSending(async () => {
    const goOn = fromHere()
    try {
      const { address } = await call('joinGroup', request)
      onClose()
      goOn(['groups', instance, address])
    } catch (error) {
      if (isUnknown(error)) onUnknown()
      throw error
    }
  }, true)
  return h(
    FormDialog,
    { title: say('groups.join'), sending, shown: shownCall('joinGroup', request), onClose },
    h(TextField, {
      label: say('groups.invitation'),
      hint: say('groups.invitation_what'),
      value: invitation,
      onChange: setInvitation,
      fault: faultsOf(sending.error).get('/invitation'),
      required: true,
    }),
    isUnknown(sending.error) && h('p', { class: 'warning' }, say('groups.unknown_joined')),
  )
}
