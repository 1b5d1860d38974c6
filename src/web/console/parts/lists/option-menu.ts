import { h } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../icon.ts'

interface OptionMenuProps {
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly text: string }[]
  readonly onChoose: (value: string) => void
}

/** A menu of values, one of which holds. The arrow keys and the first letters go through them. */
export function OptionMenu({ label, value, options, onChoose }: OptionMenuProps) {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const items = optionsOf(place.current)
    const chosen = items.find((item) => item.ariaChecked === 'true')
    ;(chosen ?? items[0])?.focus()
  }, [])
  return h(
    'div',
    { role: 'menu', class: 'option-menu', 'aria-label': label, ref: place, onKeyDown: walkOptions },
    options.map((option) =>
      h(
        'button',
        {
          key: option.value,
          type: 'button',
          role: 'menuitemradio',
          'aria-checked': option.value === value,
          onClick: () => onChoose(option.value),
        },
        h('span', { class: 'tick' }, option.value === value && h(Icon, { name: 'check' })),
        option.text,
      ),
    ),
  )
}

/** The options of a menu, in their order. */
export function optionsOf(menu: Element | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])]
}

/** Goes through the options of a menu with the arrow keys, and by their first letters. */
export function walkOptions(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const items = optionsOf(event.currentTarget as Element)
  const at = items.indexOf(document.activeElement as HTMLElement)
  const next =
    event.key === 'ArrowDown'
      ? items[(at + 1) % items.length]
      : event.key === 'ArrowUp'
        ? items.at(at <= 0 ? -1 : at - 1)
        : event.key === 'Home'
          ? items[0]
          : event.key === 'End'
            ? items.at(-1)
            : beginningWith([...items.slice(at + 1), ...items.slice(0, at + 1)], event.key)
  if (!next) return
  // A letter is no shortcut of the page while a menu is open.
  event.preventDefault()
  event.stopPropagation()
  next.focus()
}

function beginningWith(items: readonly HTMLElement[], letter: string): HTMLElement | undefined {
  if (letter.length !== 1 || letter === ' ') return undefined
  return items.find((item) => item.textContent?.toLowerCase().startsWith(letter.toLowerCase()))
}
