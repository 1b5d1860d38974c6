import { h } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLoaded } from '../core/hooks/use-loaded.ts'
import type { Me } from '../core/me.ts'
import { Dialog } from '../parts/dialog.ts'
import { Failure } from '../parts/failure.ts'
import { say } from '../words/say.ts'
import type { FinderProps } from './finder/finder.ts'

const eventName = 'posthorn:palette'
/** The most UTF-16 units that one may search for. */
const maxTyped = 200

/** Opens the palette. */
export function openPalette(): void {
  dispatchEvent(new Event(eventName))
}

/**
 * Opens with Ctrl-K, or ⌘K, wherever the focus is: a field that finds areas, instances, people, messages and acts, and goes there or
 * does them.
 */
export function Palette({ me }: { readonly me: Me }) {
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => {
    const open = () => setOpen(true)
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      if (!document.querySelector('dialog[open]')) open()
    }
    addEventListener(eventName, open)
    addEventListener('keydown', pressed)
    return () => {
      removeEventListener(eventName, open)
      removeEventListener('keydown', pressed)
    }
  }, [])
  if (!isOpen) return null
  const close = () => setOpen(false)
  return h(Dialog, { title: say('frame.find'), onClose: close }, h(Loaded, { me, onDone: close }))
}

const loadFinder = () => import('./finder/finder.ts')

/** The field and its list, which few visits need, so that they are loaded when they are opened first. What is typed meanwhile counts. */
function Loaded({ me, onDone }: Pick<FinderProps, 'me' | 'onDone'>) {
  const { module: finder, error, retry } = useLoaded(loadFinder)
  const typed = useRef({ typed: '', isEntered: false })
  if (finder) return h(finder.Finder, { me, ...typed.current, maxTyped, onDone })
  return [
    h('input', {
      key: 'field',
      type: 'text',
      autofocus: true,
      autocomplete: 'off',
      maxLength: maxTyped,
      'aria-label': say('frame.find'),
      placeholder: say('frame.find_hint'),
      onInput: (event: Event) => {
        typed.current = { typed: (event.target as HTMLInputElement).value, isEntered: false }
      },
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key === 'Enter' && !event.isComposing) typed.current.isEntered = true
      },
    }),
    h(Failure, { key: 'failure', error, onRetry: retry }),
  ]
}
