import { h } from 'preact'
import type { Network } from '../../core/operations.ts'
import { Icon, type IconName } from '../../parts/icon.ts'
import { say } from '../../words/say.ts'
import { fieldName, networkIntro, networkWords } from '../../words/server-texts.ts'

interface CardsProps {
  readonly networks: readonly Network[]
  /** The name of the network that is chosen. */
  readonly chosen: string
  readonly fault: unknown
  readonly onChoose: (network: string) => void
}

/** The networks as radio buttons, each with what it is, what it needs and what it can. */
export function NetworkCards({ networks, chosen, fault, onChoose }: CardsProps) {
  return h(
    'fieldset',
    { class: 'networks' },
    h('legend', null, say('everywhere.network')),
    h(
      'div',
      { class: 'network-cards' },
      networks.map((network) =>
        h(NetworkCard, {
          key: network.network,
          network,
          isChosen: network.network === chosen,
          onChoose: () => onChoose(network.network),
        }),
      ),
    ),
    fault !== undefined && h('p', { class: 'fault', role: 'alert' }, String(fault)),
  )
}

interface CardProps {
  readonly network: Network
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function NetworkCard({ network, isChosen, onChoose }: CardProps) {
  const { network: name, title } = network
  const id = `network-${name}`
  return h(
    'label',
    { class: 'network-card' },
    h('input', {
      type: 'radio',
      name: 'network',
      value: name,
      checked: isChosen,
      onChange: onChoose,
      'aria-labelledby': id,
      'aria-describedby': `${id}-what`,
    }),
    h('span', { class: 'glyph' }, h(Icon, { name: glyphOf(network) })),
    h(
      'span',
      { class: 'network-words' },
      h('strong', { id }, title),
      h(
        'span',
        { id: `${id}-what` },
        h('span', { class: 'small' }, networkWords(name)?.card.what ?? introOf(network)),
        h('span', { class: 'needs' }, needsOf(network)),
        h('span', { class: 'small can' }, skillsOf(network).join(' · ')),
      ),
    ),
    h('span', { class: 'chosen' }, isChosen && h(Icon, { name: 'chosen' })),
  )
}

/** The risk of using a network, where it has one of its own. */
export function Caution({ network }: { readonly network: Network }) {
  const caution = networkWords(network.network)?.card.caution
  return caution === undefined
    ? null
    : h('p', { class: 'note', role: 'note' }, h(Icon, { name: 'info' }), caution)
}

function introOf({ network, description }: Network): string {
  return networkIntro(network) ?? description.split('\n\n')[0] ?? ''
}

/** A neutral picture of the way in which a network is used; the marks of networks have rules of their own. */
export function glyphOf({ for_trying, abilities }: Network): IconName {
  if (for_trying) return 'flask'
  if (abilities.links.length > 0) return 'phone'
  if (abilities.recipients === 'those_who_wrote') return 'bot'
  return abilities.callbacks ? 'cloud' : 'at'
}

/** The schema of a network's credentials or settings, as much of it as is read here. */
interface Required {
  readonly required?: readonly string[]
}

/** Returns what a person must have at hand to use a network, in a few words. */
function needsOf({ network, for_trying, abilities, credentials }: Network): string {
  if (for_trying) return say('instance_form.needs_nothing')
  if (abilities.links.length > 0) return say('instance_form.needs_scan')
  const [secret] = (credentials as Required).required ?? []
  return secret === undefined ? say('instance_form.needs_account') : fieldName(network, secret)
}

/** Returns what one may choose a network for. */
function skillsOf({ abilities }: Network): string[] {
  const { receipts, groups, sends, templates } = abilities
  return [
    receipts.includes('read') && say('instance_form.can_read'),
    groups.length > 0 && say('instance_form.can_groups'),
    sends.includes('buttons') && say('instance_form.can_buttons'),
    sends.includes('poll') && say('instance_form.can_polls'),
    templates && say('instance_form.can_templates'),
  ].filter((skill) => skill !== false)
}
