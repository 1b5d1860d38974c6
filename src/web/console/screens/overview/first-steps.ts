import { h } from 'preact'
import { curlOf, shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { isUnlimitedAdmin, type Me } from '../../core/me.ts'
import { linkTo } from '../../core/router.ts'
import { CodeBlock } from '../../parts/copy.ts'
import { Section } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'

/** First steps, for an owner of a key who has no instance yet. */
export function FirstSteps({ me }: { readonly me: Me }) {
  const isAdmin = isUnlimitedAdmin(me)
  const { data } = useCall('listNetworks')
  const network = data?.data.find(({ for_trying }) => for_trying)
  const trial = network && { name: 'trial', network: network.network }
  return h(
    Section,
    { id: 'first-steps', title: say('overview.first_steps'), look: 'panel' },
    h(
      'ol',
      { class: 'steps' },
      h(
        'li',
        null,
        h('p', null, say('overview.first_create')),
        isAdmin &&
          h(
            'p',
            null,
            h(
              'a',
              { class: 'button primary', href: linkTo(['instances', '~new']) },
              say('overview.go_create'),
            ),
          ),
        network && h('p', { class: 'small' }, say('overview.for_trying', { network: network.title })),
        trial &&
          h(CodeBlock, {
            text: curlOf(shownCall('createInstance', { body: trial })),
            label: 'createInstance',
          }),
      ),
      h(
        'li',
        null,
        h('p', null, say('overview.first_send')),
        h('p', null, h('a', { class: 'button', href: linkTo(['send']) }, say('overview.go_send'))),
      ),
      isAdmin &&
        h(
          'li',
          null,
          h('p', null, say('overview.first_webhook')),
          h('p', null, h('a', { class: 'button', href: linkTo(['webhooks']) }, say('overview.go_webhook'))),
        ),
    ),
  )
}
