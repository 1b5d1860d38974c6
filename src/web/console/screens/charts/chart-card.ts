import { type ComponentChildren, h } from 'preact'
import { useState } from 'preact/hooks'
import { say } from '../../words/say.ts'
import type { Statistics } from './periods.ts'
import type { Drawn } from './picture.ts'
import { Plot } from './plot.ts'
import type { Series } from './series.ts'
import { intervalText, labelsFor } from './times.ts'

interface ChartCardProps {
  readonly id: string
  readonly title: string
  /** Stands beside the title, such as the value of now. */
  readonly aside?: ComponentChildren
  readonly statistics: Statistics
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  readonly isTall?: boolean
  /** The chart in words. */
  readonly label: string
  /** Called with the interval that is pressed, and the value at that height. */
  readonly onPick?: (index: number, value: number) => void
  /** The charts that are drawn, by their ids, for a picture of them. */
  readonly drawn: Map<string, Drawn>
  readonly children?: ComponentChildren
}

/** A chart with its title and legend. A line below it says the numbers of the interval that is pointed at. */
export function ChartCard(props: ChartCardProps) {
  const { id, title, aside, statistics, series, format, isTall = false, label, drawn, children } = props
  const [pointed, setPointed] = useState<number | null>(null)
  const legend = inOrder(series)
  const known = drawn.get(id)
  if (known) drawn.set(id, { ...known, title, legend })
  const textOf = (index: number) => {
    const numbers = legend.flatMap(({ label: name, values, told = values }) => {
      const value = told[index]
      return typeof value === 'number' ? [`${name} ${format(value)}`] : []
    })
    const known = numbers.length > 0 ? numbers : [say('charts.not_known')]
    return [intervalText(statistics, index), ...known].join(' · ')
  }
  const hint = say(props.onPick ? 'charts.pick_hint' : 'charts.point_hint')
  return h(
    'figure',
    { class: 'panel titled chart', 'aria-labelledby': id },
    h('header', null, h('h2', { id }, title), aside && h('span', { class: 'small' }, aside)),
    h(
      'ul',
      { class: 'legend small' },
      legend.map(({ label: name, color, look }) =>
        h('li', { key: color, class: `key ${look} ${color.slice('--chart-'.length)}` }, name),
      ),
    ),
    h(
      'div',
      null,
      h(Plot, {
        label,
        help: hint,
        textOf,
        series,
        format,
        labelsFor: (width) => labelsFor(statistics, width),
        height: isTall ? 240 : 180,
        pointed,
        onPoint: setPointed,
        onPick: props.onPick,
        onDrawn: (canvas) => drawn.set(id, { canvas, title, legend }),
      }),
    ),
    h('p', { class: 'small pointed', 'aria-hidden': true }, pointed === null ? hint : textOf(pointed)),
    children,
  )
}

/** Bars from the base up, and then the lines: the order in which they are looked at. */
function inOrder(series: readonly Series[]): Series[] {
  const bars = series.filter(({ look }) => look === 'bars')
  return [...bars.toReversed(), ...series.filter((each) => !bars.includes(each))]
}
