import { h } from 'preact'

/** Code between backticks, and links. */
const marked = /(`[^`]+`|\[[^\]]+\]\(https?:\/\/[^\s)]+\))/

/** A text with its code and its links. */
export function Prose({ text }: { readonly text: string }) {
  return h('span', null, text.split(marked).map(shown))
}

function shown(part: string) {
  if (part.length > 2 && part.startsWith('`') && part.endsWith('`')) return h('code', null, part.slice(1, -1))
  const [, words, href] = /^\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)$/.exec(part) ?? []
  return href === undefined ? part : h('a', { href, target: '_blank', rel: 'noreferrer' }, words)
}
