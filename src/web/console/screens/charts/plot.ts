import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import type { Series } from './series.ts'

interface PlotProps {
  /** The chart in words, for a person who cannot see it; its numbers are in a table. */
  readonly label: string
  /** Returns the numbers of an interval in words. */
  readonly textOf: (index: number) => string
  /** Help on the keys, for a person who cannot see it. */
  readonly help: string
  readonly series: readonly Series[]
  /** Returns the indexes with a label below the chart, for its width in pixels. */
  readonly labelsFor: (width: number) => readonly { readonly index: number; readonly text: string }[]
  /** A value as the axis shows it. */
  readonly format: (value: number) => string
  readonly height: number
  /** The interval that is pointed at; null if none is. */
  readonly pointed: number | null
  readonly onPoint: (index: number | null) => void
  /** Called with the interval that is pressed, and the value at that height. */
  readonly onPick?: ((index: number, value: number) => void) | undefined
  /** Called with the canvas once it is drawn. */
  readonly onDrawn?: (canvas: HTMLCanvasElement) => void
}

/**
 * Bars and lines over intervals. By keyboard, it is a slider whose value is the interval that is pointed at: a screen reader says it
 * whenever it moves.
 */
export function Plot(props: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const chart = useRef<uPlot>(undefined)
  const look = useLook()
  const { series, height, onPick } = props
  const kind = JSON.stringify([series.map((one) => [one.color, one.look]), look])
  useEffect(() => {
    const element = place.current
    if (!element) return
    const made = new uPlot(optionsFor(element, latest), dataOf(latest.current.series), element)
    chart.current = made
    latest.current.onDrawn?.(made.ctx.canvas)
    made.over.addEventListener('click', ({ offsetX, offsetY }) =>
      latest.current.onPick?.(made.posToIdx(offsetX), made.posToVal(offsetY, 'y')),
    )
    const resized = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.setSize({ width: element.clientWidth, height: latest.current.height })
    })
    resized.observe(element)
    return () => {
      resized.disconnect()
      made.destroy()
      chart.current = undefined
    }
  }, [kind])
  const drawn = useRef(series)
  useEffect(() => {
    if (drawn.current !== series) chart.current?.setData(dataOf(series))
    drawn.current = series
  }, [series])
  return h('div', {
    ref: place,
    class: `plot tall-${height}${onPick ? ' picks' : ''}`,
    ...sliderOf(props, chart),
  })
}

/** The properties of the chart as a slider. Without a mouse or a key, it stands at the newest interval. */
function sliderOf(props: PlotProps, chart: { readonly current: uPlot | undefined }) {
  const { series, label, help, textOf, pointed, onPick } = props
  const last = Math.max(0, (series[0]?.values.length ?? 0) - 1)
  const shown = Math.min(pointed ?? last, last)
  const onKeyDown = (event: KeyboardEvent) => {
    // The next key may come before this one is drawn.
    const at = chart.current?.cursor.idx ?? shown
    const isPicking = event.key === 'Enter' && onPick !== undefined
    const next = indexByKey(event.key, at, last)
    if (event.ctrlKey || event.altKey || event.metaKey || (next === undefined && !isPicking)) return
    event.preventDefault()
    // Above all parts of a bar: all of its interval is meant.
    if (next === undefined) onPick?.(at, Number.POSITIVE_INFINITY)
    else pointAt(chart.current, next)
  }
  return {
    role: 'slider' as const,
    tabIndex: 0,
    'aria-label': label,
    'aria-description': help,
    'aria-valuemin': 0,
    'aria-valuemax': last,
    'aria-valuenow': shown,
    'aria-valuetext': textOf(shown),
    onKeyDown,
    onFocus: ({ currentTarget }: FocusEvent) => {
      if ((currentTarget as HTMLElement).matches(':focus-visible')) pointAt(chart.current, shown)
    },
    onBlur: () => pointAt(chart.current, null),
  }
}

/** Returns the interval to which a key leads from another one; undefined if it leads to none. */
function indexByKey(key: string, from: number, last: number): number | undefined {
  if (key === 'Home') return 0
  if (key === 'End') return last
  const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[key]
  return step && Math.min(last, Math.max(0, from + step))
}

/** Points at an interval, or at none, as a mouse does. */
function pointAt(chart: uPlot | undefined, index: number | null): void {
  const left = index === null ? -10 : (chart?.valToPos(index, 'x') ?? -10)
  chart?.setCursor({ left, top: index === null ? -10 : 0 })
}

function dataOf(series: readonly Series[]): uPlot.AlignedData {
  const length = series[0]?.values.length ?? 0
  return [
    Array.from({ length }, (_, index) => index),
    ...series.map(({ values }) => [...values]),
  ] as uPlot.AlignedData
}

/** Changes when dark becomes light, or the contrast is raised: a canvas does not follow by itself. */
function useLook(): number {
  const [look, setLook] = useState(0)
  useEffect(() => {
    const change = () => setLook((before) => before + 1)
    const queries = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)'].map((each) =>
      matchMedia(each),
    )
    for (const query of queries) query.addEventListener('change', change)
    const chosen = new MutationObserver(change)
    chosen.observe(document.documentElement, { attributeFilter: ['data-appearance'] })
    return () => {
      for (const query of queries) query.removeEventListener('change', change)
      chosen.disconnect()
    }
  }, [])
  return look
}

function optionsFor(element: HTMLElement, latest: { readonly current: PlotProps }): uPlot.Options {
  const { series, height } = latest.current
  const { fontFamily } = getComputedStyle(element)
  const axis = { stroke: resolved(element, '--muted'), font: `12px ${fontFamily}`, ticks: { show: false } }
  const line = resolved(element, '--line')
  const labels = () => latest.current.labelsFor(element.clientWidth)
  const textAt = (index: number) => labels().find((each) => each.index === index)?.text ?? ''
  return {
    width: element.clientWidth,
    height,
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: (_, least, most) => [least - 0.5, most + 0.5] },
      y: { range: fromZero },
    },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        border: { show: true, stroke: line, width: 1 },
        splits: () => labels().map(({ index }) => index),
        values: (_, splits) => splits.map(textAt),
      },
      {
        ...axis,
        size: 52,
        space: 44,
        ...(isWhole(series) ? { incrs: wholeSteps } : {}),
        grid: { stroke: line, width: 1 },
        values: (_, splits) => splits.map((value) => latest.current.format(value)),
      },
    ],
    series: [{}, ...series.map((each) => optionsOf(element, each))],
    hooks: { setCursor: [({ cursor }) => latest.current.onPoint(cursor.idx ?? null)] },
  }
}

function optionsOf(element: HTMLElement, { color, look, dash, values }: Series): uPlot.Series {
  const stroke = resolved(element, color)
  const isWide = element.clientWidth / values.length > 14
  if (look === 'bars')
    return {
      ...{ fill: stroke, points: { show: false } },
      // Parts of wide bars are divided by a line.
      ...(isWide ? { stroke: resolved(element, '--surface'), width: 1 } : { width: 0 }),
      ...(uPlot.paths.bars ? { paths: uPlot.paths.bars({ size: [isWide ? 0.72 : 0.8, 56] }) } : {}),
    }
  return {
    stroke,
    width: 2,
    ...(look === 'area' ? { fill: resolved(element, '--brass-soft') } : {}),
    ...(dash ? { dash: [...dash] } : {}),
    // A value between two that are not known makes no line.
    points: { show: (chart, at, from, to) => isAlone(chart.data[at] ?? [], from, to), size: 5, fill: stroke },
  }
}

/** True if no two values stand beside each other. */
function isAlone(values: ArrayLike<number | null | undefined>, from: number, to: number): boolean {
  for (let index = from; index < to; index++)
    if (typeof values[index] === 'number' && typeof values[index + 1] === 'number') return false
  return true
}

const isWhole = (series: readonly Series[]) =>
  series.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)))

/** There are no half messages. */
const wholeSteps = Array.from({ length: 10 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat()

/** A scale that begins at 0, so that a small change does not look like a large one. */
const fromZero: uPlot.Range.Config = {
  min: { pad: 0, soft: 0, hard: 0, mode: 1 },
  max: { pad: 0.1, soft: 0, mode: 3 },
}

/** A colour as the canvas needs it: for dark or light, whichever is shown. */
export function resolved(element: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
