import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { GroupEventData } from '../../../../contract/resources/event.ts'
import type { GroupAbility } from '../../../../contract/statuses.ts'
import { number } from '../../../browser/numbers.ts'
import { shownCall } from '../../core/curl.ts'
import { useNetwork } from '../../core/hooks/use-network.ts'
import { usePages } from '../../core/hooks/use-pages.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { useLive } from '../../core/live.ts'
import type { Answer, Network } from '../../core/operations.ts'
import { goTo, linkTo } from '../../core/router.ts'
import { Avatar } from '../../parts/avatar.ts'
import { InstanceField } from '../../parts/forms/instance-field.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import { CreateGroup } from './create-group.ts'
import { JoinGroup } from './join-group.ts'

type Listed = Answer<'listGroups'>['data'][number]

/** Milliseconds after a change until the network is asked again: changes often come together. */
const rereadDelay = 1_000

/** The groups that the account of an instance is in, and the ways to more of them. */
export function screen({ me, query }: ScreenProps) {
  const instance = query.instance ?? ''
  const network = useNetwork(instance)
  const [order, setOrder] = useState<'create' | 'join'>()
  const [round, setRound] = useState(0)
  const can = (ability: GroupAbility) => network?.abilities.groups.includes(ability) === true
  const may = (ability: GroupAbility) => can(ability) && me.key?.role !== 'read'
  const close = () => setOrder(undefined)
  // The group may have been made although the network did not say so.
  const reread = () => setRound((before) => before + 1)
  return h(
    Screen,
    {
      title: say('groups.title'),
      parent: { title: say('conversations.title'), link: linkTo(['conversations'], { instance }) },
      calls: instance ? [shownCall('listGroups', { params: { name: instance } })] : [],
      actions: [
        may('join') &&
          h('button', { key: 'join', type: 'button', onClick: () => setOrder('join') }, say('groups.join')),
        may('create') &&
          h(
            'button',
            { key: 'create', type: 'button', class: 'primary', onClick: () => setOrder('create') },
            say('groups.create'),
          ),
      ],
    },
    h(
      'div',
      { class: 'filters' },
      h(InstanceField, {
        value: instance,
        onChange: (name) => goTo(['groups'], { instance: name }),
        none: say('groups.choose_instance'),
      }),
    ),
    instance === '' && h('p', { class: 'empty' }, say('groups.choose_what')),
    network && !can('list') && h('p', { class: 'empty' }, say('groups.not_listed')),
    network && can('list') && h(Groups, { key: instance, instance, network, round }),
    order === 'create' && network && h(CreateGroup, { instance, network, onUnknown: reread, onClose: close }),
    order === 'join' && h(JoinGroup, { instance, onUnknown: reread, onClose: close }),
  )
}

interface GroupsProps {
  readonly instance: string
  readonly network: Network
  /** Grows when the network is to be asked again. */
  readonly round: number
}

function Groups({ instance, network, round }: GroupsProps) {
  const pages = usePages('listGroups', { params: { name: instance }, query: { limit: 50 } })
  const reread = useSoon(pages.reload, rereadDelay)
  useEffect(() => {
    if (round > 0) pages.reload()
  }, [round])
  useLive(({ type, data }) => {
    if (type === 'group.changed' && (data as GroupEventData).instance.name === instance) reread()
  }, pages.reload)
  const hasPicture = network.abilities.pictures === true
  return [
    pages.items.length > 0 &&
      h(Table<Listed>, {
        key: 'table',
        caption: say('groups.title'),
        items: pages.items,
        keyOf: ({ address }) => address,
        linkOf: ({ address }) => linkTo(['groups', instance, address]),
        columns: [
          {
            title: say('groups.subject'),
            cell: ({ address, subject }) =>
              h(
                'span',
                { class: 'member' },
                h(Avatar, { instance, address, name: subject, isGroup: true, hasPicture }),
                h(
                  'span',
                  null,
                  subject ?? address,
                  subject !== null && h('span', { class: 'small' }, address),
                ),
              ),
          },
          {
            title: say('groups.size'),
            cell: ({ size }) => (size === null ? '–' : number(size)),
            isNumber: true,
          },
          {
            title: say('groups.own_role'),
            cell: ({ role }) => (role === null ? '–' : say(`groups.roles.${role}`)),
            isShort: true,
            onPhone: 'below',
          },
          {
            title: say('groups.conversation'),
            cell: ({ address }) =>
              h('a', { href: linkTo(['conversations', instance, address]) }, say('groups.open_conversation')),
            isShort: true,
            onPhone: 'end',
          },
        ],
      }),
    h(ListEnd, { key: 'end', ...pages, empty: h('p', null, say('groups.none')) }),
  ]
}
