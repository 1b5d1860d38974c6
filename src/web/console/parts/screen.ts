import { type ComponentChildren, h } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { curlOf, type ShownCall } from '../core/curl.ts'
import type { News } from '../core/hooks/use-news.ts'
import { type Me, SignedIn } from '../core/me.ts'
import { say } from '../words/say.ts'
import { Button } from './button.ts'
import { CodeBlock } from './copy.ts'
import { Dialog } from './dialog.ts'
import { Icon } from './icon.ts'

/** Properties of every screen. */
export interface ScreenProps {
  readonly me: Me
  /** Variable segments of the place, for example the name of an instance, by their names in the pattern. */
  readonly params: Readonly<Record<string, string>>
  /** The filters, from the link. */
  readonly query: Readonly<Record<string, string>>
}

interface FrameProps {
  readonly title: string
  /** The calls that the screen and its buttons make, shown as commands. */
  readonly calls: readonly ShownCall[]
  /** Buttons beside the title. */
  readonly actions?: ComponentChildren
  /** The screen above this one: a link above the title. */
  readonly parent?: { readonly title: string; readonly link: string }
  /** `narrow` for a form that is all that the screen has. */
  readonly look?: 'narrow'
  readonly children?: ComponentChildren
}

/** The frame of every screen: its title, what can be done, and the calls behind it. */
export function Screen({ title, calls, actions, parent, look, children }: FrameProps) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    document.title = `${title} – Posthorn`
  }, [title])
  return h(
    'main',
    { id: 'main', tabIndex: -1, 'aria-labelledby': 'title', class: look },
    parent && h('p', { class: 'parent' }, h('a', { href: parent.link }, parent.title)),
    h(
      'header',
      { class: 'screen-header' },
      h(
        'div',
        { class: 'title' },
        h('h1', { id: 'title' }, title),
        h(
          Button,
          { look: 'quiet', onClick: () => setShown(true), label: say('everywhere.call_behind') },
          h(Icon, { name: 'code' }),
        ),
      ),
      actions && h('div', { class: 'actions' }, actions),
    ),
    children,
    isShown && h(Calls, { calls, onClose: () => setShown(false) }),
  )
}

interface SectionProps {
  readonly title: string
  /** The id of its title, by which screen readers name it. */
  readonly id?: string
  readonly look?: string
  readonly children?: ComponentChildren
}

/** A part of a screen under a title of its own. */
export function Section({ title, id, look, children }: SectionProps) {
  return h('section', { class: look, 'aria-labelledby': id }, h('h2', { id }, title), children)
}

interface NewsButtonProps {
  readonly news: News
  readonly text: string
  readonly onShow?: () => void
}

/** Says how many news wait to be shown, and shows them. It stands over the edge of the list, and pushes nothing. */
export function NewsButton({ news, text, onShow = news.show }: NewsButtonProps) {
  return h(
    'div',
    { class: 'news', role: 'status' },
    !news.isEmpty && h('button', { type: 'button', onClick: onShow }, text),
  )
}

/** Says what the command needs besides itself: the page knows neither the key nor the token. */
function CallHint() {
  const isOperator = useContext(SignedIn)?.kind === 'operator'
  return h('p', { class: 'hint' }, say(isOperator ? 'everywhere.call_hint_operator' : 'everywhere.call_hint'))
}

/** Shows calls as commands, in a dialog. */
export function Calls({
  calls,
  onClose,
}: {
  readonly calls: readonly ShownCall[]
  readonly onClose: () => void
}) {
  return h(
    Dialog,
    { title: say('everywhere.call_behind'), onClose },
    h(CallHint, null),
    calls.map((shown) => h(CodeBlock, { key: shown.id, text: curlOf(shown), label: shown.id })),
  )
}
