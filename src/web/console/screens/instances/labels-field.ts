import { h } from 'preact'
import { Button } from '../../parts/button.ts'
import type { Faults } from '../../parts/failure.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { Icon } from '../../parts/icon.ts'
import { say } from '../../words/say.ts'

/** A label as it is entered. */
export interface LabelDraft {
  readonly name: string
  readonly value: string
}

/** Labels that an instance can have at most. */
const maxLabels = 20

interface LabelsProps {
  readonly labels: readonly LabelDraft[]
  readonly onChange: (labels: readonly LabelDraft[]) => void
  readonly faults: Faults
}

/** The labels of an instance, any number of names with values. */
export function LabelsField({ labels, onChange, faults }: LabelsProps) {
  const change = (at: number, label: LabelDraft) =>
    onChange(labels.map((each, index) => (index === at ? label : each)))
  return h(
    'fieldset',
    null,
    h('legend', null, say('instance_form.labels')),
    h('p', { class: 'hint' }, say('instance_form.labels_hint')),
    faults.has('/metadata') && h('p', { class: 'fault', role: 'alert' }, faults.get('/metadata')),
    labels.map((label, index) =>
      h(
        'div',
        // Labels have no name of their own until one is entered, so their place stands for them.
        { class: 'label-row', key: index },
        h(TextField, {
          label: say('instance_form.label_name'),
          value: label.name,
          maxLength: 64,
          onChange: (name) => change(index, { ...label, name }),
        }),
        h(TextField, {
          label: say('instance_form.label_value'),
          value: label.value,
          maxLength: 500,
          fault: faults.get(`/metadata/${label.name}`),
          onChange: (value) => change(index, { ...label, value }),
        }),
        h(
          Button,
          {
            look: 'quiet',
            label: say('instance_form.remove_label'),
            onClick: () => onChange(labels.filter((_, other) => other !== index)),
          },
          h(Icon, { name: 'close' }),
        ),
      ),
    ),
    labels.length < maxLabels &&
      h(
        Button,
        { onClick: () => onChange([...labels, { name: '', value: '' }]) },
        say('instance_form.add_label'),
      ),
  )
}

/** The labels as the contract has them; undefined if there are none. */
export function metadataOf(labels: readonly LabelDraft[]): Readonly<Record<string, string>> | undefined {
  const named = labels.filter(({ name }) => name.trim() !== '')
  return named.length === 0
    ? undefined
    : Object.fromEntries(named.map(({ name, value }) => [name.trim(), value]))
}
