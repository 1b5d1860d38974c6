import { type ComponentChildren, h } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Contact } from '../../../../contract/resources/contact.ts'
import type { Conversation } from '../../../../contract/resources/conversation.ts'
import type { ContactEventData } from '../../../../contract/resources/event.ts'
import type { Message } from '../../../../contract/resources/message.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { useLive } from '../../core/live.ts'
import type { Network } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { Avatar } from '../../parts/avatar.ts'
import { Icon } from '../../parts/icon.ts'
import type { NameOf } from '../../parts/message/mentioned.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { PersonOrders } from './forget-person.ts'
import { noteForgotten } from './list/forgotten.ts'
import { Writing } from './writing.ts'

interface HeaderProps {
  readonly instance: string
  readonly address: string
  /** The conversation as the list has it, if it does. */
  readonly conversation: Conversation | null | undefined
  readonly network: Network | undefined
  readonly isGroup: boolean
  /** The key may have a person forgotten. */
  readonly mayForget: boolean
  /** The newest first. */
  readonly items: readonly Message[]
  readonly nameOf: NameOf
  /** The link back to the list. */
  readonly back: string
  readonly callsButton: ComponentChildren
  /** Told the name of the group, if the network had to be asked for it. */
  readonly onSubject: (subject: string) => void
}

/** The person or the group above the messages: the picture, the address, and what they are doing or want. */
export function ThreadHeader(props: HeaderProps) {
  const { instance, address, conversation, network, isGroup, items, nameOf, back, callsButton } = props
  const name = conversation?.name ?? conversation?.username ?? null
  useSubject(props)
  const contact = useContact(instance, address, !isGroup && isKnown(items))
  const title = say('conversations.title')
  return h(
    'header',
    { class: 'thread-header' },
    h('a', { class: 'button quiet back', href: back, 'aria-label': title, title }, h(Icon, { name: 'back' })),
    h(Avatar, { instance, address, name, isGroup, hasPicture: network?.abilities.pictures === true }),
    h(
      'div',
      null,
      h('h1', { id: 'title', dir: 'auto' }, name ?? address),
      h(
        'p',
        { class: 'small' },
        name !== null && `${address} · `,
        h('a', { href: linkTo(['instances', instance]) }, instance),
        network && ` · ${network.title}`,
      ),
      h(Writing, {
        ...{ instance, address, isGroup, nameOf },
        aliases: conversation?.aliases ?? [],
      }),
      contact?.marketing === 'opted_out' && h(OptedOut, { since: contact.marketing_changed_at }),
    ),
    isGroup && network?.abilities.groups.includes('get') && h(GroupLink, { instance, address }),
    !isGroup &&
      props.mayForget &&
      h(PersonOrders, {
        ...{ instance, address, name: name ?? address },
        onForgotten: () => noteForgotten({ instance, address }, conversation, items[0]),
      }),
    callsButton,
  )
}

function GroupLink({ instance, address }: Pick<HeaderProps, 'instance' | 'address'>) {
  const words = say('groups.open')
  return h(
    'a',
    { class: 'button quiet', href: linkTo(['groups', instance, address]), title: words },
    h(Icon, { name: 'people' }),
    h('span', null, words),
  )
}

/** Says that the person wants no marketing. */
function OptedOut({ since }: { readonly since: string | null }) {
  return h(
    'p',
    { class: 'badge attention', title: say('conversations.opted_out_what') },
    say('conversations.opted_out'),
    since !== null && h(Time, { at: since }),
  )
}

/** Asks the network for the name of a group that is not known yet. */
function useSubject({ instance, address, conversation, network, isGroup, onSubject }: HeaderProps): void {
  const isNeeded =
    isGroup && conversation?.name === null && network?.abilities.groups.includes('get') === true
  const { data } = useCall('getGroup', isNeeded ? { params: { name: instance, address } } : null)
  const subject = data?.subject
  useEffect(() => {
    if (subject) onSubject(subject)
  }, [subject])
}

/** Reads what the server knows of a person, and hears of their choices. */
function useContact(instance: string, address: string, isAsked: boolean): Contact | undefined {
  const { data, change } = useCall('getContact', isAsked ? { params: { name: instance, address } } : null)
  useLive(({ type, data: told }) => {
    if (type !== 'contact.opted_out' && type !== 'contact.opted_in') return
    const { instance: of, contact, at } = told as ContactEventData
    const addresses = [contact.address, ...contact.aliases]
    if (of.name !== instance || !addresses.includes(address)) return
    const marketing = type === 'contact.opted_out' ? 'opted_out' : 'opted_in'
    change((known) => ({ ...known, marketing, marketing_changed_at: at }))
  })
  return data
}

/** Returns true if the person wrote, so that the server has a contact of them, which was not forgotten. */
function isKnown(items: readonly Message[]): boolean {
  return items.some(
    ({ direction, from, conversation, forgotten }) =>
      direction === 'inbound' && from === conversation && forgotten !== true,
  )
}
