/** A table in Markdown. Cells may hold Markdown of one line. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n')
}

/** A word of the contract, as in requests and responses. */
export function code(word: string): string {
  return `\`${word}\``
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}
