import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { GroupEventData } from '../../../../contract/resources/event.ts'
import type { GroupAbility } from '../../../../contract/statuses.ts'
import { number } from '../../../browser/numbers.ts'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { useNetwork } from '../../core/hooks/use-network.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { useLive } from '../../core/live.ts'
import { fromHere, linkTo } from '../../core/router.ts'
import { Facts } from '../../parts/facts.ts'
import { Failure } from '../../parts/failure.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { Confirm, FormDialog, useSending } from '../../parts/forms/form-dialog.ts'
import { Screen, type ScreenProps, Section } from '../../parts/screen.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { AddMembers } from './add-members.ts'
import type { ShownGroup } from './group-calls.ts'
import { InviteLink } from './invite-link.ts'
import { JoinRequests } from './join-requests.ts'
import { MemberTable } from './member-table.ts'

/** Milliseconds after a change until the network is asked again: changes often come together. */
const rereadDelay = 1_000

/** Things that are done with a group as a whole, each in a dialog. */
type Order = 'rename' | 'describe' | 'leave'

/** A group: who is in it, and what the account can do there. */
export function screen({ me, params }: ScreenProps) {
  const { instance = '', group = '' } = params
  const network = useNetwork(instance)
  const can = (ability: GroupAbility) => network?.abilities.groups.includes(ability) === true
  const may = (ability: GroupAbility) => can(ability) && me.key?.role !== 'read'
  const at = { params: { name: instance, address: group } }
  const { data, error, isLoading, reload } = useCall('getGroup', can('get') ? at : null)
  const account = useCall('getInstance', { params: { name: instance } }).data?.account
  const reread = useSoon(reload, rereadDelay)
  useLive(({ type, data: told }) => {
    if (type !== 'group.changed') return
    const { instance: of, group: changed } = told as GroupEventData
    if (of.name === instance && changed.address === group) reread()
  }, reload)
  const [order, setOrder] = useState<Order>()
  const close = () => setOrder(undefined)
  const button = (which: Order) =>
    may(which) && h('button', { type: 'button', onClick: () => setOrder(which) }, say(`groups.${which}`))
  return h(
    Screen,
    {
      title: data?.subject ?? group,
      parent: { title: say('conversations.title'), link: linkTo(['conversations', instance, group]) },
      calls: [shownCall('getGroup', at)],
      actions: data && [button('rename'), button('describe'), button('leave')],
    },
    h(Failure, { error, onRetry: reload }),
    network && !can('get') && h('p', { class: 'empty' }, say('groups.not_shown')),
    isLoading && !data && h('p', { class: 'loading' }, say('everywhere.loading')),
    data && h(About, { group: data, instance }),
    data?.approval &&
      can('list_requests') &&
      h(JoinRequests, { instance, address: group, mayDecide: may('decide_requests'), onApproved: reload }),
    data &&
      h(MemberTable, {
        ...{ instance, group: data, may },
        own: account?.address,
        hasPictures: network?.abilities.pictures === true,
        onChanged: reload,
      }),
    data && may('add') && h(AddMembers, { instance, address: group, onChanged: reload }),
    data && may('invite_link') && h(InviteLink, { instance, address: group }),
    order === 'rename' &&
      h(Reword, {
        ...{ at, field: 'subject', text: data?.subject ?? '', onClose: close, onDone: reload },
        max: network?.limits.group_subject_length ?? 0,
      }),
    order === 'describe' &&
      h(Reword, {
        ...{ at, field: 'description', text: data?.description ?? '', onClose: close, onDone: reload },
        max: network?.limits.group_description_length ?? 0,
      }),
    order === 'leave' && h(Leave, { at, onClose: close }),
  )
}

/** Asks before the account leaves the group. */
function Leave({ at, onClose }: Pick<RewordProps, 'at' | 'onClose'>) {
  const { name, address } = at.params
  const onConfirm = async () => {
    const goOn = fromHere()
    await call('leaveGroup', at)
    goOn(['conversations', name, address])
  }
  return h(
    Confirm,
    { title: say('groups.leave'), onConfirm, onClose },
    h('p', null, say('groups.leave_what')),
  )
}

interface AboutProps {
  readonly instance: string
  readonly group: ShownGroup
}

function About({ instance, group }: AboutProps) {
  const { address, description, size, role, approval, created_at } = group
  return h(
    Section,
    { title: say('messages.facts'), look: 'panel' },
    description && h('p', { class: 'words' }, description),
    h(Facts, {
      facts: {
        [say('groups.address')]: address,
        [say('everywhere.instance')]: h('a', { href: linkTo(['instances', instance]) }, instance),
        [say('groups.size')]: size === null ? undefined : number(size),
        [say('groups.own_role')]: role === null ? undefined : say(`groups.roles.${role}`),
        [say('groups.joining_title')]:
          approval === null ? undefined : say(`groups.joining.${approval ? 'asked' : 'free'}`),
        [say('groups.created')]: created_at === null ? undefined : h(Time, { at: created_at }),
      },
    }),
  )
}

interface RewordProps {
  readonly at: { readonly params: { readonly name: string; readonly address: string } }
  readonly field: 'subject' | 'description'
  /** The text that the field has now. */
  readonly text: string
  readonly max: number
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Asks for another name or description. */
function Reword({ at, field, text, max, onClose, onDone }: RewordProps) {
  const [entered, setEntered] = useState(text)
  const sending = useSending(async () => {
    await call('updateGroup', { ...at, body: { [field]: entered.trim() } })
    onClose()
    onDone()
  })
  return h(
    FormDialog,
    { title: say(field === 'subject' ? 'groups.rename' : 'groups.describe'), sending, onClose },
    h(TextField, {
      label: say(`groups.${field}`),
      value: entered,
      onChange: setEntered,
      required: field === 'subject',
      isLong: field === 'description',
      ...(max > 0 ? { maxLength: max } : {}),
    }),
  )
}
