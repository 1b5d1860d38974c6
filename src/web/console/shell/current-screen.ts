import { h } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLoaded } from '../core/hooks/use-loaded.ts'
import type { Me } from '../core/me.ts'
import { whenInReach } from '../core/reach/reach.ts'
import { usePlace } from '../core/router.ts'
import { Button } from '../parts/button.ts'
import { Failure } from '../parts/failure.ts'
import { say } from '../words/say.ts'
import { areaOf, areasOf, homeOf, maySee } from './areas.ts'
import { NotFound } from './not-found.ts'
import { routeOf } from './routes.ts'

/** The screen of the current place, loaded when it is shown first. */
export function CurrentScreen({ me }: { readonly me: Me }) {
  const place = usePlace()
  const path = place.path.length > 0 ? place.path : homeOf(me)
  const found = maySee(me, path) ? routeOf(path) : undefined
  const { module, error, retry } = useLoaded(found?.route.load)
  const screen = module?.screen
  const key = found?.route.isShared ? path[0] : path.join('/')
  useTopOnNew(found ? key : 'nothing')
  useFocusOnNew(found ? screen && key : 'nothing')
  if (!found) return h(NotFound, { me, path })
  if (error !== undefined) return h(NotLoaded, { me, path, error, onRetry: retry })
  if (!screen) return h(Coming, { key })
  return h(screen, {
    key,
    me,
    params: found.params,
    query: place.query,
  })
}

/** Milliseconds after which a screen is late. */
const lateAfter = 10_000

/**
 * A screen whose code is on its way. If the server responds and the code still does not come, its connection may hang: no page can
 * give up an import, but the browser does when the page is reloaded.
 */
function Coming() {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    let stopWaiting = () => {}
    const timer = setTimeout(() => {
      stopWaiting = whenInReach(() => setLate(true))
    }, lateAfter)
    return () => {
      clearTimeout(timer)
      stopWaiting()
    }
  }, [])
  return h(
    'main',
    { id: 'main', tabIndex: -1 },
    isLate
      ? h('h1', null, say('frame.screen_late'))
      : h('p', { class: 'loading' }, say('everywhere.loading')),
    h('p', { role: 'status' }, isLate && say('frame.screen_late_why')),
    isLate && h(Button, { onClick: () => location.reload() }, say('frame.reload_page')),
  )
}

interface NotLoadedProps {
  readonly me: Me
  readonly path: readonly string[]
  readonly error: unknown
  readonly onRetry: () => void
}

/** A screen whose code could not be loaded, under the name of its area. */
function NotLoaded({ me, path, error, onRetry }: NotLoadedProps) {
  const area = areasOf(me).find((one) => one.path === areaOf(path))
  return h(
    'main',
    { id: 'main', tabIndex: -1, 'aria-labelledby': 'title' },
    h('h1', { id: 'title' }, area ? say(`frame.areas.${area.name}`) : 'Posthorn'),
    h(Failure, { error, onRetry }),
  )
}

/** Moves the focus to a screen that takes the place of another: what one presses next is there, not behind the link that led to it. */
function useFocusOnNew(key: string | undefined): void {
  const before = useRef<string>(undefined)
  // Before the page is painted, so that it comes before the next key.
  useLayoutEffect(() => {
    if (key === undefined) return
    // The page stands at its top already: what gets the focus would be scrolled behind a banner.
    if (before.current !== undefined && before.current !== key)
      document.getElementById('main')?.focus({ preventScroll: true })
    before.current = key
  }, [key])
}

/** Shows the top of the page when another screen comes, also while that is being loaded. */
function useTopOnNew(key: string | undefined): void {
  const before = useRef(key)
  useLayoutEffect(() => {
    if (before.current !== key) scrollTo(0, 0)
    before.current = key
  }, [key])
}
