import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { Button } from '../../parts/button.ts'
import { Card } from '../../parts/card.ts'
import { Facts } from '../../parts/facts.ts'
import { faultsOf } from '../../parts/failure.ts'
import { namesIn, TextField } from '../../parts/forms/fields.ts'
import { FormDialog, useSending } from '../../parts/forms/form-dialog.ts'
import { say } from '../../words/say.ts'
import type { Organization } from './organization-activity.ts'

interface WordsProps {
  readonly organization: Organization
  readonly onChange: (changed: Organization) => void
}

/** The words by which people stop and start marketing at all instances of an organization, and the way to change them. */
export function WordsCard({ organization, onChange }: WordsProps) {
  const [isChanging, setChanging] = useState(false)
  const { stop_words, start_words } = organization
  const shown = (words: readonly string[] | null) => (words?.length ? words.join(', ') : say('keys.no_words'))
  const change = h(Button, { onClick: () => setChanging(true) }, say('keys.change_words'))
  return h(
    Card,
    { id: 'words', title: say('keys.words'), aside: change },
    h('p', { class: 'hint' }, say('keys.words_hint')),
    h(Facts, {
      facts: { [say('keys.stop_words')]: shown(stop_words), [say('keys.start_words')]: shown(start_words) },
    }),
    isChanging && h(ChangeWords, { organization, onChange, onClose: () => setChanging(false) }),
  )
}

/** An empty field is none. */
const given = (text: string) => {
  const words = namesIn(text)
  return words.length > 0 ? words : null
}

function ChangeWords({ organization, onChange, onClose }: WordsProps & { readonly onClose: () => void }) {
  const [stop, setStop] = useState(organization.stop_words?.join(', ') ?? '')
  const [start, setStart] = useState(organization.start_words?.join(', ') ?? '')
  const params = { organization: organization.name }
  const sending = useSending(async () => {
    const body = { stop_words: given(stop), start_words: given(start) }
    onChange(await call('updateOrganization', { params, body }))
    onClose()
  })
  const faults = faultsOf(sending.error)
  const faultIn = (field: string) => [...faults].find(([pointer]) => pointer.startsWith(`/${field}`))?.[1]
  return h(
    FormDialog,
    { title: say('keys.change_words'), sending, onClose },
    h(TextField, {
      label: say('keys.stop_words'),
      hint: say('keys.words_by_commas'),
      value: stop,
      onChange: setStop,
      fault: faultIn('stop_words'),
    }),
    h(TextField, {
      label: say('keys.start_words'),
      value: start,
      onChange: setStart,
      fault: faultIn('start_words'),
    }),
  )
}
