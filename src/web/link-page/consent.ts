import { h } from 'preact'
import { Sign } from './icon.ts'
import { Press } from './press.ts'
import type { Shown, Visit } from './visit.ts'
import { say } from './words.ts'

interface ViewProps {
  readonly view: NonNullable<Shown['view']>
  readonly shown: Shown
}

/** The business that asks: the name that it gave, as nothing but a text, and its picture, as nothing but an image. */
export function Business({ view, shown }: ViewProps) {
  const { title, has_picture: hasPicture } = view
  return (
    title &&
    h(
      'p',
      { class: 'business' },
      hasPicture &&
        h(
          'span',
          { class: 'logo' },
          shown.logo && h('img', { src: shown.logo, alt: say('logo', { name: title }) }),
        ),
      h('span', {}, h('span', { class: 'hint' }, say('asks')), h('strong', { dir: 'auto' }, title)),
    )
  )
}

/** The warning, as long as the page can link anything: it is no use to a person who has scrolled past it, or who came back. */
export function Warning({ network }: { readonly network: string }) {
  return h(
    'div',
    { class: 'warning' },
    h(Sign, { name: 'warn' }),
    h('div', {}, h('strong', {}, say('warning', { network })), h('p', {}, say('only_if_trusted'))),
  )
}

/** Everything that the person must know before they see anything that links their account. */
export function Consent({ view, shown, visit }: ViewProps & { readonly visit: Visit }) {
  return h(
    'div',
    {},
    view.title && h('p', { class: 'hint' }, say(view.has_picture ? 'unchecked_picture' : 'unchecked')),
    h(Press, { shown, look: 'primary', onPress: () => visit.agree() }, say('agree')),
    h('p', { class: 'hint' }, say('otherwise_close')),
  )
}

/** The way out, which says what follows before it is taken. */
export function Decline({ shown, visit }: { readonly shown: Shown; readonly visit: Visit }) {
  return h(
    'details',
    { class: 'decline' },
    h('summary', {}, say('decline')),
    h('p', { class: 'hint' }, say('decline_what')),
    h(Press, { shown, look: 'danger', onPress: () => visit.decline() }, say('decline_sure')),
  )
}
