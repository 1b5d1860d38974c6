/** One line of the table. */
export interface Row {
  readonly figure: string
  readonly measured: string
  readonly baseline?: string
  readonly ratio?: string
  readonly goal?: string
  /** Undefined for a line that is only reported, and has no goal. */
  readonly reached?: boolean
}

export const storeNames = ['sqlite', 'postgres'] as const
export type StoreName = (typeof storeNames)[number]

/** The context that the figures of one run share. */
export interface Bench {
  /** A folder for this run, on a disk that syncs; removed at the end. */
  readonly folder: string
  /** The one part of a figure that is wanted, of a figure that has parts with names; all of them without it. */
  readonly only?: string
  /** The store that is wanted, for a figure that is measured on one of them; SQLite without it. */
  readonly store?: StoreName
  /** Tells the person who waits what is being done. */
  note(text: string): void
  /** The data folder with 10,000 instances and 1,000,000 old messages; made when it is first asked for. */
  largeStore(): Promise<string>
}

/** Something that is measured: its name on the command line, and how. */
export interface Figure {
  readonly name: string
  /** True for what is measured only if it is named, and not when everything is. */
  readonly onlyByName?: boolean
  measure(bench: Bench): Promise<Row[]>
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The value that a part of all values does not exceed; they must be in order. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN
}

export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')}/s`
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

export function milliseconds(duration: number): string {
  return `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`
}

/** The line of a rate that is to be at least a part of its baseline, if there is a goal; `write` shows both. */
export function rateRow(
  figure: string,
  rate: number,
  baseline: number,
  ratio: number,
  goal?: number,
  write = perSecond,
): Row {
  return {
    figure,
    measured: write(rate),
    baseline: write(baseline),
    ratio: ratio.toFixed(3),
    ...(goal === undefined ? {} : { goal: `≥ ${goal}`, reached: ratio >= goal }),
  }
}
