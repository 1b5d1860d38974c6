import { h } from 'preact'
import { Prose } from './prose.ts'

interface ServerTextProps {
  /** What the code means, in the language of the page. */
  readonly text: string
  /** What the server says, in English. */
  readonly detail: string
}

/** What the server says by a code. Its own words follow in small print if the page has others: they may know more of this case. */
export function ServerText({ text, detail }: ServerTextProps) {
  return text === detail
    ? h(Prose, { text })
    : [h('span', null, text), h('span', { class: 'small original', lang: 'en' }, h(Prose, { text: detail }))]
}
