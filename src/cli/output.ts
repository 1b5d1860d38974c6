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

/** Columns under their titles, as wide as they must be. */
export function printTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [titles, ...rows].map(line).join('\n')
}

/** A moment for people: UTC, to the second. */
export function printTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
