import { h } from 'preact'
import { Prose } from './prose.ts'

interface ServerTextProps {
  /** Meaning of the code, in the language of the page. */
  readonly text: string
  /** The server's own words, in English. */
  readonly detail: string
}

/**
 * Meaning of a code from the server. The server's own words follow in small print if the page has others: they may know more
 * of this case.
 */
export function ServerText({ text, detail }: ServerTextProps) {
  return text === detail
    ? h(Prose, { text })
    : [h('span', null, text), h('span', { class: 'small original', lang: 'en' }, h(Prose, { text: detail }))]
}
