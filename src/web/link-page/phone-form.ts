import { h } from 'preact'
import type { Shown, Visit } from './visit.ts'
import { say } from './words.ts'

interface FormProps {
  readonly shown: Shown
  readonly visit: Visit
  readonly network: string
}

/** Asks for the number of the account, for which the network makes a code. */
export function PhoneForm({ shown, visit, network }: FormProps) {
  const isUnfit = shown.notice === 'phone_unfit'
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    visit.startByCode(String(new FormData(event.currentTarget as HTMLFormElement).get('phone')).trim())
  }
  return h(
    'form',
    { onSubmit: submit },
    h('p', { id: 'why' }, say('why_phone', { network })),
    h('label', { for: 'phone' }, say('phone')),
    h('input', {
      id: 'phone',
      name: 'phone',
      type: 'tel',
      autocomplete: 'tel',
      maxLength: 32,
      placeholder: '+55 11 91234-5678',
      defaultValue: shown.phone,
      required: true,
      'aria-invalid': isUnfit,
      'aria-describedby': 'why',
      ref: focusOnce,
    }),
    h('button', { type: 'submit', class: 'primary', 'aria-disabled': shown.isBusy }, say('get_code')),
  )
}

const focused = new WeakSet<HTMLElement>()

/** Puts the cursor into a field when it appears. */
function focusOnce(field: HTMLElement | null): void {
  if (!field || focused.has(field)) return
  focused.add(field)
  field.focus()
}
