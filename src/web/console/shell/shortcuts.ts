import { h } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Me } from '../core/me.ts'
import { goTo } from '../core/router.ts'
import { Dialog } from '../parts/dialog.ts'
import { say } from '../words/say.ts'
import { areasOf } from './areas.ts'
import { openPalette } from './palette.ts'

/** Milliseconds after `g` within which the second key may come. */
const pause = 1_500

/** The keys that work everywhere: `/` to search, `g` and a letter to go to an area, `?` for this list. */
export function Shortcuts({ me }: { readonly me: Me }) {
  const [isShown, setShown] = useState(false)
  const areas = areasOf(me)
  // As soon as the page is there to be seen: a key that is pressed at once must not be lost.
  useLayoutEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || isInDialog()) return
      const area = areas.find(({ key }) => key === event.key)
      // By when they were pressed: a busy page hears of it later.
      const isSecond = event.timeStamp - wentAt < pause
      wentAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (isSecond && area) goTo([area.path])
      else if (event.key === '?') setShown(true)
      else if (event.key === '/') search()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
  if (!isShown) return null
  const keys = [
    ['Ctrl K', say('frame.find')],
    ['/', say('frame.shortcut_search')],
    ...areas.map(({ key, name }) => [`g ${key}`, say(`frame.areas.${name}`)]),
    ['↑ ↓', say('frame.shortcut_rows')],
    [say('frame.space_key'), say('frame.shortcut_select')],
    ['Esc', say('frame.shortcut_close')],
    ['?', say('frame.shortcuts')],
  ]
  return h(
    Dialog,
    { title: say('frame.shortcuts'), onClose: () => setShown(false) },
    h(
      'dl',
      { class: 'facts' },
      keys.map(([key, meaning]) =>
        h('div', { key }, h('dt', null, h('kbd', null, key)), h('dd', null, meaning)),
      ),
    ),
  )
}

/** Goes to the search of the screen, or of everything if the screen has none. */
function search(): void {
  const field = document.querySelector<HTMLInputElement>('input[type=search]')
  if (field) field.focus()
  else openPalette()
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select')
}

function isInDialog(): boolean {
  return document.querySelector('dialog[open]') !== null
}
