import { h } from 'preact'
import type { GroupEventData } from '../../../../contract/resources/event.ts'
import type { JoinDecision } from '../../../../contract/statuses.ts'
import { type ItemOf, usePages } from '../../core/hooks/use-pages.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { useLive } from '../../core/live.ts'
import { Button } from '../../parts/button.ts'
import { notify, tell } from '../../parts/notices.ts'
import { Section } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Age } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { decideRequest } from './group-calls.ts'

type JoinRequest = ItemOf<'listJoinRequests'>

/** Milliseconds after a change until the network is asked again: changes often come together. */
const rereadDelay = 1_000

interface RequestsProps {
  readonly instance: string
  readonly address: string
  readonly mayDecide: boolean
  /** Told that a person was let in. */
  readonly onApproved: () => void
}

/** The people who ask to join a group, each with what can be answered. */
export function JoinRequests(props: RequestsProps) {
  const { instance, address, mayDecide } = props
  const pages = usePages('listJoinRequests', { params: { name: instance, address } })
  const reread = useSoon(pages.reload, rereadDelay)
  useLive(({ type, data }) => {
    if (type !== 'group.changed') return
    const { instance: of, group } = data as GroupEventData
    if (of.name === instance && group.address === address) reread()
  }, pages.reload)
  return h(
    Section,
    { id: 'requests', title: say('groups.requests') },
    pages.items.length > 0 &&
      h(Table<JoinRequest>, {
        caption: say('groups.requests'),
        items: pages.items,
        keyOf: (request) => request.address,
        columns: [
          { title: say('groups.person'), cell: Person },
          {
            title: say('groups.asked'),
            cell: ({ asked_at }) => asked_at && h(Age, { at: asked_at }),
            isShort: true,
            onPhone: 'beside',
          },
          ...(mayDecide
            ? [
                {
                  title: say('groups.change'),
                  onPhone: 'end' as const,
                  cell: (request: JoinRequest) =>
                    h(Decisions, { ...props, person: request.address, onDecided: pages.reload }),
                },
              ]
            : []),
        ],
      }),
    h(ListEnd, { ...pages, empty: h('p', null, say('groups.no_requests')) }),
  )
}

function Person({ address, name }: JoinRequest) {
  return h('span', null, name ?? address, name !== null && h('span', { class: 'small' }, ' ', address))
}

interface DecisionsProps extends RequestsProps {
  readonly person: string
  readonly onDecided: () => void
}

function Decisions({ instance, address, person, onApproved, onDecided }: DecisionsProps) {
  const decide = (action: JoinDecision) => () =>
    tell(async () => {
      const [failed] = await decideRequest({ instance, address, action, members: [person] })
      if (failed !== undefined) notify(failed)
      else if (action === 'approve') onApproved()
      onDecided()
    })
  return h('div', { class: 'actions' }, [
    h(Button, { key: 'approve', onClick: decide('approve') }, say('groups.approve')),
    h(Button, { key: 'decline', onClick: decide('decline') }, say('groups.decline')),
  ])
}
