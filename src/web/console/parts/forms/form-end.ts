import { h } from 'preact'
import { curlOf, type ShownCall } from '../../core/curl.ts'
import { say } from '../../words/say.ts'
import { CodeBlock } from '../copy.ts'
import { Disclosure } from '../disclosure.ts'
import { Failure } from '../failure.ts'

interface FormEndProps {
  /** Text of the button that sends the form. */
  readonly action: string
  /** The call that it makes. */
  readonly shown: ShownCall
  /** The reason why the server refused it. */
  readonly error: unknown
  readonly onClose: () => void
}

/** The end of a form in a dialog: why it was refused, the call behind it, and its buttons. */
export function FormEnd({ action, shown, error, onClose }: FormEndProps) {
  return [
    error !== undefined && h(Failure, { error }),
    h(
      Disclosure,
      { title: say('everywhere.call_behind') },
      h(CodeBlock, { text: curlOf(shown), label: shown.id }),
    ),
    h(
      'footer',
      null,
      h('button', { type: 'button', onClick: onClose }, say('everywhere.cancel')),
      h('button', { type: 'submit', class: 'primary' }, action),
    ),
  ]
}
