import { h } from 'preact'
import { useState } from 'preact/hooks'
import { number } from '../../../../browser/numbers.ts'
import type { Network } from '../../../core/operations.ts'
import { bindTo, ChoiceField, TextField } from '../../../parts/forms/fields.ts'
import { say } from '../../../words/say.ts'
import { ContentDialog, type ContentFormProps, linesIn, useContent } from './content-dialog.ts'

const ways = ['buttons', 'list', 'url_button'] as const
type Way = (typeof ways)[number]

/** The ways in which an account of a network can ask. */
export function waysToAsk({ abilities: { sends } }: Network): readonly Way[] {
  return ways.filter((way) => sends.includes(way))
}

interface Entered {
  readonly way: Way
  readonly body: string
  readonly header: string
  readonly footer: string
  /** One button, or row, on each line. */
  readonly choices: string
  /** The words on the button that opens the list, or a page. */
  readonly button: string
  readonly url: string
}

const empty = { body: '', header: '', footer: '', choices: '', button: '', url: '' }

/** A text with buttons, a list or a link to choose from. */
export function QuestionForm(props: ContentFormProps) {
  const { network, common, onClose } = props
  const possible = waysToAsk(network)
  const [entered, setEntered] = useState<Entered>({ ...empty, way: possible[0] ?? 'buttons' })
  const body = () => ({ ...common, ...contentOf(entered) })
  const { sending, faults } = useContent('sendInteractiveMessage', body, props)
  const field = bindTo(entered, setEntered, faults)
  const { sends } = network.abilities
  const { interactive } = network.limits
  return h(
    ContentDialog,
    { title: say('message.kinds.interactive'), sending, onClose },
    possible.length > 1 &&
      h(ChoiceField<Way>, {
        ...field('way'),
        label: say('send.contents.way'),
        values: possible,
        nameOf: (way) => say(`send.contents.ways.${way}`),
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
    h(Choices, { entered, field, interactive }),
    sends.includes('interactive_footer') &&
      h(TextField, { ...field('footer'), label: say('send.contents.footer'), maxLength: 60 }),
  )
}

interface ChoicesProps {
  readonly entered: Entered
  readonly field: ReturnType<typeof bindTo<Entered>>
  readonly interactive: Network['limits']['interactive']
}

/** The fields of the way that was chosen. */
function Choices({ entered: { way }, field, interactive }: ChoicesProps) {
  const isList = way === 'list'
  const lines = isList ? interactive.list_rows : interactive.buttons
  const characters = isList ? interactive.row_characters : interactive.button_characters
  return [
    way !== 'buttons' &&
      h(TextField, {
        ...field('button', isList ? '/list/button' : '/url_button/title'),
        label: say('send.contents.button_words'),
        maxLength: interactive.button_characters,
        required: true,
      }),
    way === 'url_button' &&
      h(TextField, {
        ...field('url', '/url_button/url'),
        label: say('send.contents.url'),
        type: 'url',
        required: true,
      }),
    way !== 'url_button' &&
      h(TextField, {
        ...field('choices', isList ? '/list/sections' : '/buttons'),
        label: say(isList ? 'send.contents.rows' : 'send.contents.buttons'),
        hint: say('send.contents.lines_of', { lines: number(lines), characters: number(characters) }),
        isLong: true,
        required: true,
      }),
  ]
}

function contentOf({ way, body, header, footer, choices, button, url }: Entered) {
  const given = linesIn(choices).map((title, index) => ({ id: String(index + 1), title }))
  const choice = {
    buttons: () => ({ buttons: given }),
    list: () => ({ list: { button: button.trim(), sections: [{ rows: given }] } }),
    url_button: () => ({ url_button: { title: button.trim(), url: url.trim() } }),
  }[way]()
  return {
    ...(header.trim() ? { header: header.trim() } : {}),
    body: body.trim(),
    ...(footer.trim() ? { footer: footer.trim() } : {}),
    ...choice,
  }
}
