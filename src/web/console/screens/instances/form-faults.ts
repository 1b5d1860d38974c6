import { h } from 'preact'
import { Failure } from '../../parts/failure.ts'
import type { Faults } from '../../parts/faults.ts'
import { say } from '../../words/say.ts'

interface FormFailureProps {
  readonly error: unknown
  /** Reasons why values were refused, by their pointers. */
  readonly faults: Faults
  /** Fields beside which the form shows their faults itself. */
  readonly pointers: ReadonlySet<string>
}

/** The failure of the whole form, unless each fault stands at a field. */
export function FormFailure({ error, faults, pointers }: FormFailureProps) {
  if (error === undefined) return null
  if (faults.size === 0 || ![...faults.keys()].every((pointer) => pointers.has(pointer)))
    return h(Failure, { error })
  return h('div', { class: 'failure', role: 'alert' }, h('p', null, say('instance_form.fix_fields')))
}

/** Leads to the first field whose value was refused, once it is drawn. */
export function focusFirstFault(form: HTMLElement | null): void {
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
}
