import { language } from './words.ts'

/** A number in the current language, with three digits after the point, or as many as are wanted. */
export function number(value: number, maximumFractionDigits = 3): string {
  return new Intl.NumberFormat(language(), { maximumFractionDigits }).format(value)
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A number of bytes in the current language. */
export function bytes(value: number): string {
  const step = value < 1 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), byteUnits.length - 1)
  return new Intl.NumberFormat(language(), {
    style: 'unit',
    unit: byteUnits[step] ?? 'byte',
    // In English, only the long form has a plural: “11 byte” is the short one.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(value / 1000 ** step)
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** The time that is left, given in milliseconds: days and hours, or as clocks show it. */
export function timeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  if (seconds >= day)
    return `${unit(Math.floor(seconds / day), 'day')} ${unit(Math.floor((seconds % day) / hour), 'hour')}`
  const two = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor((seconds % hour) / minute)
  const hours = Math.floor(seconds / hour)
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % minute)}`
}

function unit(value: number, name: 'day' | 'hour'): string {
  return new Intl.NumberFormat(language(), { style: 'unit', unit: name, unitDisplay: 'long' }).format(value)
}

const durationUnits = [
  ['day', day],
  ['hour', hour],
  ['minute', minute],
  ['second', 1],
  ['millisecond', 0.001],
] as const

/** A time that something takes or lasts, in seconds: in the largest unit of which it has one. */
export function duration(seconds: number): string {
  const [name, size] = durationUnits.find(([, length]) => seconds >= length) ?? durationUnits[4]
  const style = { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: 0 } as const
  return new Intl.NumberFormat(language(), style).format(seconds / size)
}
