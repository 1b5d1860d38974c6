/** A value of a cell. */
export type Cell = string | number | null

/**
 * Writes rows as CSV (RFC 4180), which begins with a byte order mark, by which spreadsheets know that it is UTF-8. A text that a
 * spreadsheet would take for a formula gets an apostrophe before it
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return `\ufeff${rows.map((row) => row.map(cellOf).join(',')).join('\r\n')}\r\n`
}

function cellOf(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
