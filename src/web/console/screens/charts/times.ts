import { language } from '../../../browser/words.ts'
import { endOf, type Statistics } from './periods.ts'

/** The time that an answer is about, as its subtitle and its files say it. */
export function rangeText({ from, to, interval }: Statistics): string {
  const end = Math.min(Date.parse(to), Date.now())
  const format = new Intl.DateTimeFormat(
    language(),
    interval === 'day' ? { dateStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'short' },
  )
  return format.formatRange(new Date(from), new Date(Math.max(end - 1, Date.parse(from))))
}

/** An interval in words. */
export function intervalText(statistics: Statistics, index: number): string {
  const from = new Date(statistics.data[index]?.from ?? statistics.from)
  if (statistics.interval === 'day')
    return new Intl.DateTimeFormat(language(), { weekday: 'short', day: 'numeric', month: 'long' }).format(
      from,
    )
  const format = new Intl.DateTimeFormat(language(), {
    ...({ weekday: 'short', hour: 'numeric', minute: '2-digit' } as const),
  })
  return format.formatRange(from, new Date(endOf(statistics, index)))
}

/** Pixels that a label takes. */
const labelWidth = 64
/** Numbers of minutes, of hours or of days between two labels. */
const steps = { minute: [5, 10, 15, 30], hour: [1, 2, 3, 4, 6, 12], day: [1, 2, 5, 10, 15] } as const

interface Label {
  readonly index: number
  readonly text: string
}

/** Returns the intervals that have a label below a chart so wide, each with its text. */
export function labelsFor({ data, interval }: Statistics, width: number): Label[] {
  const most = Math.max(2, Math.floor(width / labelWidth))
  const times = data.map(({ from }) => new Date(from))
  const format = new Intl.DateTimeFormat(
    language(),
    interval === 'day'
      ? data.length > 60
        ? { month: 'short' }
        : data.length > 7
          ? { day: 'numeric', month: 'short' }
          : { weekday: 'short', day: 'numeric' }
      : { hour: 'numeric', minute: '2-digit' },
  )
  const isLabelled = (step: number) => (time: Date, index: number) => {
    if (interval === 'minute') return time.getMinutes() % step === 0
    if (interval === 'hour') return time.getHours() % step === 0
    if (data.length > 60) return time.getUTCDate() === 1 && time.getUTCMonth() % step === 0
    return (data.length - 1 - index) % step === 0
  }
  for (const step of [...(data.length > 60 ? [1, 2, 3, 6] : steps[interval])]) {
    const found = times.flatMap((time, index) =>
      isLabelled(step)(time, index) ? [{ index, text: format.format(time) }] : [],
    )
    if (found.length <= most) return found
  }
  return []
}
