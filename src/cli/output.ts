/** Prints a result on standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Says something to the person on standard error, so that programs which read the result do not see it. */
export function explain(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Prints a value for programs. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

/** Cells of a table by their titles: each returns the cell of a row. */
export type Cells<T> = Readonly<Record<string, (row: T) => string>>

/** Cells under their titles, as wide as they must be. */
export function tableOf<T>(rows: readonly T[], columns: Cells<T>): string {
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)))
  const lines = [Object.keys(columns), ...cells]
  const widthOf = (column: number) => Math.max(...lines.map((line) => line[column]?.length ?? 0))
  const widths = Object.keys(columns).map((_, column) => widthOf(column))
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

/** A moment for people: UTC, to the second. */
export function readableTime(at: number | null): string {
  return at === null ? '-' : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Shows how far something has come, on a terminal alone; the line is gone when it has ended. */
export function progressOf(): (doing: string, share: number) => void {
  if (!process.stderr.isTTY) return () => {}
  let shown = ''
  return (doing, share) => {
    const text = share >= 1 ? '' : `${doing} ${Math.floor(share * 100)} %`
    if (text !== shown) process.stderr.write(`\r\x1b[K${text}`)
    shown = text
  }
}
