import { h } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { number } from '../../../browser/numbers.ts'
import { language } from '../../../browser/words.ts'
import { say } from '../../words/say.ts'

/** A line of a chart. */
export interface Line {
  readonly label: string
  readonly values: readonly (number | null)[]
  /** The custom property of the style with its colour. */
  readonly color: string
  readonly dash?: readonly number[]
}

interface ChartProps {
  readonly title: string
  /** The moments, in milliseconds. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
}

const height = 240

/** Lines over time. The same values stand in a table below, for a person who cannot see it. */
export function Chart({ title, times, lines }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const data = [times.map((time) => time / 1000), ...lines.map(({ values }) => [...values])]
    const chart = new uPlot(optionsFor(element, lines), data as uPlot.AlignedData, element)
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      chart.destroy()
    }
  }, [times, lines])
  return h(
    'figure',
    { class: 'panel' },
    h('figcaption', null, title),
    h('div', { ref: place, 'aria-hidden': true }),
  )
}

function optionsFor(element: HTMLElement, lines: readonly Line[]): uPlot.Options {
  const style = getComputedStyle(element)
  const color = (name: string) => style.getPropertyValue(name)
  const axis = {
    stroke: resolved(element, '--muted'),
    grid: { stroke: resolved(element, '--line'), width: 1 },
  }
  const areWhole = lines.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)))
  return {
    width: element.clientWidth,
    height,
    // Room for half of the last time.
    padding: [null, 40, null, null],
    cursor: { y: false },
    scales: { y: { range: fromZero } },
    axes: [
      { ...axis, values: (_, splits) => splits.map(timeLabel(splits)), space: 72 },
      {
        ...axis,
        // There are no half messages.
        values: (_, splits) =>
          splits.map((value) => (areWhole && !Number.isInteger(value) ? '' : number(value))),
        size: 64,
      },
    ],
    series: [
      { label: say('everywhere.time'), value: (_, seconds) => (seconds === null ? '–' : fullTime(seconds)) },
      ...lines.map(({ label, values, color: name, dash }) => ({
        label,
        stroke: color(name) === '' ? 'gray' : resolved(element, name),
        width: 2,
        spanGaps: true,
        // One value alone makes no line.
        ...(values.filter((value) => value !== null).length === 1 ? { points: { show: true } } : {}),
        ...(dash ? { dash: [...dash] } : {}),
        value: (_: uPlot, value: number | null) => (value === null ? '–' : number(value)),
      })),
    ],
  }
}

/** A scale that begins at 0, so that a small change does not look like a large one. */
const fromZero: uPlot.Range.Config = {
  min: { pad: 0, soft: 0, hard: 0, mode: 1 },
  max: { pad: 0.1, soft: 0, mode: 3 },
}

/** A colour as the canvas needs it: for dark or light, whichever is shown. */
function resolved(element: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function fullTime(seconds: number): string {
  const format = new Intl.DateTimeFormat(language(), { dateStyle: 'short', timeStyle: 'short' })
  return format.format(new Date(seconds * 1000))
}

/** Hours within two days, and days otherwise. */
function timeLabel(splits: readonly number[]): (seconds: number) => string {
  const isShort = (splits.at(-1) ?? 0) - (splits[0] ?? 0) <= 2 * 86_400
  const options = isShort
    ? ({ hour: 'numeric', minute: '2-digit' } as const)
    : ({ day: 'numeric', month: 'short' } as const)
  const format = new Intl.DateTimeFormat(language(), options)
  return (seconds) => format.format(new Date(seconds * 1000))
}
