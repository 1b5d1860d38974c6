import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Answer, Network } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { Section } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { LinkPageButton } from './link-page.ts'
import { LinkStep } from './link-panel.ts'
import { LinkStart, OtherWay } from './link-start.ts'
import { mayLinkAgain, whyNotLinked } from './possible-orders.ts'

interface LinkingProps {
  readonly instance: Answer<'getInstance'>
  readonly network: Network
  readonly isAdmin: boolean
  readonly reload: () => void
}

/** Everything about linking the account: how to begin, what to do now, and how it ended. */
export function Linking({ instance, network, isAdmin, reload }: LinkingProps) {
  const { name, status } = instance
  const isLinking = status === 'awaiting_link'
  const wasLinking = useRef(isLinking)
  const [isLinked, setLinked] = useState(false)
  useEffect(() => {
    if (wasLinking.current && status === 'connected') setLinked(true)
    if (isLinking) setLinked(false)
    wasLinking.current = isLinking || (wasLinking.current && status !== 'connected')
  }, [status])
  const why = whyNotLinked(instance)
  const kinds = network.abilities.links.filter((kind) => kind === 'qr' || kind === 'code')
  const mayStart = isAdmin && kinds.length > 0 && (isLinking || mayLinkAgain(instance))
  if (isLinked && status === 'connected') return h(Linked, { name })
  if (!isLinking && !mayStart) return null
  const ways = { name, kinds, onStarted: reload }
  const page = mayStart && h(LinkPageButton, { name })
  if (isLinking)
    return h(
      'section',
      { class: 'panel linking-panel', 'aria-labelledby': 'linking' },
      h(LinkStep, {
        name,
        network,
        others: (kind) => mayStart && h('div', { class: 'other-ways' }, h(OtherWay, { ...ways, kind }), page),
      }),
    )
  return h(
    Section,
    { id: 'linking', title: say('linking.title'), look: 'panel' },
    why && h('p', { role: 'status' }, say(why)),
    h('p', null, say('linking.begin_what')),
    h(LinkStart, ways),
    page,
  )
}

/** Ways on from an account that has just been linked. */
function Linked({ name }: { readonly name: string }) {
  return h(
    'section',
    { class: 'panel good' },
    h('div', { role: 'status' }, h('h2', null, say('linking.linked'))),
    h('p', null, say('linking.linked_next')),
    h(
      'p',
      { class: 'actions' },
      h(
        'a',
        { class: 'button primary', href: linkTo(['send'], { instance: name }) },
        say('linking.send_first'),
      ),
      h(
        'a',
        { class: 'button', href: linkTo(['conversations'], { instance: name }) },
        say('linking.see_conversations'),
      ),
    ),
  )
}
