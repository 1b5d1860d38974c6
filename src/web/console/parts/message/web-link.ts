import { type ComponentChildren, h } from 'preact'

interface WebLinkProps {
  readonly url: string
  readonly children?: ComponentChildren
}

/** A link out of the console, in a tab that learns nothing of it. What is no page of the web is shown, and leads nowhere. */
export function WebLink({ url, children }: WebLinkProps) {
  if (!/^https?:\/\//i.test(url)) return h('span', null, children)
  return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, children)
}
