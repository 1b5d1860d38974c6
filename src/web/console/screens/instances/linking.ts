import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Answer, Network } from '../../core/operations.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { Section } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { LinkPageButton } from './link-page.ts'
import { LinkStep } from './link-panel.ts'
import { LinkStart } from './link-start.ts'

interface LinkingProps {
  readonly instance: Answer<'getInstance'>
  readonly network: Network
  readonly isAdmin: boolean
  readonly reload: () => void
}

/** Everything about linking the account: how to begin, what to do now, and how it ended. */
export function Linking({ instance, network, isAdmin, reload }: LinkingProps) {
  const { name, status, reason, action } = instance
  const isLinking = status === 'awaiting_link'
  const wasLinking = useRef(isLinking)
  const [isLinked, setLinked] = useState(false)
  useEffect(() => {
    if (wasLinking.current && status === 'connected') setLinked(true)
    if (isLinking) setLinked(false)
    wasLinking.current = isLinking || (wasLinking.current && status !== 'connected')
  }, [status])
  const hasExpired = status === 'stopped' && reason?.code === 'link_expired'
  const kinds = network.abilities.links.filter((kind) => kind === 'qr' || kind === 'code')
  const mayStart = isAdmin && kinds.length > 0 && (isLinking || hasExpired || action === 'relink')
  if (isLinked && status === 'connected')
    return h('section', { class: 'panel good' }, h('p', { role: 'status' }, say('linking.linked')))
  if (!isLinking && !mayStart) return null
  const start = h(LinkStart, { name, kinds, onStarted: reload })
  return h(
    Section,
    { id: 'linking', title: say('linking.title'), look: 'panel' },
    hasExpired && h('p', { role: 'status' }, say('linking.expired')),
    isLinking && h(LinkStep, { name, network: network.title }),
    mayStart && !isLinking && h('p', null, say('linking.begin_what')),
    mayStart &&
      (isLinking ? h(Disclosure, { title: say('linking.other_way'), look: 'group' }, start) : start),
    mayStart && h(LinkPageButton, { name }),
  )
}
