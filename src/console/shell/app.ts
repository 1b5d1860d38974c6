import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { call, isSignedIn, RefusedError, whenSignedOut } from '../core/api.ts'
import { language, whenLanguageChanges } from '../core/language.ts'
import { endStream, findBeginning, listen } from '../core/live.ts'
import { type Me, SignedIn } from '../core/me.ts'
import { Failure } from '../parts/failure.ts'
import { Notices } from '../parts/notices.ts'
import { hasCode, SignIn } from '../screens/sign-in/sign-in.ts'
import { say } from '../words/everywhere.ts'
import { CurrentScreen } from './current-screen.ts'
import { keepFocus } from './keep-focus.ts'
import { Shortcuts } from './shortcuts.ts'
import { Sidebar } from './sidebar.ts'

/** Who is signed in: undefined until that is known, null for nobody. */
type Session = { readonly me: Me | null | undefined; readonly error?: unknown }

/** The whole page: the sign-in for who has no session, and the screens for who has. */
export function App() {
  const [session, setSession] = useState<Session>({ me: undefined })
  const tag = useLanguage()
  const begin = async () => {
    try {
      // Who opens a link with a code wants to be signed in by it, whoever was signed in before.
      if (hasCode() || !(await isSignedIn())) return setSession({ me: null })
      const me = await call('getMe')
      if (me.kind === 'key') await findBeginning()
      setSession({ me })
    } catch (error) {
      if (error instanceof RefusedError && error.status === 401) setSession({ me: null })
      else setSession({ me: undefined, error })
    }
  }
  const isKey = session.me?.kind === 'key'
  // From the beginning, so that the menu says whether the console is live, whatever screen is shown.
  useEffect(() => (isKey ? listen({ event: () => {}, missed: () => {} }) : undefined), [isKey])
  useEffect(keepFocus, [])
  useEffect(() => {
    begin()
    const leave = () => {
      endStream()
      setSession({ me: null })
    }
    const hear = () => hasCode() && leave()
    addEventListener('hashchange', hear)
    const deafen = whenSignedOut(leave)
    return () => {
      removeEventListener('hashchange', hear)
      deafen()
    }
  }, [])
  if (session.error !== undefined)
    return h('main', null, h(Failure, { error: session.error, onRetry: begin }))
  if (session.me === undefined) return h('p', { class: 'loading', role: 'status' }, say('loading'))
  if (session.me === null) return h(SignIn, { key: tag, onSignedIn: begin })
  return h(
    SignedIn.Provider,
    { value: session.me },
    h(
      'div',
      { class: 'frame', key: tag },
      h('a', { class: 'skip', href: '#main', onClick: skip }, say('skip')),
      h(Sidebar, { me: session.me }),
      h(CurrentScreen, { me: session.me }),
      h(Shortcuts, { me: session.me }),
      h(Notices, null),
    ),
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
