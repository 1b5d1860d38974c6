import { h } from 'preact'
import { useRef } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import {
  type EnteredChoice,
  type EnteredQuestion,
  type EnteredSection,
  emptyChoice,
  emptySection,
} from '../../core/contents/question.ts'
import type { Network } from '../../core/operations.ts'
import { say } from '../../words/say.ts'
import { Button } from '../button.ts'
import { Disclosure } from '../disclosure.ts'
import type { Faults } from '../failure.ts'
import { TextField } from '../forms/fields.ts'
import { Icon } from '../icon.ts'

/** The most sections that can be entered. */
const maxSections = 10
/** The longest payload, in UTF-16 units. */
const maxPayloadLength = 1000

interface QuestionProps {
  readonly entered: EnteredQuestion
  readonly onChange: (entered: EnteredQuestion) => void
}

interface ChoicesProps extends QuestionProps {
  readonly way: 'buttons' | 'list'
  readonly network: Network
  readonly faults: Faults
}

/** The buttons of a message, or the rows of its list, which may stand in several sections. */
export function ChoicesFields({ entered, onChange, way, network, faults }: ChoicesProps) {
  const place = useRef<HTMLDivElement>(null)
  const { interactive } = network.limits
  const sections = way === 'list' ? entered.sections : [{ title: '', choices: choicesIn(entered) }]
  const change = (next: readonly EnteredSection[]) => onChange({ ...entered, sections: next })
  const count = sections.reduce((sum, { choices }) => sum + choices.length, 0)
  const max = way === 'list' ? interactive.list_rows : interactive.buttons
  // Fields that were just added are drawn a moment later.
  const focus = (at: (found: readonly HTMLElement[]) => HTMLElement | undefined, selector: string) =>
    void setTimeout(() => at([...(place.current?.querySelectorAll<HTMLElement>(selector) ?? [])])?.focus())
  const changeSection = (at: number, section: EnteredSection | undefined) =>
    change(sections.flatMap((each, index) => (index === at ? (section ?? []) : each)))
  const addSection = () => {
    change([...sections, emptySection])
    focus((found) => found.at(-1)?.querySelector('input') ?? undefined, '.section')
  }
  return h(
    'div',
    { ref: place },
    sections.map((section, at) =>
      h(Section, {
        key: at,
        ...{ section, at, way, network, faults },
        before: sections.slice(0, at).reduce((sum, { choices }) => sum + choices.length, 0),
        isOnly: sections.length === 1,
        canAdd: count < max,
        onChange: (next: EnteredSection) => {
          const isMore = next.choices.length > section.choices.length
          changeSection(at, next)
          if (isMore)
            focus((found) => found[at]?.querySelector('.choice:last-of-type input') ?? found[at], '.section')
          else if (next.choices.length < section.choices.length) focus((found) => found[at], '.add')
        },
        onRemove: () => {
          changeSection(at, undefined)
          focus((found) => found[0], '.add')
        },
      }),
    ),
    way === 'list' &&
      sections.length < maxSections &&
      count < max &&
      h(Button, { look: 'quiet', onClick: addSection }, say('send.contents.add_section')),
    h(
      'p',
      { class: 'hint' },
      say('send.contents.choices_of', {
        count: number(max),
        characters: number(way === 'list' ? interactive.row_characters : interactive.button_characters),
      }),
    ),
  )
}

interface SectionProps extends Omit<ChoicesProps, 'entered' | 'onChange'> {
  readonly section: EnteredSection
  readonly at: number
  /** The number of rows in the sections before this one. */
  readonly before: number
  readonly isOnly: boolean
  readonly canAdd: boolean
  readonly onChange: (section: EnteredSection) => void
  readonly onRemove: () => void
}

function Section(props: SectionProps) {
  const { section, at, before, isOnly, canAdd, way, network, faults, onChange, onRemove } = props
  const { choices } = section
  const { row_characters } = network.limits.interactive
  const title = say('send.contents.section', { number: number(at + 1) })
  const changeChoice = (index: number, choice: EnteredChoice | undefined) =>
    onChange({
      ...section,
      choices: choices.flatMap((each, other) => (other === index ? (choice ?? []) : each)),
    })
  const pointer = way === 'list' ? `/list/sections/${at}/rows` : '/buttons'
  return h(
    isOnly ? 'div' : 'fieldset',
    { class: 'section' },
    !isOnly && h('legend', null, title),
    !isOnly &&
      h(
        'div',
        { class: 'choice' },
        h(TextField, {
          label: say('send.contents.heading_of', { name: title }),
          value: section.title,
          maxLength: row_characters,
          fault: faults.get(`/list/sections/${at}/title`),
          required: true,
          onChange: (changed) => onChange({ ...section, title: changed }),
        }),
        h(Remove, { name: title, onRemove }),
      ),
    choices.map((choice, index) =>
      h(Choice, {
        key: index,
        ...{ choice, way, network, faults },
        name: nameOf(way, before + index),
        pointer: `${pointer}/${index}`,
        isRequired: before + index === 0,
        onChange: (changed: EnteredChoice) => changeChoice(index, changed),
        onRemove: choices.length > 1 ? () => changeChoice(index, undefined) : undefined,
      }),
    ),
    canAdd &&
      h(
        'button',
        {
          type: 'button',
          class: 'quiet add',
          onClick: () => onChange({ ...section, choices: [...choices, emptyChoice] }),
        },
        h(Icon, { name: 'plus' }),
        say(way === 'list' ? 'send.contents.add_row' : 'send.contents.add_button'),
      ),
  )
}

interface ChoiceProps extends Pick<ChoicesProps, 'way' | 'network' | 'faults'> {
  readonly choice: EnteredChoice
  readonly name: string
  readonly pointer: string
  readonly isRequired: boolean
  readonly onChange: (choice: EnteredChoice) => void
  readonly onRemove: (() => void) | undefined
}

function Choice(props: ChoiceProps) {
  const { choice, way, network, name, pointer, isRequired, faults, onChange, onRemove } = props
  const { row_characters, button_characters, row_description_characters } = network.limits.interactive
  return h(
    'div',
    { class: 'choice' },
    h(TextField, {
      label: name,
      value: choice.title,
      maxLength: way === 'list' ? row_characters : button_characters,
      required: isRequired,
      fault: faults.get(`${pointer}/title`),
      onChange: (title) => onChange({ ...choice, title }),
    }),
    way === 'list' &&
      row_description_characters > 0 &&
      h(TextField, {
        label: say('send.contents.second_line_of', { name }),
        value: choice.description,
        maxLength: row_description_characters,
        fault: faults.get(`${pointer}/description`),
        onChange: (description) => onChange({ ...choice, description }),
      }),
    onRemove && h(Remove, { name, onRemove }),
  )
}

function Remove({ name, onRemove }: { readonly name: string; readonly onRemove: () => void }) {
  const label = say('conversations.detach', { name })
  return h(Button, { look: 'quiet', onClick: onRemove, label }, h(Icon, { name: 'close' }))
}

/** The texts that come back to a program with the answers, folded: most people need none. */
export function Payloads({ entered, way, onChange }: QuestionProps & Pick<ChoicesProps, 'way'>) {
  const given = entered.sections.flatMap(({ choices }) => choices)
  const change = (at: number, payload: string) => {
    let count = -1
    const withPayload = (choice: EnteredChoice) => {
      count += 1
      return count === at ? { ...choice, payload } : choice
    }
    onChange({
      ...entered,
      sections: entered.sections.map((section) => ({
        ...section,
        choices: section.choices.map(withPayload),
      })),
    })
  }
  return h(
    Disclosure,
    {
      title: say('send.contents.payloads'),
      isOpen: given.some(({ payload }) => payload !== ''),
      look: 'group',
    },
    h('p', { class: 'hint' }, say('send.contents.payloads_hint')),
    given.map(({ payload }, at) =>
      h(TextField, {
        key: at,
        label: say('send.contents.payload_of', { name: nameOf(way, at) }),
        value: payload,
        maxLength: maxPayloadLength,
        onChange: (changed) => change(at, changed),
      }),
    ),
  )
}

function choicesIn({ sections }: EnteredQuestion): readonly EnteredChoice[] {
  return sections.flatMap(({ choices }) => choices)
}

function nameOf(way: ChoicesProps['way'], at: number): string {
  return say(way === 'list' ? 'send.contents.row' : 'send.contents.button_number', { number: number(at + 1) })
}
