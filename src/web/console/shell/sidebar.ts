import { type ComponentChildren, h } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { type LanguageTag, languageName, languages } from '../../../locales/languages.ts'
import { language } from '../../browser/words.ts'
import { signOut } from '../core/api.ts'
import {
  type Appearance,
  appearance,
  appearances,
  setAppearance,
  whenAppearanceChanges,
} from '../core/appearance.ts'
import { useWaiting, type WaitingArea } from '../core/attention.ts'
import { type Density, densities, density, setDensity } from '../core/density.ts'
import { setLanguage } from '../core/language.ts'
import { whenLivenessChanges } from '../core/live.ts'
import type { Me } from '../core/me.ts'
import { contract } from '../core/operations.ts'
import { Known } from '../core/reach/use-reach.ts'
import { linkTo, usePlace } from '../core/router.ts'
import { Badge } from '../parts/badge.ts'
import { ChoiceField } from '../parts/forms/fields.ts'
import { Icon, Mark } from '../parts/icon.ts'
import { tell } from '../parts/notices.ts'
import { say } from '../words/say.ts'
import { type Area, areaOf, areasOf, homeOf } from './areas.ts'
import { openPalette } from './palette.ts'

/** The areas, who is signed in, and the choices about the page itself. On a phone, most areas wait behind a button. */
export function Sidebar({ me }: { readonly me: Me }) {
  const [isOpen, setOpen] = useState(false)
  const { path } = usePlace()
  const here = areaOf(path.length > 0 ? path : homeOf(me))
  const areas = areasOf(me)
  const counts = useWaiting()
  const isKnown = useContext(Known)
  const more = h(
    'li',
    { class: 'more-areas' },
    h(
      'button',
      { type: 'button', 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) },
      h(Icon, { name: 'more' }),
      say('frame.menu'),
    ),
  )
  const entries = areas.map((area) =>
    h(Entry, {
      key: area.path,
      area,
      isHere: area.path === here,
      count: isKnown && isCounted(area.name) ? counts[area.name] : undefined,
      onGo: () => setOpen(false),
    }),
  )
  return h(
    'aside',
    { class: isOpen ? 'sidebar open' : 'sidebar' },
    h('a', { class: 'brand', href: linkTo([]) }, h(Mark, null), h('span', null, 'Posthorn')),
    h(
      'button',
      { type: 'button', class: 'find', onClick: openPalette },
      h(Icon, { name: 'search' }),
      h('span', null, say('frame.find')),
      h('kbd', { 'aria-hidden': true }, 'Ctrl K'),
    ),
    h(
      'nav',
      { 'aria-label': say('frame.menu') },
      h(
        'ul',
        { class: 'areas' },
        entries.slice(0, areasOnPhones),
        areas.length > areasOnPhones && more,
        entries.slice(areasOnPhones),
      ),
    ),
    h(Session, { me }),
  )
}

interface EntryProps {
  readonly area: Area
  readonly isHere: boolean
  /** The number that waits there for a person, as text; undefined if none does, or it is not known. */
  readonly count: string | undefined
  readonly onGo: () => void
}

function Entry({ area: { path, name, icon }, isHere, count, onGo }: EntryProps) {
  return h(
    'li',
    null,
    h(
      'a',
      {
        href: linkTo([path]),
        'aria-current': isHere ? 'page' : undefined,
        title: titleOf(name, count),
        onClick: onGo,
      },
      h(Icon, { name: icon }),
      h('span', null, say(`frame.areas.${name}`)),
      // It stands in the title, too, and must be nothing that is read out as a part of the name.
      count && h('b', { class: 'waiting', 'aria-hidden': true, 'data-count': count }),
    ),
  )
}

const countedAreas: readonly string[] = ['instances', 'conversations', 'webhooks'] satisfies WaitingArea[]
const isCounted = (name: string): name is WaitingArea => countedAreas.includes(name)

/** The name of an area, with what waits there for a person. */
function titleOf(name: Area['name'], count: string | undefined): string {
  const title = say(`frame.areas.${name}`)
  if (!count || !isCounted(name)) return title
  return `${title}: ${say(`frame.waiting.${name}`, { count })}`
}

/** Areas that stand in the bar of a phone. */
const areasOnPhones = 4

const leave = (everywhere: boolean) => tell(() => signOut(everywhere))

function Session({ me }: { readonly me: Me }) {
  const [isLive, setLive] = useState(false)
  useEffect(() => whenLivenessChanges((liveness) => setLive(liveness === 'live')), [])
  const name = me.organization?.name ?? say('frame.operator')
  return h(
    'div',
    { class: 'session' },
    me.key &&
      h(
        'p',
        { class: 'live' },
        isLive
          ? h(Badge, { tone: 'good', text: say('frame.live') })
          : // Of that the page is always sure.
            h(Known.Provider, { value: true }, h(Badge, { tone: 'idle', text: say('frame.not_live') })),
      ),
    h(
      Account,
      { name, hint: me.key?.hint },
      h('strong', null, name),
      me.key && h('span', { class: 'small' }, say(`frame.key_with_role.${me.key.role}`)),
    ),
  )
}

interface AccountProps {
  readonly name: string
  /** The part of the key that may be shown. */
  readonly hint: string | undefined
  readonly children?: ComponentChildren
}

/** Shows who is signed in, with a menu of what concerns them and the page. */
function Account({ name, hint, children }: AccountProps) {
  const place = useRef<HTMLDetailsElement>(null)
  useEffect(() => closeWhenLeft(place.current), [])
  return h(
    'details',
    { class: 'account', ref: place },
    h(
      'summary',
      null,
      h('span', { class: 'unseen' }, say('frame.account')),
      h('span', { class: 'face', 'aria-hidden': true }, initialsOf(name)),
      h('span', { class: 'who' }, children),
      h(Icon, { name: 'choose' }),
    ),
    h('div', { class: 'account-menu' }, h(AccountMenu, { hint })),
  )
}

function AccountMenu({ hint }: Pick<AccountProps, 'hint'>) {
  const [look, setLook] = useState<Appearance>(appearance())
  useEffect(() => whenAppearanceChanges(() => setLook(appearance())), [])
  const [rows, setRows] = useState<Density>(density())
  const chooseRows = (chosen: Density) => {
    setDensity(chosen)
    setRows(chosen)
  }
  return [
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
      onChange: setAppearance,
      values: appearances,
      nameOf: (value) => say(`frame.${value}`),
    }),
    h(ChoiceField<Density>, {
      label: say('frame.density'),
      value: rows,
      onChange: chooseRows,
      values: densities,
      nameOf: (value) => say(`frame.${value}`),
    }),
    h('a', { class: 'button', href: 'docs' }, h(Icon, { name: 'book' }), say('frame.reference')),
    h(
      'button',
      { type: 'button', onClick: () => leave(false) },
      h(Icon, { name: 'leave' }),
      say('frame.sign_out'),
    ),
    h(
      'button',
      { type: 'button', onClick: () => leave(true) },
      h(Icon, { name: 'leave' }),
      say('frame.sign_out_everywhere'),
    ),
    h('p', { class: 'small' }, `Posthorn ${contract.version}`, hint && [' · ', h('code', null, hint)]),
  ]
}

/** The first letters of the first two words of a name. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s._@-]+/).filter(Boolean)
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toLocaleUpperCase(language()) ?? '')
    .join('')
}

/** Closes a menu when Escape is pressed in it, or when something outside of it is pressed or gets the focus. */
function closeWhenLeft(menu: HTMLDetailsElement | null): () => void {
  const leftFor = ({ target }: Event) => {
    if (menu && target instanceof Node && !menu.contains(target)) menu.open = false
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !menu?.open) return
    menu.open = false
    menu.querySelector('summary')?.focus()
  }
  addEventListener('pointerdown', leftFor)
  addEventListener('focusin', leftFor)
  addEventListener('keydown', pressed)
  return () => {
    removeEventListener('pointerdown', leftFor)
    removeEventListener('focusin', leftFor)
    removeEventListener('keydown', pressed)
  }
}
