import { type ComponentChildren, h } from 'preact'

/** Named values, one below the other. Values that are undefined are left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChildren>> }) {
  return h(
    'dl',
    { class: 'facts' },
    Object.entries(facts)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => h('div', { key: name }, h('dt', null, name), h('dd', null, value))),
  )
}
