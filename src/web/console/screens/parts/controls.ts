import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { Network } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { Button, Submit } from '../../parts/button.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { CheckField, ChoiceField, FileField, TextField } from '../../parts/forms/fields.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { Icon } from '../../parts/icon.ts'
import { Chip } from '../../parts/lists/chip.ts'
import { OptionMenu } from '../../parts/lists/option-menu.ts'
import { OrderItems, OrderMenu } from '../../parts/lists/order-menu.ts'
import { NetworkCards } from '../instances/network-cards.ts'

const nothing = () => {}

export function Buttons() {
  return [
    h(
      'p',
      { class: 'actions' },
      h(Button, { onClick: nothing, look: 'primary' }, 'Primary'),
      h(Button, { onClick: nothing }, 'Plain'),
      h(Button, { onClick: nothing }, h(Icon, { name: 'send' }), 'With an icon'),
      h(Button, { onClick: nothing, look: 'quiet' }, 'Quiet'),
      h(Button, { onClick: nothing, look: 'link' }, 'As a link'),
      h('a', { class: 'button', href: linkTo(['parts']) }, 'A link as a button'),
    ),
    h(
      'p',
      { class: 'actions' },
      h(Submit, { isBusy: false }, 'Send'),
      h(Submit, { isBusy: true }, 'Busy'),
      h(Submit, { isBusy: false, disabled: true }, 'Disabled'),
      h(Submit, { isBusy: false, look: 'danger' }, 'Remove'),
      h(Submit, { isBusy: true, look: 'danger' }, 'Removing'),
      h(Button, { onClick: nothing, disabled: true }, 'Disabled'),
    ),
  ]
}

export function Fields() {
  const field = { value: 'Bakery', onChange: nothing }
  return [
    h(TextField, { ...field, label: 'A text', hint: 'What it is for.' }),
    h(TextField, { ...field, label: 'A required one', required: true, value: '', placeholder: 'An example' }),
    h(TextField, { ...field, label: 'A wrong one', value: 'Bakery Ana', fault: 'Only lower-case letters.' }),
    h(TextField, { ...field, label: 'A secret', type: 'password' }),
    h(TextField, { ...field, label: 'Several lines', isLong: true }),
    h(ChoiceField<string>, { ...field, label: 'A choice', values: ['Bakery', 'Shop'], none: 'Any' }),
    h(ChoiceField<string>, { ...field, label: 'A wrong choice', values: ['Bakery'], fault: 'It is closed.' }),
    h(FileField, { label: 'A file', onChange: nothing }),
    h(CheckField, { label: 'A box that is ticked', checked: true, onChange: nothing }),
    h(CheckField, { label: 'A box that is not', checked: false, onChange: nothing }),
  ]
}

/** As much of a network as its card reads. */
const networkOf = (title: string, links: readonly 'qr'[], for_trying = false) =>
  ({
    network: title.toLowerCase(),
    title,
    for_trying,
    description: 'What it is, in a line or two.',
    abilities: { links, receipts: ['read'], groups: ['list'], sends: ['buttons', 'poll'], templates: true },
    credentials: {},
  }) as unknown as Network

const filterOf = (label: string, said: string | undefined) => ({
  names: [label],
  label,
  said,
  menu: () => null,
  fields: () => null,
})

export function Picks() {
  const [chosen, setChosen] = useState('scanned')
  return [
    h(NetworkCards, {
      networks: [networkOf('Scanned', ['qr']), networkOf('Tried', [], true)],
      chosen,
      fault: undefined,
      onChoose: setChosen,
    }),
    h(
      'p',
      { class: 'actions' },
      h(Chip, { filter: filterOf('Status', undefined), onClear: nothing }),
      h(Chip, { filter: filterOf('Network', 'Scanned'), onClear: nothing }),
    ),
    h(Menu, null),
    h(OrderMenu, { label: 'More', orders: seldom }),
    h('div', { class: 'panel' }, h(OrderItems, { label: 'Orders', orders: seldom, onChoose: nothing })),
    h(Disclosure, { title: 'What is seldom needed' }, h('p', null, 'Hidden')),
    h(Disclosure, { title: 'What is open', isOpen: true, look: 'group' }, h('p', null, 'Shown')),
  ]
}

const seldom = [
  { text: 'Restart', onChoose: nothing },
  { text: 'Groups', href: linkTo(['parts']) },
  { text: 'Remove…', onChoose: nothing, isDanger: true },
]

function Menu() {
  const options = ['Newest first', 'Oldest first'].map((text) => ({ value: text, text }))
  return h(
    'div',
    { class: 'panel' },
    h(OptionMenu, { label: 'Order', value: 'Newest first', options, onChoose: nothing }),
  )
}

export function OpenDialog() {
  return h(
    Confirm,
    { title: 'Remove the bakery', typed: 'bakery', onConfirm: async () => {}, onClose: nothing },
    h('p', null, 'What is lost then, in words.'),
  )
}
