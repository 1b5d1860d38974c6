import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import { useIdempotencyKeys } from '../../core/idempotency-keys.ts'
import type { Network } from '../../core/operations.ts'
import { fromHere } from '../../core/router.ts'
import { faultsOf } from '../../parts/failure.ts'
import { CheckField, namesIn, TextField } from '../../parts/forms/fields.ts'
import { FormDialog, useSending } from '../../parts/forms/form-dialog.ts'
import { say } from '../../words/say.ts'
import { isUnknown } from './group-calls.ts'

interface CreateProps {
  readonly instance: string
  readonly network: Network
  /** The network did not say if the group was made. */
  readonly onUnknown: () => void
  readonly onClose: () => void
}

/** Makes a group. The same group has the same idempotency key, so that a second press makes no second one. */
export function CreateGroup({ instance, network, onUnknown, onClose }: CreateProps) {
  const [subject, setSubject] = useState('')
  const [people, setPeople] = useState('')
  const keys = useIdempotencyKeys()
  const [description, setDescription] = useState('')
  const [approval, setApproval] = useState(false)
  const { group_subject_length: max = 0, group_description_length: maxDescription = 0 } = network.limits
  const request = {
    params: { name: instance },
    body: groupFrom({ subject, description, people, approval }),
  }
  const sending = useSending(async () => {
    const headers = { 'idempotency-key': keys.keyFor(JSON.stringify(request)) }
    const goOn = fromHere()
    try {
      const { address } = await call('createGroup', { ...request, headers })
      onClose()
      goOn(['groups', instance, address])
    } catch (error) {
      if (isUnknown(error)) onUnknown()
      throw error
    }
  }, true)
  const faults = faultsOf(sending.error)
  const peopleFault = [...faults].find(([pointer]) => pointer.startsWith('/members'))?.[1]
  return h(
    FormDialog,
    { title: say('groups.create'), sending, shown: shownCall('createGroup', request), onClose },
    h(TextField, {
      label: say('groups.subject'),
      value: subject,
      onChange: setSubject,
      fault: faults.get('/subject'),
      required: true,
      ...(max > 0 ? { maxLength: max } : {}),
    }),
    maxDescription > 0 &&
      h(TextField, {
        label: say('groups.description'),
        value: description,
        onChange: setDescription,
        fault: faults.get('/description'),
        isLong: true,
        maxLength: maxDescription,
      }),
    h(TextField, {
      label: say('groups.people'),
      hint: say('send.contents.by_commas'),
      value: people,
      onChange: setPeople,
      fault: peopleFault,
    }),
    network.abilities.groups.includes('approval') &&
      h(CheckField, { label: say('groups.joining.asked'), checked: approval, onChange: setApproval }),
    isUnknown(sending.error) && h('p', { class: 'warning' }, say('groups.unknown_made')),
  )
}

interface Entered {
  readonly subject: string
  readonly description: string
  /** Addresses, separated by commas. */
  readonly people: string
  readonly approval: boolean
}

/** The group that was entered. What a network may not know is left out unless it is wanted. */
function groupFrom({ subject, description, people, approval }: Entered) {
  return {
    subject: subject.trim(),
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(approval && { approval }),
    members: namesIn(people),
  }
}
