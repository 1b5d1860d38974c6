import { type ComponentType, h } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Me } from '../core/me.ts'
import { check, whenServerReturns } from '../core/reach/reach.ts'
import { usePlace } from '../core/router.ts'
import { Failure } from '../parts/failure.ts'
import type { ScreenProps } from '../parts/screen.ts'
import { say } from '../words/say.ts'
import { areaOf, areasOf, homeOf, maySee } from './areas.ts'
import { NotFound } from './not-found.ts'
import { routeOf } from './routes.ts'

/** The screen of the current place, loaded when it is shown first. */
export function CurrentScreen({ me }: { readonly me: Me }) {
  const place = usePlace()
  const path = place.path.length > 0 ? place.path : homeOf(me)
  const found = maySee(me, path) ? routeOf(path) : undefined
  const load = found?.route.load
  const [loaded, setLoaded] = useState<{
    readonly load: unknown
    readonly screen?: ComponentType<ScreenProps>
    readonly error?: unknown
  }>()
  const [round, setRound] = useState(0)
  const retry = () => setRound((before) => before + 1)
  useEffect(() => {
    // A screen that the person has left may come last.
    let isLeft = false
    load?.().then(
      ({ screen }) => isLeft || setLoaded({ load, screen }),
      (error) => {
        if (isLeft) return
        setLoaded({ load, error })
        check()
      },
    )
    return () => {
      isLeft = true
    }
  }, [load, round])
  const isMissing = loaded?.load === load && loaded?.error !== undefined
  useEffect(() => (isMissing ? whenServerReturns(retry) : undefined), [isMissing])
  const screen = loaded?.load === load ? loaded?.screen : undefined
  const key = found?.route.isShared ? path[0] : path.join('/')
  useFocusOnNew(found ? screen && key : 'nothing')
  if (!found) return h(NotFound, { me, path })
  if (loaded?.load !== load || !loaded)
    return h('main', { id: 'main', tabIndex: -1 }, h('p', { class: 'loading' }, say('everywhere.loading')))
  if (!screen) return h(NotLoaded, { me, path, error: loaded.error, onRetry: retry })
  return h(screen, {
    key,
    me,
    params: found.params,
    query: place.query,
  })
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
    if (before.current !== undefined && before.current !== key) document.getElementById('main')?.focus()
    before.current = key
  }, [key])
}
