import { h } from 'preact'
import { type EnteredQuestion, type Way, wayOf, waysToAsk } from '../../core/contents/question.ts'
import { say } from '../../words/say.ts'
import { bindTo, ChoiceField, TextField } from '../forms/fields.ts'
import { ChoicesFields, Payloads } from './choices-fields.ts'
import type { ContentFieldsProps } from './content-props.ts'

/** A text with buttons, a list or a link to choose from. */
export function QuestionFields(props: ContentFieldsProps<EnteredQuestion>) {
  const { entered, onChange, network, faults } = props
  const possible = waysToAsk(network)
  const way = wayOf(entered, network)
  const field = bindTo(entered, onChange, faults)
  const { sends } = network.abilities
  const { interactive } = network.limits
  return [
    possible.length > 1 &&
      h(ChoiceField<Way>, {
        label: say('send.contents.way'),
        value: way,
        onChange: (chosen) => onChange({ ...entered, way: chosen }),
        values: possible,
        nameOf: (each) => say(`send.contents.ways.${each}`),
      }),
    sends.includes('interactive_header') &&
      h(TextField, { ...field('header'), label: say('send.contents.header'), maxLength: 60 }),
    h(TextField, {
      ...field('body'),
      label: say('message.text'),
      maxLength: interactive.body_characters,
      isLong: true,
      required: true,
    }),
    way !== 'buttons' &&
      h(TextField, {
        ...field('button', way === 'list' ? '/list/button' : '/url_button/title'),
        label: say('send.contents.button_words'),
        maxLength: interactive.button_characters,
        required: true,
      }),
    way === 'url_button'
      ? h(TextField, {
          ...field('url', '/url_button/url'),
          label: say('send.contents.url'),
          type: 'url',
          required: true,
        })
      : h(ChoicesFields, { ...props, way }),
    sends.includes('interactive_footer') &&
      h(TextField, { ...field('footer'), label: say('send.contents.footer'), maxLength: 60 }),
    way !== 'url_button' && h(Payloads, { entered, way, onChange }),
  ]
}
