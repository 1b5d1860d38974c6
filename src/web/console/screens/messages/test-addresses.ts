import { h } from 'preact'
import type { Network } from '../../core/operations.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { say } from '../../words/say.ts'
import { testAddressText } from '../../words/server-texts.ts'

interface AddressesProps {
  readonly network: Network
  readonly onChoose: (address: string) => void
}

/** The addresses that a network for trying has, each with what happens there, as its description lists them. */
export function TestAddresses({ network, onChoose }: AddressesProps) {
  const rows = network.description.matchAll(/^\| `([^`|]+@[^`|]+)` \| ([^|]+) \| ([^|]+) \|$/gm)
  const addresses = [...rows].map(([, address = '', happens = '', purpose = '']) => {
    const known = testAddressText(network.network, address)
    return { address, text: known ?? `${purpose} ${happens.replaceAll('`', '')}` }
  })
  if (addresses.length === 0) return h('p', { class: 'hint' }, say('send.for_trying'))
  return h(
    Disclosure,
    { title: say('send.test_addresses'), look: 'group' },
    h('p', { class: 'hint' }, say('send.for_trying')),
    h(
      'ul',
      { class: 'test-addresses' },
      addresses.map(({ address, text }) =>
        h(
          'li',
          { key: address },
          h('button', { type: 'button', onClick: () => onChoose(address) }, address),
          h('span', { class: 'small' }, ` ${text}`),
        ),
      ),
    ),
  )
}
