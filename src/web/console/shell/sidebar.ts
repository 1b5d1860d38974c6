import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type LanguageTag, languageName, languages } from '../../../locales/languages.ts'
import { language } from '../../browser/words.ts'
import { signOut } from '../core/api.ts'
import { type Appearance, appearance, appearances, setAppearance } from '../core/appearance.ts'
import { setLanguage } from '../core/language.ts'
import { whenLivenessChanges } from '../core/live.ts'
import type { Me } from '../core/me.ts'
import { contract } from '../core/operations.ts'
import { linkTo, usePlace } from '../core/router.ts'
import { Badge } from '../parts/badge.ts'
import { ChoiceField } from '../parts/forms/fields.ts'
import { Icon } from '../parts/icon.ts'
import { tell } from '../parts/notices.ts'
import { say } from '../words/say.ts'
import { areaOf, areasOf, homeOf } from './areas.ts'

/** The menu, who is signed in, and the choices about the page itself. */
export function Sidebar({ me }: { readonly me: Me }) {
  const [isOpen, setOpen] = useState(false)
  const { path } = usePlace()
  const here = areaOf(path.length > 0 ? path : homeOf(me))
  return h(
    'aside',
    { class: isOpen ? 'sidebar open' : 'sidebar' },
    h(
      'div',
      { class: 'brand' },
      h('a', { href: linkTo([]) }, 'Posthorn'),
      h(
        'button',
        {
          type: 'button',
          class: 'quiet menu',
          'aria-expanded': isOpen,
          onClick: () => setOpen(!isOpen),
          'aria-label': say('frame.menu'),
        },
        h(Icon, { name: 'menu' }),
      ),
    ),
    h(
      'nav',
      { 'aria-label': say('frame.menu'), onClick: () => setOpen(false) },
      h(
        'ul',
        null,
        areasOf(me).map(({ path: area, name }) =>
          h(
            'li',
            { key: area },
            h(
              'a',
              { href: linkTo([area]), 'aria-current': area === here ? 'page' : undefined },
              say(`frame.areas.${name}`),
            ),
          ),
        ),
      ),
    ),
    h(Session, { me }),
  )
}

const leave = (everywhere: boolean) => tell(() => signOut(everywhere))

function Session({ me }: { readonly me: Me }) {
  const [look, setLook] = useState<Appearance>(appearance())
  const [isLive, setLive] = useState(false)
  useEffect(() => whenLivenessChanges((liveness) => setLive(liveness === 'live')), [])
  const choose = (chosen: Appearance) => {
    setAppearance(chosen)
    setLook(chosen)
  }
  return h(
    'div',
    { class: 'session' },
    h('p', null, h('strong', null, me.organization?.name ?? say('frame.operator'))),
    me.key &&
      h(
        'p',
        { class: 'small' },
        say('frame.key_with_role', { role: me.key.role }),
        ' ',
        h('code', null, me.key.hint),
      ),
    me.key &&
      h(
        'p',
        { class: 'small' },
        h(Badge, { tone: isLive ? 'good' : 'idle', text: say(isLive ? 'frame.live' : 'frame.not_live') }),
      ),
    h(ChoiceField<LanguageTag>, {
      label: say('frame.language'),
      value: language(),
      onChange: setLanguage,
      values: languages.map(({ tag }) => tag),
      nameOf: languageName,
    }),
    h(ChoiceField<Appearance>, {
      label: say('frame.appearance'),
      value: look,
      onChange: choose,
      values: appearances,
      nameOf: (value) => say(`frame.${value}`),
    }),
    h('button', { type: 'button', onClick: () => leave(false) }, say('frame.sign_out')),
    h(
      'button',
      { type: 'button', class: 'quiet', onClick: () => leave(true) },
      say('frame.sign_out_everywhere'),
    ),
    h(
      'p',
      { class: 'small' },
      `Posthorn ${contract.version} · `,
      h('a', { href: 'docs' }, say('frame.reference')),
    ),
  )
}
