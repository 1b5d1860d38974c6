import { h } from 'preact'
import { useState } from 'preact/hooks'
import { number } from '../../../../browser/numbers.ts'
import { bindTo, CheckField, TextField } from '../../../parts/forms/fields.ts'
import { say } from '../../../words/say.ts'
import { ContentDialog, type ContentFormProps, linesIn, useContent } from './content-dialog.ts'

/** A question with possible answers. */
export function PollForm(props: ContentFormProps) {
  const [entered, setEntered] = useState({ question: '', options: '', several: false })
  const { poll_options, poll_option_characters, poll_question_characters } = props.network.limits
  const body = () => ({
    ...props.common,
    question: entered.question.trim(),
    options: linesIn(entered.options),
    ...(entered.several ? { multiple_answers: true } : {}),
  })
  const { sending, faults } = useContent('sendPollMessage', body, props)
  const field = bindTo(entered, setEntered, faults)
  return h(
    ContentDialog,
    { title: say('message.kinds.poll'), sending, onClose: props.onClose },
    h(TextField, {
      ...field('question'),
      label: say('send.contents.question'),
      maxLength: poll_question_characters,
      required: true,
    }),
    h(TextField, {
      ...field('options'),
      label: say('send.contents.poll_options'),
      hint: say('send.contents.lines_of', {
        lines: number(poll_options),
        characters: number(poll_option_characters),
      }),
      isLong: true,
      required: true,
    }),
    h(CheckField, {
      label: say('send.contents.several'),
      checked: entered.several,
      onChange: (several) => setEntered({ ...entered, several }),
    }),
  )
}
