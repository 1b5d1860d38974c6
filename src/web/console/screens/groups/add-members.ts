import { h } from 'preact'
import { useState } from 'preact/hooks'
import { Submit } from '../../parts/button.ts'
import { FormFailure } from '../../parts/failure.ts'
import { namesIn, TextField } from '../../parts/forms/fields.ts'
import { useSending } from '../../parts/forms/form-dialog.ts'
import { Section } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { changeMembers } from './group-calls.ts'

interface AddProps {
  readonly instance: string
  readonly address: string
  readonly onChanged: () => void
}

/** A form that adds people, and says who could not be added. */
export function AddMembers({ instance, address, onChanged }: AddProps) {
  const [entered, setEntered] = useState('')
  const [failed, setFailed] = useState<readonly string[]>([])
  const sending = useSending(async () => {
    setFailed([])
    setFailed(await changeMembers({ instance, address, action: 'add', members: namesIn(entered) }))
    setEntered('')
    onChanged()
  })
  return h(
    Section,
    { title: say('groups.add'), look: 'panel' },
    h(
      'form',
      sending.form,
      h(TextField, {
        label: say('groups.people'),
        hint: say('send.contents.by_commas'),
        value: entered,
        onChange: setEntered,
        required: true,
      }),
      h(FormFailure, { error: sending.error }),
      failed.length > 0 &&
        h(
          'div',
          { class: 'failure', role: 'alert' },
          failed.map((words) => h('p', { key: words }, words)),
        ),
      h(Submit, { isBusy: sending.isBusy }, say('groups.add')),
    ),
  )
}
