import { h } from 'preact'
import { RefusedError } from '../../core/api.ts'
import { Failure } from '../../parts/failure.ts'
import { faultsOf as faultsIn } from '../../words/faults.ts'
import { problemText } from '../../words/problems.ts'
import { say } from './form-words.ts'

/** Why the server refused values, by their pointers. */
export function faultsOf(error: unknown): ReadonlyMap<string, string> {
  if (error instanceof RefusedError && error.code === 'instance_name_taken')
    return new Map([['/name', problemText(error.code)?.title ?? error.message]])
  return faultsIn(error)
}

/** What went wrong as a whole, unless each fault stands at a field. */
export function FormFailure({
  error,
  pointers,
}: {
  readonly error: unknown
  /** Where the form shows faults itself. */
  readonly pointers: ReadonlySet<string>
}) {
  if (error === undefined) return null
  const faults = [...faultsOf(error).keys()]
  if (faults.length === 0 || !faults.every((pointer) => pointers.has(pointer))) return h(Failure, { error })
  return h('div', { class: 'failure', role: 'alert' }, h('p', null, say('fix_fields')))
}

/** Leads to the first field whose value was refused, once it is drawn. */
export function focusFirstFault(form: HTMLElement | null): void {
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
}
