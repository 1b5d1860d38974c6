export const appearances = ['auto', 'light', 'dark'] as const
export type Appearance = (typeof appearances)[number]

const storedUnder = 'posthorn-appearance'
const listeners = new Set<() => void>()

/** Dark or light, as the person chose, or as their system is. */
export function appearance(): Appearance {
  const stored = localStorage.getItem(storedUnder)
  return appearances.find((each) => each === stored) ?? 'auto'
}

/** Changes the appearance, and remembers it in this browser. */
export function setAppearance(chosen: Appearance): void {
  localStorage.setItem(storedUnder, chosen)
  showAppearance()
  for (const listener of listeners) listener()
}

/** Calls `listener` when the appearance is changed. Returns a function that ends that. */
export function whenAppearanceChanges(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function showAppearance(): void {
  document.documentElement.dataset.appearance = appearance()
}
