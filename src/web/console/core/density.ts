export const densities = ['comfortable', 'dense'] as const
export type Density = (typeof densities)[number]

const storedUnder = 'posthorn-density'

/** The height of rows, as the person chose it. */
export function density(): Density {
  const stored = localStorage.getItem(storedUnder)
  return densities.find((each) => each === stored) ?? 'comfortable'
}

/** Changes the height of rows, and remembers it in this browser. */
export function setDensity(chosen: Density): void {
  localStorage.setItem(storedUnder, chosen)
  showDensity()
}

export function showDensity(): void {
  document.documentElement.dataset.density = density()
}
