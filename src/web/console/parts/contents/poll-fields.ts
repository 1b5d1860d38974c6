import { h } from 'preact'
import { number } from '../../../browser/numbers.ts'
import type { EnteredPoll } from '../../core/contents/poll.ts'
import { say } from '../../words/say.ts'
import { bindTo, CheckField, TextField } from '../forms/fields.ts'
import type { ContentFieldsProps } from './content-props.ts'

/** A question with possible answers. */
export function PollFields({ entered, onChange, faults, network }: ContentFieldsProps<EnteredPoll>) {
  const { poll_options, poll_option_characters, poll_question_characters } = network.limits
  const field = bindTo(entered, onChange, faults)
  return [
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
      onChange: (several) => onChange({ ...entered, several }),
    }),
  ]
}
