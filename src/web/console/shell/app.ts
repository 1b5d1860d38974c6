import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { RefusedError } from '../../browser/refused.ts'
import { language } from '../../browser/words.ts'
import { call, type Ending, isOutOfReach, isSignedIn, openFor, whenSessionEnds } from '../core/api.ts'
import { forgetWaiting, hearOfWaiting } from '../core/attention.ts'
import { whenLanguageChanges } from '../core/language.ts'
import { endStream, findBeginning, listen } from '../core/live.ts'
import { type Me, SignedIn } from '../core/me.ts'
import { watchServer, whenServerReturns } from '../core/reach/reach.ts'
import { Known, useReach } from '../core/reach/use-reach.ts'
import { Failure } from '../parts/failure.ts'
import { Mark } from '../parts/icon.ts'
import { Notices } from '../parts/notices.ts'
import { hasCode, SignIn } from '../screens/sign-in/sign-in.ts'
import { say } from '../words/say.ts'
import { ConnectionBanner } from './connection-banner.ts'
import { CurrentScreen } from './current-screen.ts'
import { keepFocus } from './keep-focus.ts'
import { Palette } from './palette.ts'
import { Shortcuts } from './shortcuts.ts'
import { Sidebar } from './sidebar.ts'

/**
 * The session of this page. `me` is undefined until it is known, and null without a session; `isOthers` if another tab has
 * signed in with another key than the one that opened this page.
 */
type Session = { readonly me: Me | null | undefined; readonly error?: unknown; readonly isOthers?: boolean }

/** The whole page: the sign-in without a session, and the screens with one. */
export function App() {
  const [session, setSession] = useState<Session>({ me: undefined })
  const isAway = useRef(false)
  const tag = useLanguage()
  const begin = async () => {
    isAway.current = false
    try {
      openFor(undefined)
      forgetWaiting()
      // A person who opens a link with a code wants to be signed in by it, even if another key was signed in before.
      if (hasCode() || !(await isSignedIn())) return setSession({ me: null })
      const me = await call('getMe')
      openFor(me)
      if (me.kind === 'key') await findBeginning()
      setSession({ me })
    } catch (error) {
      isAway.current = isOutOfReach(error)
      if (error instanceof RefusedError && error.code === 'session_changed') return
      if (error instanceof RefusedError && error.status === 401) setSession({ me: null })
      else setSession({ me: undefined, error })
    }
  }
  const isKey = session.me?.kind === 'key'
  // From the beginning, so that the menu says on every screen if the console is live, and what waits.
  useEffect(() => (isKey ? listen({ event: hearOfWaiting, missed: forgetWaiting }) : undefined), [isKey])
  useEffect(keepFocus, [])
  useEffect(() => {
    begin()
    // The page keeps its opener: what it still asks must be refused.
    const leave = (why: Ending = 'signed_out') => {
      endStream()
      setSession({ me: null, isOthers: why === 'session_changed' })
    }
    const hear = () => hasCode() && leave()
    addEventListener('hashchange', hear)
    const deafen = whenSessionEnds(leave)
    return () => {
      removeEventListener('hashchange', hear)
      deafen()
    }
  }, [])
  // A person who opened the page while the server was away need not press anything. It may be back before the failure is drawn.
  useEffect(() => whenServerReturns(() => isAway.current && begin()), [])
  if (session.error !== undefined)
    return h('main', null, h(Failure, { error: session.error, onRetry: begin }))
  if (session.me === undefined) return h('p', { class: 'loading', role: 'status' }, say('everywhere.loading'))
  if (session.isOthers) return h(OtherSignedIn, { key: tag })
  if (session.me === null) return h(SignIn, { key: tag, onSignedIn: begin })
  return h(SignedIn.Provider, { value: session.me }, h(Frame, { key: tag, me: session.me }))
}

/** The screens, and what surrounds them. */
function Frame({ me }: { readonly me: Me }) {
  const state = useReach()
  const isKnown = state.reach === 'known'
  useEffect(watchServer, [])
  return [
    h(ConnectionBanner, { state, isKey: me.kind === 'key' }),
    h(
      'div',
      { class: isKnown ? 'frame' : 'frame unknown' },
      h('a', { class: 'skip', href: '#main', onClick: skip }, say('everywhere.skip')),
      h(Known.Provider, { value: isKnown }, h(Sidebar, { me }), h(CurrentScreen, { me })),
      h(Shortcuts, { me }),
      h(Palette, { me }),
      h(Notices, null),
    ),
  ]
}

/**
 * Says that the session of the page has passed to another key. The data it showed is gone, so that it is not taken for what
 * the other key may see.
 */
function OtherSignedIn() {
  const reload = () => {
    history.replaceState(null, '', location.pathname)
    location.reload()
  }
  return h(
    'main',
    { class: 'alone', id: 'main' },
    h('p', { class: 'brand' }, h(Mark, null), 'Posthorn'),
    h('h1', null, say('frame.other_signed_in')),
    h('p', { role: 'alert' }, say('frame.other_signed_in_hint')),
    h('button', { type: 'button', class: 'primary', onClick: reload }, say('frame.reload')),
  )
}

/** The link must not change the place, which stands behind the `#` as well. */
function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function useLanguage(): string {
  const [tag, setTag] = useState<string>(language())
  useEffect(() => whenLanguageChanges(() => setTag(language())), [])
  return tag
}
