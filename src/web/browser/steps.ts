import { h } from 'preact'
import type { Guide } from '../../locales/network-words.ts'

/** The phone on which the app of a network is: its menus differ. */
export type Phone = keyof Guide['menu']

/** The steps in which a code is used in the app of a network, in the app's own words, and a hint. */
export function stepsTo(guide: Guide, kind: 'qr' | 'code', phone: Phone) {
  const { open, menu, devices, scan, type, notification } = guide
  return kind === 'qr'
    ? { steps: [open, menu.any, devices, scan], hint: undefined }
    : { steps: [open, menu[phone], devices, type], hint: notification }
}

/** Numbered steps of a guide. */
export function Steps({ steps }: { readonly steps: readonly string[] }) {
  return h(
    'ol',
    { class: 'steps' },
    steps.map((text) => h('li', { key: text }, h('span', null, marked(text)))),
  )
}

/** A text in which the names of menus stand between asterisks. */
export function marked(text: string) {
  return text.split('*').map((part, at) => (at % 2 === 1 ? h('strong', {}, part) : part))
}
