const controls = 'a[href], button'

/**
 * Keeps a person who uses a keyboard or a screen reader in their place: if the element with the focus is removed, the row
 * beside it gets the focus, else the element that scrolled with it, else the screen. Returns a function that ends this.
 */
export function keepFocus(): () => void {
  let last: Element | null = null
  const remember = ({ target }: FocusEvent) => {
    last = target instanceof Element ? target : null
  }
  const observer = new MutationObserver((records) => {
    if (!last || last.isConnected || document.activeElement !== document.body) return
    const gone = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(last)))
    const place = (gone && (beside(gone) ?? around(gone))) ?? document.getElementById('main')
    place?.focus({ preventScroll: !place.matches(controls) })
  })
  addEventListener('focusin', remember)
  observer.observe(document.body, { childList: true, subtree: true })
  return () => {
    removeEventListener('focusin', remember)
    observer.disconnect()
  }
}

/** Returns the element that held the removed one, and can have the focus itself. */
function around({ target }: MutationRecord): HTMLElement | undefined {
  const place = target instanceof Element ? target.closest<HTMLElement>('[tabindex]') : null
  return place?.isConnected ? place : undefined
}

/**
 * Returns the control in the row in which something was removed, in the next or the previous row, or in the last row above
 * it.
 */
function beside({ target, nextSibling, previousSibling }: MutationRecord): HTMLElement | undefined {
  const places = [nextSibling, previousSibling, target].filter((place) => place instanceof Element)
  const rows = places.map((place) =>
    place.matches('table') ? place.querySelector('tbody:last-of-type tr:last-child') : place.closest('tr'),
  )
  return (
    rows.map((row) => row?.querySelector<HTMLElement>(controls)).find((control) => control?.isConnected) ??
    undefined
  )
}
