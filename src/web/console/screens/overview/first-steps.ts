import { type ComponentChildren, h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { curlOf, shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { isUnlimitedAdmin, type Me } from '../../core/me.ts'
import { linkTo } from '../../core/router.ts'
import { Card } from '../../parts/card.ts'
import { CodeBlock } from '../../parts/copy.ts'
import { Icon } from '../../parts/icon.ts'
import { say } from '../../words/say.ts'
import type { Instances } from './use-instances.ts'

const oneSent = { query: { direction: 'outbound', limit: 1 } } as const

interface FirstStepsProps {
  readonly me: Me
  readonly instances: Instances
  /** Called once it is known whether the organization is new. */
  readonly onRead: () => void
}

/** The way to a first message that arrives, for an organization that has sent none; it stays until the page is left. */
export function FirstSteps({ me, instances: { all, isRead }, onRead }: FirstStepsProps) {
  const { data, error } = useCall('listMessages', oneSent)
  const [hasArrived, setArrived] = useState(false)
  const isNew = useRef(false)
  isNew.current ||= isRead && data?.data.length === 0
  const isKnown = data !== undefined || error !== undefined
  useEffect(() => {
    if (isKnown) onRead()
  }, [isKnown])
  useLive(
    (event) => {
      const message = messageIn(event)
      if (message?.direction === 'outbound' && hasLeft.has(message.status)) setArrived(true)
    },
    () => {},
  )
  if (!isNew.current) return null
  return h(
    Card,
    { id: 'first-steps', title: say('overview.first_steps') },
    h(
      'ol',
      { class: 'first-steps' },
      h(CreateStep, { me, isDone: all.length > 0 }),
      h(Step, {
        isDone: all.some(({ status }) => status === 'connected'),
        text: say('overview.first_connect'),
      }),
      h(
        Step,
        { isDone: hasArrived, text: say('overview.first_send') },
        h('a', { class: 'button', href: linkTo(['send']) }, say('overview.go_send')),
      ),
    ),
    isUnlimitedAdmin(me) &&
      h(
        'p',
        { class: 'small' },
        say('overview.first_webhook'),
        ' ',
        h('a', { href: linkTo(['webhooks']) }, say('overview.go_webhook')),
      ),
  )
}

const hasLeft: ReadonlySet<string> = new Set(['sent', 'delivered', 'read'])

interface StepProps {
  readonly isDone: boolean
  readonly text: string
  /** Present while the step is not done. */
  readonly children?: ComponentChildren
}

function Step({ isDone, text, children }: StepProps) {
  return h(
    'li',
    { class: isDone ? 'done' : undefined },
    h(
      'p',
      null,
      isDone && [
        h(Icon, { name: 'check' }),
        h('span', { class: 'unseen' }, `${say('overview.step_done')}: `),
      ],
      text,
    ),
    !isDone && children,
  )
}

function CreateStep({ me, isDone }: { readonly me: Me; readonly isDone: boolean }) {
  const { data } = useCall('listNetworks')
  const network = data?.data.find(({ for_trying }) => for_trying)
  const trial = network && { name: 'trial', network: network.network }
  return h(
    Step,
    { isDone, text: say('overview.first_create') },
    isUnlimitedAdmin(me) &&
      h(
        'p',
        null,
        h('a', { class: 'button primary', href: linkTo(['instances', '~new']) }, say('overview.go_create')),
      ),
    network && h('p', { class: 'small' }, say('overview.for_trying', { network: network.title })),
    trial &&
      h(CodeBlock, {
        text: curlOf(shownCall('createInstance', { body: trial })),
        label: 'createInstance',
      }),
  )
}
