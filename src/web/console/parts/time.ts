import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { language } from '../../browser/words.ts'

/** A moment in local time; the exact one, in UTC, shows on hover. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  if (!at) return h('span', { class: 'small' }, '–')
  return h('time', { dateTime: at, title: at }, localTime(at))
}

/** The time of day, below the day itself; the whole moment shows on hover. */
export function TimeOfDay({ at }: { readonly at: string }) {
  return h('time', { dateTime: at, title: localTime(at) }, formats().clock.format(new Date(at)))
}

/** A moment in local time, for use within a sentence. */
export function localTime(at: string): string {
  return formats().moment.format(new Date(at))
}

/** The day of a moment in local time, as a title. */
export function localDay(at: string): string {
  const text = formats().day.format(new Date(at))
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function formats() {
  const tag = language()
  if (tag !== format.tag) format = formatIn(tag)
  return format
}

/** Making a format takes longer than using it a hundred times, and a list of events has hundreds of times. */
const formatIn = (tag: string) => ({
  tag,
  moment: new Intl.DateTimeFormat(tag, { dateStyle: 'short', timeStyle: 'medium' }),
  clock: new Intl.DateTimeFormat(tag, { timeStyle: 'short' }),
  day: new Intl.DateTimeFormat(tag, { dateStyle: 'full' }),
})
let format = formatIn('en')

/** Time since a moment, or until it comes, kept current. The moment itself shows on hover, and while its row has the focus. */
export function Age({ at }: { readonly at: string | null | undefined }) {
  const now = useNow()
  if (!at) return h('span', { class: 'small' }, '–')
  return h(
    'time',
    { dateTime: at, class: 'age', 'data-exact': localTime(at) },
    relative((Date.parse(at) - now) / 1000),
  )
}

/** The seconds left until a moment, counted down to 0. */
export function useCountdown(until: string): number {
  const now = useNow()
  return Math.max(0, Math.ceil((Date.parse(until) - now) / 1000))
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

function relative(seconds: number): string {
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? units[3]
  const format = new Intl.RelativeTimeFormat(language(), { numeric: 'auto', style: 'short' })
  return format.format(Math.round(seconds / size), unit)
}

/** The current time, each second: one timer for all that shows it. */
function useNow(): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    watchers.add(setNow)
    if (watchers.size === 1) timer = setInterval(tick, 1_000)
    return () => {
      watchers.delete(setNow)
      if (watchers.size === 0) clearInterval(timer)
    }
  }, [])
  return now
}

const watchers = new Set<(now: number) => void>()
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  for (const watcher of watchers) watcher(Date.now())
}
