/**
 * Returns true if the person points at a list, is in it by keyboard, or has scrolled down in it: nothing may move under
 * them.
 */
export function isHeld(list: HTMLElement | null): boolean {
  if (!list) return false
  return list.matches(':hover, :focus-within') || list.scrollTop > 0 || list.getBoundingClientRect().top < 0
}
