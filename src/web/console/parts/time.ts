import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { language } from '../../browser/words.ts'

/** A moment in local time; the exact one, in UTC, shows on hover. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  if (!at) return h('span', { class: 'small' }, '–')
  return h('time', { dateTime: at, title: at }, localTime(at))
}

/** A moment with its milliseconds, for what happens within a second. */
export function ExactTime({ at }: { readonly at: string }) {
  return h('time', { dateTime: at, title: at }, formats().exact.format(new Date(at)))
}

/** The time of day, below the day itself; the whole moment shows on hover. */
export function TimeOfDay({ at }: { readonly at: string }) {
  return h('time', { dateTime: at, title: localTime(at) }, formats().clock.format(new Date(at)))
}

/** When something was, as short as in a list of conversations: the time today, the day in the last week, and else the date. */
export function ShortTime({ at }: { readonly at: string }) {
  const { clock, weekday, date } = formats()
  const then = new Date(at)
  const days = daysSince(then)
  const format = days === 0 ? clock : days > 0 && days < 7 ? weekday : date
  return h('time', { dateTime: at, title: localTime(at) }, format.format(then))
}

/** A day as a title: in words if it is today or yesterday. */
export function dayName(at: string): string {
  const days = daysSince(new Date(at))
  if (days !== 0 && days !== 1) return localDay(at)
  return capitalized(new Intl.RelativeTimeFormat(language(), { numeric: 'auto' }).format(-days, 'day'))
}

/** The days from a moment until today, by the calendar. */
function daysSince(then: Date): number {
  const [day, today] = [then, new Date()].map((one) => new Date(one).setHours(0, 0, 0, 0)) as [number, number]
  return Math.round((today - day) / 86_400_000)
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** A moment in local time, for use within a sentence. */
export function localTime(at: string): string {
  return formats().moment.format(new Date(at))
}

/** Milliseconds within which the time of day alone says which moment is meant. */
const oneDay = 24 * 60 * 60_000

/** A moment in local time, as short as it can be: without the day if it is at most a day away. */
export function shortTime(at: string): string {
  const isNear = Math.abs(Date.parse(at) - Date.now()) < oneDay
  return isNear ? formats().clock.format(new Date(at)) : formats().dayAndClock.format(new Date(at))
}

/** The day of a moment in local time, as a title. */
function localDay(at: string): string {
  return capitalized(formats().day.format(new Date(at)))
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
  exact: new Intl.DateTimeFormat(tag, {
    ...({ year: '2-digit', month: 'numeric', day: 'numeric' } as const),
    ...({ hour: 'numeric', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 } as const),
  }),
  clock: new Intl.DateTimeFormat(tag, { timeStyle: 'short' }),
  dayAndClock: new Intl.DateTimeFormat(tag, { dateStyle: 'short', timeStyle: 'short' }),
  day: new Intl.DateTimeFormat(tag, { dateStyle: 'full' }),
  age: new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'short' }),
  weekday: new Intl.DateTimeFormat(tag, { weekday: 'short' }),
  date: new Intl.DateTimeFormat(tag, { dateStyle: 'short' }),
})
let format = formatIn('en')

/** Time since a moment, or until it comes, kept current. The moment itself shows on hover, and while its row has the focus. */
export function Age({ at }: { readonly at: string | null | undefined }) {
  return at ? h(KnownAge, { at, after: '' }) : h('span', { class: 'small' }, '–')
}

interface KnownAgeProps {
  readonly at: string
  /** The rest of the phrase that the age is in. */
  readonly after: string
}

function KnownAge({ at, after }: KnownAgeProps) {
  const [, draw] = useState('')
  const seconds = () => (Date.parse(at) - Date.now()) / 1000
  useEffect(() => {
    let shown = roundedOf(seconds()).join()
    return add(ages, () => {
      const now = roundedOf(seconds()).join()
      if (now === shown) return false
      shown = now
      draw(now)
      return true
    })
  }, [at])
  const words = relative(seconds())
  const time = h('time', { dateTime: at, class: 'age', 'data-exact': localTime(at) }, words)
  // A short unit may end with a dot, which then ends the sentence, too.
  return [time, words.endsWith('.') && after.startsWith('.') ? after.slice(1) : after]
}

/** Stands in a phrase for an age. */
export const agePlace = '\u{fffc}'

/** A phrase that was said with `agePlace`, with the age of a moment there. */
export function withAge(phrase: string, at: string) {
  const [before, after = ''] = phrase.split(agePlace)
  return [before, h(KnownAge, { at, after })]
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

function roundedOf(seconds: number) {
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? units[3]
  return [Math.round(seconds / size), unit] as const
}

function relative(seconds: number): string {
  return formats().age.format(...roundedOf(seconds))
}

/** The current time, each second. */
function useNow(): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => add(clocks, setNow), [])
  return now
}

const clocks = new Set<(now: number) => void>()
/** Draws an age anew if its words are no longer right, and returns true then. */
const ages = new Set<() => boolean>()
/** Ages that are drawn anew in a second: a list may have thousands, and the page must not stand still for them. */
const maxDrawn = 200
let timer: ReturnType<typeof setInterval> | undefined

/** Adds what is done each second: one timer is enough for all. Returns a function that ends it. */
function add<T>(all: Set<T>, one: T): () => void {
  all.add(one)
  timer ??= setInterval(tick, 1_000)
  return () => {
    all.delete(one)
    if (clocks.size + ages.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  for (const clock of clocks) clock(Date.now())
  let drawn = 0
  for (const age of [...ages]) {
    if (!age()) continue
    // Those that had to wait come first the next time.
    ages.delete(age)
    ages.add(age)
    if (++drawn >= maxDrawn) return
  }
}
