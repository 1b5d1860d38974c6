import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { GroupAbility } from '../../../../contract/statuses.ts'
import { Avatar } from '../../parts/avatar.ts'
import { Button } from '../../parts/button.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { notify, tell } from '../../parts/notices.ts'
import { Section } from '../../parts/screen.ts'
import { Table } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import { changeMembers, type ShownGroup } from './group-calls.ts'

type Member = NonNullable<ShownGroup['members']>[number]

interface TableProps {
  readonly instance: string
  readonly group: ShownGroup
  /** The address of the account itself: it is changed elsewhere. */
  readonly own: string | undefined
  /** True if the network shows pictures of people. */
  readonly hasPictures: boolean
  readonly may: (ability: GroupAbility) => boolean
  readonly onChanged: () => void
}

/** The members of a group, each with what can be done. The server has the last word: the account may be no admin. */
export function MemberTable(props: TableProps) {
  const { group, may } = props
  const { members, members_left_out: leftOut } = group
  const [removed, setRemoved] = useState<Member>()
  const canOrder = may('promote') || may('demote') || may('remove')
  return h(
    Section,
    { id: 'members', title: say('groups.members') },
    members === null
      ? h('p', { class: 'empty' }, say('groups.members_hidden'))
      : h(Table<Member>, {
          caption: say('groups.members'),
          items: members,
          keyOf: (member) => member.address,
          columns: [
            { title: say('groups.person'), cell: (member) => h(Person, { ...props, member }) },
            {
              title: say('groups.role'),
              cell: ({ role }) => say(`groups.roles.${role}`),
              isShort: true,
              onPhone: 'beside',
            },
            ...(canOrder
              ? [
                  {
                    title: say('groups.change'),
                    onPhone: 'end' as const,
                    cell: (member: Member) =>
                      h(Orders, { ...props, member, onRemove: () => setRemoved(member) }),
                  },
                ]
              : []),
          ],
        }),
    leftOut > 0 && h('p', { class: 'small' }, say('groups.left_out', { count: leftOut })),
    removed && h(Removal, { ...props, member: removed, onClose: () => setRemoved(undefined) }),
  )
}

interface MemberProps extends TableProps {
  readonly member: Member
}

function Person({ instance, hasPictures, member: { address, name } }: MemberProps) {
  return h(
    'span',
    { class: 'member' },
    h(Avatar, { instance, address, name, isGroup: false, hasPicture: hasPictures }),
    h('span', null, name ?? address, name !== null && h('span', { class: 'small' }, address)),
  )
}

function Orders(props: MemberProps & { readonly onRemove: () => void }) {
  const { instance, group, own, may, member, onRemove, onChanged } = props
  if (member.role === 'owner' || member.address === own) return '–'
  return h('div', { class: 'actions' }, [
    h(RoleButton, { key: 'role', instance, address: group.address, member, may, onChanged }),
    may('remove') && h('button', { key: 'remove', type: 'button', onClick: onRemove }, say('groups.remove')),
  ])
}

/** Asks before a member is removed. */
function Removal(props: MemberProps & { readonly onClose: () => void }) {
  const { instance, group, member, onChanged, onClose } = props
  const onConfirm = async () => {
    const members = [member.address]
    const [failed] = await changeMembers({ instance, address: group.address, action: 'remove', members })
    if (failed !== undefined) notify(failed)
    onChanged()
  }
  const what = h('p', null, say('groups.remove_what', { name: member.name ?? member.address }))
  return h(Confirm, { title: say('groups.remove'), onConfirm, onClose }, what)
}

interface RoleProps extends Pick<TableProps, 'instance' | 'may' | 'onChanged'> {
  readonly address: string
  readonly member: Member
}

/** Makes a member an admin, or no longer one. */
function RoleButton({ instance, address, member, may, onChanged }: RoleProps) {
  const action = member.role === 'admin' ? 'demote' : 'promote'
  if (!may(action)) return null
  const change = () =>
    tell(async () => {
      const [failed] = await changeMembers({ instance, address, action, members: [member.address] })
      if (failed !== undefined) notify(failed)
      onChanged()
    })
  return h(Button, { onClick: change }, say(`groups.${action}`))
}
