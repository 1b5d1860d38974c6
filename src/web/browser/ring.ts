import { h } from 'preact'

/** The circumference of the ring, whose radius is 8. */
const around = 2 * Math.PI * 8

/** A ring that runs down: `left` of `whole`, in any unit. It stands beside the same in words. */
export function Ring({ left, whole }: { readonly left: number; readonly whole: number }) {
  const share = whole > 0 ? Math.max(0, Math.min(1, left / whole)) : 0
  const circle = { cx: 10, cy: 10, r: 8 }
  return h(
    'svg',
    { class: 'ring', viewBox: '0 0 20 20', 'aria-hidden': true },
    h('circle', circle),
    h('circle', { ...circle, 'stroke-dasharray': `${(share * around).toFixed(1)} ${around.toFixed(1)}` }),
  )
}
