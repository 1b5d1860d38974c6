import { h } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from '../../browser/copy.ts'
import { say } from '../words/say.ts'
import { Icon } from './icon.ts'

/** Milliseconds for which the button says that it has copied. */
const shownFor = 1_500

/** A button that copies a text. */
export function Copy({ text, label }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), shownFor)
  }
  const what = isCopied ? say('everywhere.copied') : (label ?? say('everywhere.copy'))
  return h(
    'button',
    { type: 'button', class: 'copy', onClick: copy, 'aria-label': what, title: what },
    h(Icon, { name: isCopied ? 'check' : 'copy' }),
  )
}

/** An id, a name or an address, with a button that copies it. */
export function Copyable({ text }: { readonly text: string }) {
  return h('span', { class: 'copyable' }, h('code', null, text), h(Copy, { text }))
}

/** A longer text as it stands, such as a command or JSON. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return h(
    'div',
    { class: 'code-block' },
    // It scrolls, so it must be reached by keyboard.
    h('pre', { tabIndex: 0, 'aria-label': label, role: 'region' }, h('code', null, text)),
    h(Copy, { text }),
  )
}
