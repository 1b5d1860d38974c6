import { h } from 'preact'
import { useState } from 'preact/hooks'
import { shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { instanceIn, messageIn, useLive } from '../../core/live.ts'
import { linkTo } from '../../core/router.ts'
import { Failure } from '../../parts/failure.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { Skeleton } from '../../parts/skeleton.ts'
import { say } from '../../words/say.ts'
import { Connection } from './instance-connection.ts'
import { Details } from './instance-details.ts'
import { Orders } from './instance-orders.ts'
import { Templates } from './instance-templates.ts'
import { Linking } from './linking.ts'
import { MarketingWords } from './marketing-words.ts'
import { RecentMessages } from './recent-messages.ts'

/** Milliseconds by which the queue may be behind the messages: each reading of it costs the server something. */
const queueDelay = 1_500

/** Operations behind the buttons of administrators, shown with the other calls. */
const orders = ['startInstance', 'stopInstance', 'restartInstance', 'deleteInstance'] as const

/** One instance: how its connection is and why, and what can be done. */
export function screen({ me, params, query }: ScreenProps) {
  const name = params.name ?? ''
  const request = { params: { name } }
  const { data: read, error, reload, change } = useCall('getInstance', request)
  const networks = useCall('listNetworks')
  // Both at once, so that nothing moves when the second one comes.
  const data = networks.data || networks.error !== undefined ? read : undefined
  const network = networks.data?.data.find((each) => each.network === data?.network)
  const [isGone, setGone] = useState(false)
  const [refusal, setRefusal] = useState<unknown>()
  const readQueue = useSoon(reload, queueDelay)
  useLive((event) => {
    const instance = instanceIn(event)
    if (messageIn(event)?.instance === name) readQueue()
    if (instance?.name !== name) return
    setGone(event.type === 'instance.deleted')
    if (event.type === 'instance.created') reload()
    else change((before) => ({ ...before, ...instance }))
  }, reload)
  const isAdmin = me.key?.role === 'admin'
  return h(
    Screen,
    {
      title: name,
      parent: { title: say('instances.title'), link: linkTo(['instances']) },
      calls: callsOf(name, isAdmin),
      actions:
        data &&
        !isGone &&
        h(Orders, {
          me,
          instance: data,
          network,
          reload,
          onRefused: setRefusal,
          isMending: query.open === 'relink',
        }),
    },
    h(Failure, { error, onRetry: reload }),
    h(Failure, { error: refusal }),
    !data && error === undefined && h(Skeleton, { rows: 8 }),
    isGone && h('p', { class: 'warning', role: 'status' }, say('instances.is_gone', { name })),
    data && !isGone && network && h(Linking, { instance: data, network, isAdmin, reload }),
    data && !isGone && h(Connection, { instance: data, title: network?.title }),
    data &&
      h(
        RecentMessages,
        { request: newestOf(name), name },
        h(Below, { instance: data, network, isGone, isAdmin, reload }),
      ),
  )
}

const newestOf = (instance: string) => ({ query: { instance, limit: 5 } })

function callsOf(name: string, isAdmin: boolean) {
  const request = { params: { name } }
  return [
    shownCall('getInstance', request),
    shownCall('getInstanceStatus', request),
    shownCall('listMessages', newestOf(name)),
    ...(isAdmin ? orders.map((id) => shownCall(id, request)) : []),
  ]
}

interface BelowProps {
  readonly instance: Parameters<typeof Connection>[0]['instance']
  readonly network: Parameters<typeof Details>[0]['network'] | undefined
  readonly isGone: boolean
  readonly isAdmin: boolean
  readonly reload: () => void
}

/** The sections below the newest messages. */
function Below({ instance, network, isGone, isAdmin, reload }: BelowProps) {
  const { name, status } = instance
  return [
    !isGone && network && h(Details, { instance, network }),
    !isGone && h(MarketingWords, { instance, isAdmin, reload }),
    network?.abilities.templates && h(Templates, { name, isConnected: status === 'connected' }),
  ]
}
